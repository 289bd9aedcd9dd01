"""Groups of memories that look like one story: a feature, a bug with what followed, a campaign of work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import islice

from msgspec import Struct

from rum.consolidate.chapters.titles import Aim, headings, title_of
from rum.consolidate.suggest.clustering import cohesion, grouped
from rum.consolidate.suggest.reasons import reason, tags
from rum.consolidate.suggest.similarity import Pairs, likely_pairs
from rum.consolidate.suggest.traits import Seen, Traits, seen, traits
from rum.model.links import Edge
from rum.model.memory import Memory

LOOKED_AT = 20_000
"""Of more memories the newest are looked at."""
FEWEST = 3
"""Members of a group."""
LEAST_SURE = 0.45
"""Less sure than that, a group is more often an area of the code than a story."""


class Suggestion(Struct, frozen=True, kw_only=True):
    """A group that could become a chapter; its members in order of time."""

    memory_ids: tuple[str, ...]
    goals: tuple[str, ...]
    """What each of them was for."""
    title: str
    reason: str
    tags: tuple[str, ...] = ()
    sureness: float = 0.0
    """From 0 to 1: how surely it is one story, by all that its members have in common."""


def suggest(
    memories: Iterable[Memory],
    edges: Iterable[Edge],
    *,
    most: int,
    chapters: Iterable[Collection[str]] = (),
) -> list[Suggestion]:
    """The groups found in memories, the surest first; no memory is in two of them.

    What is superseded, or done over and over, belongs to none. Nor is anything suggested of which more than
    half stands in one of the `chapters` already, which are given by the ids of their members.
    """
    looked_at = _newest(memories)
    links = _links(looked_at, edges)
    measured = traits(looked_at)
    pairs = likely_pairs(measured, links)
    told = _Told(chapters)
    found = sorted((-_sureness(group, pairs), group) for group in grouped(pairs, len(looked_at)))
    new = (
        _suggestion(group, -unsure, looked_at, measured, links)
        for unsure, group in found
        if len(group) >= FEWEST
        and -unsure >= LEAST_SURE
        and not told.knows([looked_at[place].id for place in group])
    )
    return list(islice(new, max(0, most)))


def _sureness(group: list[int], pairs: Pairs) -> float:
    """How alike the members are; the larger of two groups that are so equally is less likely to be chance."""
    return cohesion(group, pairs) * (1 - 1 / len(group))


def _newest(memories: Iterable[Memory]) -> list[Seen]:
    """The newest memories that still hold, in order of time."""
    kept: list[Seen] = []
    for memory in memories:
        if not memory.superseded_by:
            (heappush if len(kept) < LOOKED_AT else heappushpop)(kept, seen(memory))
    return sorted({one.id: one for one in sorted(kept)}.values())


def _links(memories: Sequence[Seen], edges: Iterable[Edge]) -> Mapping[int, set[int]]:
    places = {one.id: place for place, one in enumerate(memories)}
    links: defaultdict[int, set[int]] = defaultdict(set)
    for source, target, _ in edges:
        if source in places and target in places and source != target:
            links[places[source]].add(places[target])
            links[places[target]].add(places[source])
    return links


class _Told:
    """What chapters tell already."""

    def __init__(self, chapters: Iterable[Collection[str]]) -> None:
        self._chapters: defaultdict[str, list[int]] = defaultdict(list)
        for number, members in enumerate(chapters):
            for member in members:
                self._chapters[member].append(number)

    def knows(self, members: Sequence[str]) -> bool:
        """Whether more than half of these stand in one chapter."""
        counts: defaultdict[int, int] = defaultdict(int)
        for member in members:
            for number in self._chapters.get(member, ()):
                counts[number] += 1
        return any(count * 2 > len(members) for count in counts.values())


def _suggestion(
    group: Sequence[int],
    sureness: float,
    memories: Sequence[Seen],
    measured: Sequence[Traits | None],
    links: Mapping[int, set[int]],
) -> Suggestion:
    members = [memories[place] for place in group]
    aims = [Aim(one.goal, one.tags) for one in members]
    rare = {memories[place].id: one.names for place in group if (one := measured[place])}
    within = sum(len(links.get(place, set[int]()).intersection(group)) for place in group) // 2
    return Suggestion(
        memory_ids=tuple(one.id for one in members),
        goals=tuple(one.goal for one in members),
        title=title_of(aims, headings(aims)),
        reason=reason(members, within, lambda one: rare[one.id]),
        tags=tags(members),
        sureness=round(sureness, 3),
    )
