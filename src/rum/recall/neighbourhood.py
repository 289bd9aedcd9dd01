"""Which memories belong together: made one after the other in a session of ordinary size, or linked."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby, islice
from typing import NamedTuple

from rum.recall import weights
from rum.store.filters import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.store.base import Store

_WHOEVER = Filters(superseded=True)


class Neighbour(NamedTuple):
    """A memory as far as its neighbours are concerned."""

    memory_id: str
    session_id: str
    number: int


class Neighbourhood:
    """The memories next to each one, by number."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sessions: set[str] = set()
        self._order: dict[int, tuple[list[int], int]] = {}
        self._linked: defaultdict[int, list[int]] = defaultdict(list)
        self._asked: set[str] = set()
        self.ids: dict[int, str] = {}
        """The ids of the memories that were met, by number."""

    def learn(self, memories: Iterable[Neighbour]) -> None:
        """Look up who stands next to memories, unless it is known."""
        new = [one for one in memories if one.memory_id not in self._asked]
        self._asked.update(one.memory_id for one in new)
        self.ids.update((one.number, one.memory_id) for one in new)
        self._learn_sessions({one.session_id for one in new} - self._sessions)
        self._learn_links({one.memory_id: one.number for one in new})

    def _learn_sessions(self, sessions: set[str]) -> None:
        self._sessions |= sessions
        found = self._store.search.in_sessions(sorted(sessions), weights.TOGETHER) if sessions else []
        for _, rows in groupby(found, key=lambda row: row[3]):
            members = list(rows)
            if len(members) < weights.SHORTEST:
                continue
            numbers = [row[4] for row in members]
            self.ids.update((row[4], row[0]) for row in members)
            self._order.update((number, (numbers, at)) for at, number in enumerate(numbers))

    def _learn_links(self, numbers: dict[str, int]) -> None:
        edges = self._store.links.of(sorted(numbers)) if numbers else []
        ends = {end for edge in edges for end in edge[:2]} - numbers.keys()
        outside = self._store.search.by_ids(sorted(ends), _WHOEVER) if ends else []
        self.ids.update((row[4], row[0]) for row in outside)
        known = numbers | {row[0]: row[4] for row in outside}
        for one, other, *_ in edges:
            if one in numbers and other in known:
                self._linked[numbers[one]].append(known[other])
            if other in numbers and one in known:
                self._linked[numbers[other]].append(known[one])

    def of(self, number: int, distance: int) -> list[int]:
        """The memories so many steps before and after one in its session."""
        numbers, at = self._order.get(number, ([], 0))
        return [numbers[step] for step in (at - distance, at + distance) if 0 <= step < len(numbers)]

    def linked(self, number: int) -> list[int]:
        """Some of the memories one is linked to, each once; not those next to it anyway."""
        beside = {number, *self.of(number, 1), *self.of(number, 2)}
        linked = (other for other in dict.fromkeys(self._linked.get(number, ())) if other not in beside)
        return list(islice(linked, weights.LINKED))
