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


def run(inquiry: Inquiry) -> Answer:
    """The best memories for a question."""
    found = Found()
    question = inquiry.question
    best: list[Match] = []
    for name in ALLOWED[question.strategy]:
        found = CASCADE[name](inquiry, found)
        judge(inquiry, found.matches.values())
        best = found.best(inquiry.threshold, question.limit)
        # Words weigh as much as files, so before they were looked for the best may not be among these.
        if len(best) >= question.limit and (not inquiry.text or "pattern" in found.ran):
            break
    levels = list(dict.fromkeys(found.ran))
    contributed = [name for name in levels if any(match.level == name for match in best)]
    return Answer(
        best, "+".join(contributed or levels) or "none", max(found.total, len(best)), found.total_exact
    )
