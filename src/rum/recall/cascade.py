"""Recall: run the levels one after the other until the question is answered."""

from __future__ import annotations

from collections.abc import Iterable
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
    # For each match the wording that found it, and the name of the fitted weights that were used.
    found_by: dict[str, tuple[RecallQuery, str]] = {}  # noqa: RUF012 (never changed)


def run(query: RecallQuery, *wordings: RecallQuery, fill: bool = False) -> Answer:
    """The best memories for a question; `wordings` are the same question in other words.

    A memory gets the best confidence of all wordings. `fill` adds memories of the requested files, or that
    pass the filters, where surer ones leave room.
    """
    answers = [_answer(one, fill=fill) for one in (query, *wordings)]
    return answers[0] if len(answers) == 1 else _merge(answers, query.request.limit)


def _answer(query: RecallQuery, *, fill: bool) -> Answer:
    found = search(query)
    limit, threshold = query.request.limit, query.threshold
    best = found.best(threshold, limit, own=query.strict)
    if fill and query.text and query.request.min_confidence is None:
        best = _filled(query, found, best)
    by_meaning = [match for match in found.matches.values() if match.level == "semantic"]
    total = found.total + sum(match.confidence >= threshold for match in by_meaning)
    levels = list(dict.fromkeys(found.ran))
    contributed = [name for name in levels if any(match.level == name for match in best)]
    others = () if best else tuple(found.best(0.0, len(found.matches), own=query.strict))
    return Answer(
        best,
        "+".join(contributed or levels) or "none",
        max(total, len(best)),
        found.total_exact,
        others,
        {match.memory_id: (query, found.column) for match in (*best, *others)},
    )


def _filled(query: RecallQuery, found: Found, best: list[Match]) -> list[Match]:
    """The matches, and then others that the files or filters of the request select, up to the limit.

    Of the memories of the requested files at least one is returned.
    """
    limit, ranked = query.request.limit, found.best(0.0, len(found.matches))
    if query.files:
        selected = [match for match in ranked if any(match.key in tied.ranks for tied in found.tied)]
    elif query.filters.any():
        selected = ranked if len(ranked) >= limit else _with_others(query, found)
    else:
        return best
    more = [match for match in selected if match not in best]
    room = limit if any(match in selected for match in best) or not more else limit - 1
    return [*best[:room], *more][:limit]


def _with_others(query: RecallQuery, found: Found) -> list[Match]:
    """All matches, then the newest memories that pass the filters although no word fits."""
    for row in query.search.by_filters(query.filters, query.request.limit)[0]:
        found.add(row, "structural")
    found.ran.append("structural")
    return found.best(0.0, len(found.matches))


def _merge(answers: list[Answer], limit: int) -> Answer:
    """One answer for all wordings, with the best confidence of each memory."""
    matches = _surest(match for answer in answers for match in answer.matches)[:limit]
    others = () if matches else tuple(_surest(match for answer in answers for match in answer.others))
    levels = dict.fromkeys(level for answer in answers for level in answer.strategy.split("+"))
    found_by: dict[str, tuple[RecallQuery, str]] = {}
    for match in (*matches, *others):
        [found_by[match.memory_id]] = [
            answer.found_by[match.memory_id]
            for answer in answers
            if match in answer.matches or match in answer.others
        ]
    return Answer(
        matches,
        "+".join(name for name in (*CASCADE, "none") if name in levels),
        max(answer.total for answer in answers),
        all(answer.total_exact for answer in answers),
        others,
        found_by,
    )


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


def _surest(matches: Iterable[Match]) -> list[Match]:
    """Each memory once, with its best confidence; highest first."""
    by_id: dict[str, Match] = {}
    for match in sorted(matches, key=by_confidence, reverse=True):
        by_id.setdefault(match.memory_id, match)
    return list(by_id.values())
