"""Metrics of rankings (any@k, MRR) and of confidences (calibration error)."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

CUTOFFS = (1, 5, 10, 20)
BINS = 10
TRIALS = 200  # The number of random trials


class Bin(NamedTuple):
    """The answers with a confidence in one tenth: their number, mean confidence and share of right ones."""

    low: float
    high: float
    size: int
    mean: float
    share: float


def any_at(ranking: Sequence[str], answers: Collection[str], first: int) -> float:
    """1 if a right one is among the first, else 0."""
    return float(any(key in answers for key in ranking[:first]))


def reciprocal_rank(ranking: Sequence[str], answers: Collection[str]) -> float:
    """1 / the place of the first right one; 0 if there is none."""
    return next((1 / place for place, key in enumerate(ranking, 1) if key in answers), 0.0)


def bins(pairs: Iterable[tuple[float, bool]]) -> list[Bin]:
    """The reliability of confidences, in tenths that hold anything."""
    members: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for confidence, right in pairs:
        members[min(BINS - 1, max(0, int(confidence * BINS)))].append((confidence, right))
    return [
        Bin(
            number / BINS,
            (number + 1) / BINS,
            len(inside),
            mean([confidence for confidence, _ in inside]),
            mean([float(right) for _, right in inside]),
        )
        for number, inside in enumerate(members)
        if inside
    ]


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """How far confidence and truth lie apart: |mean - share| of the bins, weighted by their sizes."""
    if not pairs:
        return None
    return sum(one.size * abs(one.mean - one.share) for one in bins(pairs)) / len(pairs)


def error_by_chance(pairs: Sequence[tuple[float, bool]]) -> float:
    """The calibration error that the same confidences would show on average if they were exactly true."""
    chance = random.Random(TRIALS)
    drawn = ([(sure, chance.random() < sure) for sure, _ in pairs] for _ in range(TRIALS))
    return mean([calibration_error(one) or 0.0 for one in drawn])


def mean(values: Sequence[float]) -> float:
    """The average; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
