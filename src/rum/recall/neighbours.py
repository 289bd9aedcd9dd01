"""Which memories belong together: made one after the other in a session of ordinary size, or linked."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import NamedTuple

from rum.recall import limits
from rum.store.filters import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.store.base import Store

_WHOEVER = Filters(superseded=True)
NOBODY = 0
"""Stands where the first and the last of a session have no neighbour; no memory has this number."""


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
        self._orders: dict[int, tuple[int, ...]] = {}
        """All of a session in order of time, by each of them, with nobody twice at either end."""
        self._linked: defaultdict[int, list[int]] = defaultdict(list)
        self._asked: set[str] = set()

    def learn(self, memories: Iterable[Neighbour]) -> None:
        """Look up who stands next to memories, unless it is known."""
        new = [one for one in memories if one.memory_id not in self._asked]
        self._asked.update(one.memory_id for one in new)
        self._learn_sessions({one.session_id for one in new} - self._sessions)
        self._learn_links({one.memory_id: one.number for one in new})

    def _learn_sessions(self, sessions: set[str]) -> None:
        self._sessions |= sessions
        found = self._store.search.in_sessions(sessions, limits.TOGETHER) if sessions else []
        for numbers in found:
            if len(numbers) >= limits.SHORTEST:
                order = (NOBODY, NOBODY, *numbers, NOBODY, NOBODY)
                self._orders.update(dict.fromkeys(numbers, order))

    def _learn_links(self, numbers: dict[str, int]) -> None:
        edges = self._store.links.of(sorted(numbers)) if numbers else []
        ends = {end for edge in edges for end in edge[:2]} - numbers.keys()
        outside = self._store.search.by_ids(sorted(ends), _WHOEVER) if ends else []
        known = numbers | {row[0]: row[4] for row in outside}
        for one, other, *_ in edges:
            if one in numbers and other in known:
                self._linked[numbers[one]].append(known[other])
            if other in numbers and one in known:
                self._linked[numbers[other]].append(known[one])

    def around(self, number: int) -> tuple[int, int, int, int]:
        """The memories one step before and after one in its session, and two steps; 0 where there is none."""
        order = self._orders.get(number)
        if order is None:
            return NOBODY, NOBODY, NOBODY, NOBODY
        at = order.index(number)
        return order[at - 1], order[at + 1], order[at - 2], order[at + 2]

    def linked(self, number: int) -> list[int]:
        """Some of the memories one is linked to, each once; not those next to it anyway."""
        if number not in self._linked:
            return []
        beside = {number, *self.around(number)}
        linked = (other for other in dict.fromkeys(self._linked[number]) if other not in beside)
        return list(islice(linked, limits.LINKED))
