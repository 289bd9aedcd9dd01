"""Recall: run the levels one after the other until the question is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rum.recall import limits
from rum.recall.confidence import judge
from rum.recall.levels import ALLOWED, CASCADE
from rum.recall.query import Found, Match, RecallQuery, by_confidence


class Answer(NamedTuple):
    """The matches to return, best first, and how they were found."""

    matches: list[Match]
    strategy: str
    total: int
    total_exact: bool
    # If there are no matches: those below the threshold, best first.
    others: tuple[Match, ...] = ()
    # Further matches above the threshold, best first; a question in words finds them all, others only a few.
    rest: tuple[Match, ...] = ()
    # The wordings of the question, with the matches of each.
    asked: Sequence[tuple[RecallQuery, Found]] = ()

    def source(self, match: Match) -> tuple[RecallQuery, str]:
        """The wording that found a match, and the name of the fitted weights that were used."""
        query, found = next(
            (one for one in self.asked if one[1].matches.get(match.memory_id) is match), self.asked[0]
        )
        return query, found.column


def run(query: RecallQuery, *wordings: RecallQuery, fill: bool = False) -> Answer:
    """The best memories for a question; `wordings` are the same question in other words, or parts of it.

    A memory gets the best confidence of all wordings, but a mean one of the parts of a long question.
    `fill` adds memories of the requested files, or that pass the filters, where surer ones leave room.
    """
    asked = [(one, search(one)) for one in (query, *wordings)]
    if any(one.is_part for one in wordings):
        _average(asked)
    ranked = _surest(asked, own=query.strict)
    limit, threshold = query.request.limit, query.threshold
    likely = [match for match in ranked if match.has_own_evidence or not query.strict]
    above = [match for match in likely if match.confidence >= threshold]
    best = above[:limit]
    if fill and query.text and query.request.min_confidence is None:
        best = _filled(query, asked, ranked, best)
    others = () if best else tuple(likely)
    levels = list(dict.fromkeys(level for _, found in asked for level in found.ran))
    contributed = [name for name in levels if any(match.level == name for match in best)]
    return Answer(
        best,
        "+".join(contributed or levels) or "none",
        max(len(best), *(_total(found, threshold) for _, found in asked)),
        all(found.total_exact for _, found in asked),
        others,
        tuple(match for match in above if match not in best),
        asked,
    )


Asked = list[tuple[RecallQuery, Found]]


def _average(asked: Asked) -> None:
    """Give each memory the weighted mean of its confidences in the whole question and its parts.

    The best of several would be too high: some memory or other fits every line of a long text.
    """
    whole = asked[0][0].text
    weights = [limits.TELLING if whole.startswith(query.text) else 1 for query, _ in asked]
    together: dict[str, float] = {}
    for (_, found), weight in zip(asked, weights, strict=True):
        for match in found.matches.values():
            together[match.memory_id] = together.get(match.memory_id, 0.0) + weight * match.confidence
    for _, found in asked:
        for match in found.matches.values():
            match.confidence = match.literal or together[match.memory_id] / sum(weights)


def _surest(asked: Asked, *, own: bool) -> list[Match]:
    """Each memory once, with its best confidence; highest first.

    With `own`, a match that has evidence of its own stands for the memory if any wording has one.
    """
    matches = [match for _, found in asked for match in found.matches.values()]
    matches.sort(key=by_confidence, reverse=True)
    if own:
        matches.sort(key=lambda match: not match.has_own_evidence)
    by_id: dict[str, Match] = {}
    for match in matches:
        by_id.setdefault(match.memory_id, match)
    return sorted(by_id.values(), key=by_confidence, reverse=True)


def _total(found: Found, threshold: float) -> int:
    by_meaning = (match for match in found.matches.values() if match.level == "semantic")
    return found.total + sum(match.confidence >= threshold for match in by_meaning)


def _filled(query: RecallQuery, asked: Asked, ranked: list[Match], best: list[Match]) -> list[Match]:
    """The matches, and then others that the files or filters of the request select, up to the limit.

    Of the memories of the requested files at least one is returned.
    """
    limit = query.request.limit
    if query.files:
        tied = {key for _, found in asked for tied in found.tied for key in tied.ranks}
        selected = [match for match in ranked if match.key in tied]
    elif query.filters.any():
        selected = ranked if len(ranked) >= limit else _with_others(query, asked)
    else:
        return best
    more = [match for match in selected if match not in best]
    room = limit if any(match in selected for match in best) or not more else limit - 1
    return [*best[:room], *more][:limit]


def _with_others(query: RecallQuery, asked: Asked) -> list[Match]:
    """All matches, then the newest memories that pass the filters although no word fits."""
    found = asked[0][1]
    known = {match.memory_id for _, one in asked for match in one.matches.values()}
    for row in query.search.by_filters(query.filters, query.request.limit)[0]:
        if row.id not in known:
            found.add(row, "structural")
    found.ran.append("structural")
    return _surest(asked, own=False)


def search(query: RecallQuery) -> Found:
    """All matches of the levels, with their confidence."""
    found = Found()
    levels, judged = ALLOWED[query.request.strategy], 0
    for name in levels:
        found = CASCADE[name](query, found)
        if judged == len(found.ran):  # the level did not search, so nothing is new
            continue
        # Words count as much as files, so the best match may be found only by the level of words.
        if query.text and "pattern" in levels and name in ("exact", "structural"):
            continue
        judge(query, found)
        judged = len(found.ran)
        if _is_answered(query, found):
            break
    return found


def _is_answered(query: RecallQuery, found: Found) -> bool:
    """Whether no further level is needed; for a question in words this must not depend on the limit."""
    best = found.best(query.sure, query.request.limit, own=True)
    if not query.text or not best:
        return len(best) >= query.request.limit
    first, words = best[0], query.words
    if first.literal is not None:
        return True
    if not query.strict:  # the caller asks for all there is
        return False
    return first.confidence >= limits.ANSWERED and first.mask == words.everything and not words.variants
