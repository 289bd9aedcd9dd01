"""Recall: run the levels one after the other until enough matches have a high confidence."""

from __future__ import annotations

from typing import NamedTuple

from rum.recall.confidence import judge
from rum.recall.levels import ALLOWED, CASCADE
from rum.recall.query import Found, Match, RecallQuery


class Answer(NamedTuple):
    """The matches to return, best first, and how they were found."""

    matches: list[Match]
    strategy: str
    total: int
    total_exact: bool
    column: str = ""  # The name of the fitted weights that were used
    others: tuple[Match, ...] = ()  # If there are none: the matches below the threshold, best first


def run(query: RecallQuery) -> Answer:
    """The best memories for a question."""
    found = search(query)
    best = found.best(query.threshold, query.request.limit, own=query.strict)
    by_meaning = [match for match in found.matches.values() if match.level == "semantic"]
    total = found.total + sum(match.confidence >= query.threshold for match in by_meaning)
    levels = list(dict.fromkeys(found.ran))
    contributed = [name for name in levels if any(match.level == name for match in best)]
    return Answer(
        best,
        "+".join(contributed or levels) or "none",
        max(total, len(best)),
        found.total_exact,
        found.column,
        () if best else tuple(found.best(0.0, len(found.matches), own=query.strict)),
    )


def search(query: RecallQuery) -> Found:
    """All matches of the levels, with their confidence."""
    found, limit = Found(), query.request.limit
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
        if len(found.best(query.sure, limit, own=True)) >= limit:
            break
    return found
