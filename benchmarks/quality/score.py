"""Puts the questions of a set to a search and records the answers."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from benchmarks.quality import metrics
from benchmarks.quality.arms import Answer, Arm
from benchmarks.quality.cases import Case, Question

SURE = 0.5
DEFAULT_LIMIT = 5  # The default number of memories
TOKEN = 4  # In characters


class Asked(NamedTuple):
    """One question: the best effort of the arm, and what an agent would have been given."""

    question: Question
    best: Answer
    given: Answer
    seconds: float

    @property
    def pairs(self) -> list[tuple[float, bool]]:
        """The confidences of the best effort, each with whether it was right."""
        both = zip(self.best.keys, self.best.confidences, strict=True)
        return [(sure, key in self.question.answers) for key, sure in both if sure is not None]

    @property
    def is_sure(self) -> bool:
        """Whether something was given as more likely right than wrong."""
        return any((confidence or 0) >= SURE for confidence in self.given.confidences)


class Scores(NamedTuple):
    """What one arm made of one set."""

    asked: list[Asked]
    foreign: list[Asked]

    def of_kind(self, kind: str) -> Scores:
        """The questions of one kind alone."""
        return Scores([one for one in self.asked if one.question.kind == kind], [])

    @property
    def answerable(self) -> list[Asked]:
        """The questions that have an answer."""
        return [one for one in self.asked if one.question.answers]

    @property
    def unanswerable(self) -> list[Asked]:
        """The questions that have none."""
        return [one for one in self.asked if not one.question.answers]

    def any_at(self, first: int) -> float:
        """Share of questions with a right answer among the first."""
        return metrics.mean(
            [metrics.any_at(one.best.keys, one.question.answers, first) for one in self.answerable]
        )

    def reciprocal_rank(self) -> float:
        """The mean over the questions."""
        ranks = (metrics.reciprocal_rank(one.best.keys, one.question.answers) for one in self.answerable)
        return metrics.mean(list(ranks))

    def calibration(self) -> tuple[float | None, float | None]:
        """The error of the first answers, and of all."""
        all_pairs = [one.pairs for one in self.asked]
        first = metrics.calibration_error([pairs[0] for pairs in all_pairs if pairs])
        return first, metrics.calibration_error([pair for pairs in all_pairs for pair in pairs])

    def tokens_per_right(self) -> float | None:
        """All that was read for the questions, over the number of questions it answered."""
        right = sum(metrics.any_at(one.given.keys, one.question.answers, 100) for one in self.answerable)
        return sum(one.given.characters for one in self.answerable) / TOKEN / right if right else None

    def milliseconds(self) -> float:
        """The mean time of a recall."""
        return 1_000 * metrics.mean([one.seconds for one in self.asked])


def false_answers(asked: list[Asked]) -> tuple[float, float]:
    """Of questions that have no answer: the share with a sure one, and with any."""
    sure = metrics.mean([float(one.is_sure) for one in asked])
    return sure, metrics.mean([float(bool(one.given.keys)) for one in asked])


def run(cases: Iterable[Case], make: Callable[[], Arm], limit: int) -> Scores:
    """Fill a store for each case and ask."""
    scores = Scores([], [])
    for case in cases:
        arm = make()
        try:
            scores.asked.extend(_ask_all(case, arm, limit))
            scores.foreign.extend(_ask(arm, question, limit) for question in case.foreign)
        finally:
            arm.close()
    return scores


def _ask_all(case: Case, arm: Arm, limit: int) -> Iterator[Asked]:
    waiting: dict[int | None, list[Question]] = defaultdict(list)
    for question in case.questions:
        waiting[question.place].append(question)
    for place, piece in enumerate(case.pieces):
        for question in waiting[place]:
            yield _ask(arm, question, limit)
        arm.store(piece)
    if waiting[None] or case.foreign:
        arm.settle()
    for question in waiting[None]:
        yield _ask(arm, question, limit)


def _ask(arm: Arm, question: Question, limit: int) -> Asked:
    started = time.perf_counter()
    given = arm.ask(question, DEFAULT_LIMIT, sure=True)
    seconds = time.perf_counter() - started
    return Asked(question, arm.ask(question, limit, sure=False), given, seconds)
