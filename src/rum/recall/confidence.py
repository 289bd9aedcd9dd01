"""Turn signals into a confidence: the probability that a memory answers the query."""

from __future__ import annotations

import math
from operator import itemgetter, mul

from rum.recall import fitted, limits
from rum.recall.query import Found, Match, RecallQuery
from rum.recall.signals import measure
from rum.text.terms import terms


def judge(query: RecallQuery, found: Found) -> None:
    """Set the confidence of every match."""
    unsure = [match for match in found.matches.values() if match.literal is None]
    for match in found.matches.values():
        match.confidence = match.literal or 0.0
    if not unsure:
        return
    measure(query, found)
    words, column = query.words, found.column
    _set_usefulness(query, unsure)
    weights, values = fitted.WEIGHTS[column].values(), itemgetter(*fitted.WEIGHTS[column])
    for match in unsure:
        match.score = sum(map(mul, weights, values(match.signals)))
        match.score += limits.IMPORTANCE * (match.importance - limits.USUAL_IMPORTANCE)
        match.score += limits.USEFULNESS * match.useful
    whole = words.everything if not words.variants else None
    likely = chances(column, [match.score for match in unsure], about_question(query, unsure))
    for match, chance in zip(unsure, likely, strict=True):
        match.confidence = chance
        if match.mask == whole:
            # Many memories may hold all words: each is unlikely to be the best one, but none is wrong.
            match.confidence = max(match.confidence, fitted.MIN_CONFIDENCE)
        if words.variants and words.respelt(match.mask):
            match.confidence = min(match.confidence, limits.RESPELT)
    if words.says_little:
        for match in unsure:
            match.confidence *= limits.STOP_WORDS
    _same_goal(query, unsure)


def _set_usefulness(query: RecallQuery, matches: list[Match]) -> None:
    """Set how useful the memories proved to be."""
    activity, known = query.store.activity, query.usefulness
    if query.all_usefulness is None and not known:  # most projects have little evidence, read in one call
        query.calls.count()
        found = activity.usefulness(limit=limits.FEW_USEFUL + 1)
        query.all_usefulness = found if len(found) <= limits.FEW_USEFUL else None
    if query.all_usefulness is not None:
        known = query.all_usefulness
    elif unknown := [match.memory_id for match in matches if match.memory_id not in known]:
        query.calls.count()
        known.update(dict.fromkeys(unknown, 0.0))
        known.update(activity.usefulness(unknown))
    for match in matches:
        match.useful = known.get(match.memory_id, 0.0)


def shares(scores: list[float]) -> list[float]:
    """The logarithm of each score's softmax share: many similar memories share the probability."""
    top = max(scores)
    whole = top + math.log(sum(math.exp(score - top) for score in scores))
    return [score - whole for score in scores]


def about_question(query: RecallQuery, matches: list[Match]) -> dict[str, float]:
    """The signals of the query as a whole: how likely it can be answered at all."""
    words = query.words
    first = max(matches, key=lambda match: match.score)
    scores = sorted((match.score for match in matches), reverse=True)
    masks = [match.mask for match in matches]
    best_weight = max(map(words.weight, masks), default=0.0)
    return {
        "unknown": words.unknown,
        "covered": best_weight / words.total,
        "said": math.log1p(best_weight),
        "rare": max(map(words.rarest, masks), default=0.0),
        "asked": math.log1p(len(words.terms)),
        "nearest": max(match.signals.get("meaning", 0.0) for match in matches),
        "beside": first.signals["beside"],
        "lead": scores[0] - scores[1] if len(scores) > 1 else limits.UNRIVALLED,
        "candidates": math.log(len(scores)),
    }


def chances(column: str, scores: list[float], question: dict[str, float]) -> list[float]:
    """The probability that each memory is right: lower the further its score is below the best.

    The best one is fitted separately, as it depends more on the query than the others do.
    """
    best, likely = max(scores), shares(scores)
    first = _chance_of_first(column, {"bias": 1.0, "share": max(likely), "score": best, **question})
    others = fitted.OTHERS[column]
    question_odds = others["bias"] + sum(others[name] * value for name, value in question.items())
    return [
        min(
            first * math.exp(limits.FALL * (score - best)),
            _probability(question_odds + others["share"] * share + others["score"] * score),
        )
        if score < best
        else first
        for score, share in zip(scores, likely, strict=True)
    ]


def _chance_of_first(column: str, values: dict[str, float]) -> float:
    """The probability that the best is right; values are clamped to the range of the fitted data."""
    odds = 0.0
    for name, value in values.items():
        lowest, highest, slope, bend = fitted.FIRST[column][name]
        clamped = min(max(value, lowest), highest)
        odds += clamped * (slope + bend * clamped)
    return _probability(odds)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _same_goal(query: RecallQuery, matches: list[Match]) -> None:
    """Raise the confidence of memories whose goal is the query, word for word; several share it."""
    query_text = " ".join(terms(query.text))
    alike = [match for match in matches if query_text and match.goal == query_text]
    surest = max(limits.SAME_GOAL, *(match.confidence for match in matches))
    for match in alike:
        shared = (surest + limits.SURER * (1 - surest)) / len(alike)
        match.confidence = max(match.confidence, shared)
