"""Memories into groups: two groups become one while their members, on average, belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import combinations

MOST = 30
"""Members of a group; a longer story is told in several."""
TOGETHER = 0.5
"""How likely two members of two groups must be to belong together, on average, for the groups to be one."""


def grouped(pairs: Mapping[tuple[int, int], float], count: int) -> list[list[int]]:
    """The groups of two or more among so many memories, by their places; no memory is in two.

    The likeliest are put together first. Those that were never compared count as strangers.
    """
    members: dict[int, list[int]] = {place: [place] for place in range(count)}
    near = _near(pairs)
    heap = [(-chance, one, other, 1, 1) for (one, other), chance in pairs.items() if chance >= TOGETHER]
    heapify(heap)
    while heap:
        _, one, other, size, other_size = heappop(heap)
        # What was noted of a group that has grown, or is part of another by now, holds no longer.
        if len(members.get(one, ())) != size or len(members.get(other, ())) != other_size:
            continue
        if size + other_size <= MOST:
            members[one] += members.pop(other)
            _join(near, one, other)
            for pair in _worth_joining(near, members, one):
                heappush(heap, pair)
    return [sorted(group) for group in members.values() if len(group) > 1]


def _near(pairs: Mapping[tuple[int, int], float]) -> dict[int, dict[int, float]]:
    """For each group the sum of chances over all pairs with another: at first each memory is a group."""
    near: dict[int, dict[int, float]] = {}
    for (one, other), chance in pairs.items():
        near.setdefault(one, {})[other] = chance
        near.setdefault(other, {})[one] = chance
    return near


def _join(near: dict[int, dict[int, float]], one: int, other: int) -> None:
    """Give a group what is known of another, which is no more."""
    mine = near[one]
    for third, chance in near.pop(other).items():
        del near[third][other]
        if third != one:
            mine[third] = near[third][one] = mine.get(third, 0.0) + chance


def _worth_joining(
    near: Mapping[int, Mapping[int, float]], members: Mapping[int, list[int]], one: int
) -> Iterator[tuple[float, int, int, int, int]]:
    size = len(members[one])
    for other, chances in near[one].items():
        other_size = len(members[other])
        mean = chances / (size * other_size)
        if mean >= TOGETHER and size + other_size <= MOST:
            first, second = sorted(((one, size), (other, other_size)))
            yield -mean, first[0], second[0], first[1], second[1]


def cohesion(group: list[int], pairs: Mapping[tuple[int, int], float]) -> float:
    """How likely two members of a group belong together, on average."""
    chances = [pairs.get(pair, 0.0) for pair in combinations(group, 2)]
    return sum(chances) / len(chances)
