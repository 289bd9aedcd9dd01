"""From signals to a confidence: how likely it is that a memory is what was asked for."""

from __future__ import annotations

import math

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
    _proved(query, unsure)
    for match in unsure:
        match.score = score(fitted.WEIGHTS[column], match)
    whole = words.everything if not words.variants else None
    likely = chances(column, [match.score for match in unsure], about_question(query, unsure))
    for match, chance in zip(unsure, likely, strict=True):
        match.confidence = chance
        if match.mask == whole:
            # Many may hold all that was asked for: each is then unlikely to be the one, but none is wrong.
            match.confidence = max(match.confidence, fitted.MIN_CONFIDENCE)
        if words.variants and words.respelt(match.mask):
            match.confidence = min(match.confidence, limits.RESPELT)
    if words.says_little:
        for match in unsure:
            match.confidence *= limits.STOP_WORDS
    _same_goal(query, unsure)


def _proved(query: RecallQuery, matches: list[Match]) -> None:
    """Fill in how useful memories proved to be."""
    activity, known = query.store.activity, query.usefulness
    if query.all_usefulness is None and not known:  # of most projects little is known: one look is enough
        query.all_usefulness = activity.all_usefulness(limits.FEW_USEFUL)
    if query.all_usefulness is not None:
        known = query.all_usefulness
    elif unknown := [match.memory_id for match in matches if match.memory_id not in known]:
        known.update(dict.fromkeys(unknown, 0.0))
        known.update(activity.usefulness(unknown))
    for match in matches:
        match.useful = known.get(match.memory_id, 0.0)


def score(column: dict[str, float], match: Match) -> float:
    """What all signals say together, how important its maker held it, and how useful it proved to be."""
    said = sum([weight * match.signals[name] for name, weight in column.items()])
    said += limits.IMPORTANCE * (match.importance - limits.USUAL_IMPORTANCE)
    return said + limits.USEFULNESS * match.useful


def shares(scores: list[float]) -> list[float]:
    """The logarithm of each score's share among all: many memories that look alike share what is sure."""
    top = max(scores)
    whole = top + math.log(sum(math.exp(one - top) for one in scores))
    return [one - whole for one in scores]


def about_question(query: RecallQuery, matches: list[Match]) -> dict[str, float]:
    """What tells whether the question can be answered at all, whichever memory is looked at."""
    words = query.words
    first = max(matches, key=lambda match: match.score)
    scores = sorted((match.score for match in matches), reverse=True)
    masks = [match.mask for match in matches]
    said = max(map(words.weight, masks), default=0.0)
    return {
        "unknown": words.unknown,
        "covered": said / words.total,
        "said": math.log1p(said),
        "rare": max(map(words.rarest, masks), default=0.0),
        "asked": math.log1p(len(words.terms)),
        "nearest": max(match.signals.get("meaning", 0.0) for match in matches),
        "beside": first.signals["beside"],
        "lead": scores[0] - scores[1] if len(scores) > 1 else limits.UNRIVALLED,
        "candidates": math.log(len(scores)),
    }


def chances(column: str, scores: list[float], question: dict[str, float]) -> list[float]:
    """How likely each score makes it that a memory is right: the less, the further it lies behind the best.

    The best has odds of its own: whether it is right hangs on the question more than that of others does.
    """
    best, likely = max(scores), shares(scores)
    first = _chance_of_first(column, {"bias": 1.0, "share": max(likely), "score": best, **question})
    others = fitted.OTHERS[column]
    asked = others["bias"] + sum(others[name] * value for name, value in question.items())
    return [
        min(
            first * math.exp(limits.FALL * (score - best)),
            _probability(asked + others["share"] * share + others["score"] * score),
        )
        if score < best
        else first
        for score, share in zip(scores, likely, strict=True)
    ]


def _chance_of_first(column: str, told: dict[str, float]) -> float:
    """The probability that the best is right; beyond what was ever seen, a value claims no more."""
    odds = 0.0
    for name, value in told.items():
        least, most, slope, bend = fitted.FIRST[column][name]
        within = min(max(value, least), most)
        odds += within * (slope + bend * within)
    return _probability(odds)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _same_goal(query: RecallQuery, matches: list[Match]) -> None:
    """A question that repeats a goal word for word means it."""
    asked = " ".join(terms(query.text))
    surest = max(limits.SAME_GOAL, *(match.confidence for match in matches))
    for match in matches:
        if asked and match.goal == asked:
            match.confidence = surest + limits.SURER * (1 - surest)
