"""Recall: run the levels one after the other until enough memories are sure enough."""

from __future__ import annotations

from typing import NamedTuple

from rum.recall.confidence import judge
from rum.recall.inquiry import Found, Inquiry, Match
from rum.recall.levels import ALLOWED, CASCADE


class Answer(NamedTuple):
    """The matches to give, best first, and how they were found."""

    matches: list[Match]
    strategy: str
    total: int
    total_exact: bool
    column: str = ""  # Which of the fitted weights they were judged by
    others: tuple[Match, ...] = ()  # The matches beyond the limit or not sure enough, best first


def run(inquiry: Inquiry) -> Answer:
    """The best memories for a question."""
    found = search(inquiry)
    best = found.best(inquiry.threshold, inquiry.question.limit, own=inquiry.strict)
    by_meaning = [match for match in found.matches.values() if match.level == "semantic"]
    total = found.total + sum(match.confidence >= inquiry.threshold for match in by_meaning)
    levels = list(dict.fromkeys(found.ran))
    contributed = [name for name in levels if any(match.level == name for match in best)]
    return Answer(
        best,
        "+".join(contributed or levels) or "none",
        max(total, len(best)),
        found.total_exact,
        found.column,
        tuple(found.best(0.0, len(found.matches), own=inquiry.strict)[len(best) :]),
    )


def search(inquiry: Inquiry) -> Found:
    """All that the levels found, judged."""
    found, limit = Found(), inquiry.question.limit
    levels, judged = ALLOWED[inquiry.question.strategy], 0
    for name in levels:
        found = CASCADE[name](inquiry, found)
        if judged == len(found.ran):  # the level did not look, so nothing is new
            continue
        # Words weigh as much as files, so before they were looked for the best may not be among these.
        if inquiry.text and "pattern" in levels and name in ("exact", "structural"):
            continue
        judge(inquiry, found)
        judged = len(found.ran)
        if len(found.best(inquiry.sure, limit, own=True)) >= limit:
            break
    return found
