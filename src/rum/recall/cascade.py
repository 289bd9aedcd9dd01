"""Recall: run the levels one after the other until enough memories are sure enough."""

from __future__ import annotations

from typing import NamedTuple

from rum.recall.confidence import judge
from rum.recall.levels import ALLOWED, CASCADE
from rum.recall.query import Found, Match, RecallQuery


class Answer(NamedTuple):
    """The matches to give, best first, and how they were found."""

    matches: list[Match]
    strategy: str
    total: int
    total_exact: bool
    column: str = ""  # Which of the fitted weights they were judged by
    others: tuple[Match, ...] = ()  # The matches beyond the limit or not sure enough, best first


def run(query: RecallQuery) -> Answer:
    """The best memories for a question."""
    found = search(query)
    best = found.best(query.threshold, query.question.limit, own=query.strict)
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
        tuple(found.best(0.0, len(found.matches), own=query.strict)[len(best) :]),
    )


def search(query: RecallQuery) -> Found:
    """All that the levels found, judged."""
    found, limit = Found(), query.question.limit
    levels, judged = ALLOWED[query.question.strategy], 0
    for name in levels:
        found = CASCADE[name](query, found)
        if judged == len(found.ran):  # the level did not look, so nothing is new
            continue
        # Words weigh as much as files, so before they were looked for the best may not be among these.
        if query.text and "pattern" in levels and name in ("exact", "structural"):
            continue
        judge(query, found)
        judged = len(found.ran)
        if len(found.best(query.sure, limit, own=True)) >= limit:
            break
    return found
