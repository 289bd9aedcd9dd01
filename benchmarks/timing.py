"""Times two implementations in turn, so that a busy moment affects both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter_ns
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Times(NamedTuple):
    """Milliseconds: the least, the median, and what 95 of 100 stay under."""

    least: float
    p50: float
    p95: float


class Pair(NamedTuple):
    """The floor's times and RUM's."""

    floor: Times
    rum: Times


def summed_up(milliseconds: Iterable[float]) -> Times:
    """The figures of a series."""
    ordered = sorted(milliseconds)
    return Times(ordered[0], ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)])


def compare(
    floor: Callable[[T], object], rum: Callable[[T], object], items: Iterable[T], times: int = 1
) -> Pair:
    """Do both for each item, and sum the times up."""
    return paired(timed(floor, rum, items, times))


def paired(taken: Iterable[tuple[float, float]]) -> Pair:
    """The figures of the floor's and RUM's milliseconds."""
    floor, rum = zip(*taken, strict=True)
    return Pair(summed_up(floor), summed_up(rum))


def timed(
    one: Callable[[T], object], other: Callable[[T], object], items: Iterable[T], times: int
) -> list[tuple[float, float]]:
    """What both took for each item, the one first as often as the other; of several times the best counts."""
    taken: list[tuple[float, float]] = []
    for number, item in enumerate(items):
        best = [float("inf"), float("inf")]
        for at in range(number, number + times):
            for which in (0, 1) if at % 2 else (1, 0):
                best[which] = min(best[which], _milliseconds((one, other)[which], item))
        taken.append((best[0], best[1]))
    return taken


def _milliseconds(work: Callable[[T], object], item: T) -> float:
    began = perf_counter_ns()
    work(item)
    return (perf_counter_ns() - began) / 1e6
