"""How recall slows down from a small store to a large one, both measured in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.speed import TIMES, Counts
from benchmarks.timing import Times, paired, timed
from benchmarks.workload import paths, questions
from benchmarks.workspace import Workspace

Way = Callable[[str], object]  # The query: a file or a text


class Growth(NamedTuple):
    """By what the large store is slower, for the floor and for RUM."""

    floor: float
    rum: float


def measure(workspaces: list[Workspace], counts: Counts) -> tuple[Growth, Growth] | None:
    """By file from the smallest to the largest, by text from the next to the largest; None for one size."""
    if len(workspaces) < 2:
        return None
    return by_file(workspaces[0], workspaces[-1], counts), by_text(workspaces[-2], workspaces[-1], counts)


def by_file(small: Workspace, large: Workspace, counts: Counts) -> Growth:
    """The median of recall by file, the files of each store with a full answer."""
    asked = [paths(workspace.stored, counts.files) for workspace in (small, large)]
    with small.open_rum() as rum, large.open_rum() as other:
        return Growth(
            _factor(asked, small.open_floor().by_file, large.open_floor().by_file, _median),
            _factor(asked, lambda path: rum.recall(file=path), lambda path: other.recall(file=path), _median),
        )


def by_text(small: Workspace, large: Workspace, counts: Counts) -> Growth:
    """The 95th percentile of recall by text, each store asked about its own memories."""
    asked = [[one.text for one in questions(workspace.stored, counts.texts)] for workspace in (small, large)]
    with small.open_rum() as rum, large.open_rum() as other:
        return Growth(
            _factor(asked, small.open_floor().by_text, large.open_floor().by_text, _slow),
            _factor(asked, lambda text: rum.recall(query=text), lambda text: other.recall(query=text), _slow),
        )


def _factor(asked: list[list[str]], small: Way, large: Way, figure: Callable[[Times], float]) -> float:
    both = zip(*asked, strict=True)
    taken = paired(timed(lambda pair: small(pair[0]), lambda pair: large(pair[1]), both, TIMES))
    return figure(taken[1]) / figure(taken[0])


def _median(times: Times) -> float:
    return times.p50


def _slow(times: Times) -> float:
    return times.p95
