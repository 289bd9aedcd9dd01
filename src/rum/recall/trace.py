"""What led to a memory, and what it led to: a walk along causes, nearest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rum.model.memory import LinkType
from rum.model.requests import Direction
from rum.store.base import Links

_KINDS = {
    Direction.CAUSES: (LinkType.CAUSED_BY,),
    Direction.EFFECTS: (LinkType.LED_TO,),
    Direction.BOTH: (LinkType.CAUSED_BY, LinkType.LED_TO),
}


class Step(NamedTuple):
    """A memory on the way: its id, how it is related to the one before (`via`), and its distance."""

    memory_id: str
    relationship: str
    distance: int
    via: str


def walk(links: Links, origin: str, direction: Direction, max_depth: int) -> list[Step]:
    """Breadth-first from the origin; each memory once, at its shortest distance."""
    found = [step for kind in _KINDS[direction] for step in _one_way(links, origin, kind, max_depth)]
    steps: dict[str, Step] = {}
    for step in sorted(found, key=lambda step: step.distance):
        steps.setdefault(step.memory_id, step)
    return list(steps.values())


def _one_way(links: Links, origin: str, kind: LinkType, max_depth: int) -> Iterator[Step]:
    seen, frontier = {origin}, [origin]
    for distance in range(1, max_depth + 1):
        above = _neighbours(links, frontier, kind)
        frontier = sorted(above.keys() - seen, reverse=True)
        seen.update(frontier)
        for one in frontier:
            yield Step(one, kind.value, distance, above[one])
        if not frontier:
            return


def _neighbours(links: Links, frontier: list[str], kind: LinkType) -> dict[str, str]:
    """The memories one step further, each with the memory of the frontier that it is linked to."""
    inside = set(frontier)
    found: dict[str, str] = {}
    for edge in sorted(links.of(frontier)):
        if edge.link_type is LinkType.CAUSED_BY:
            near, far = edge[:2] if kind is LinkType.CAUSED_BY else edge[1::-1]
            if near in inside:
                found.setdefault(far, near)
    return found
