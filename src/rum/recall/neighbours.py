"""Neighbours of memories: made before and after in a session of ordinary size, or linked."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from rum.recall import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.store.search import Described

NOBODY = 0  # The key for a missing neighbour, at both ends of a session; no memory has it


class Neighbourhood:
    """The neighbours of each memory, by key, of those that the store has described."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        """The sessions that are known."""
        self._orders: dict[int, tuple[int, ...]] = {}
        """The keys of a memory's session, oldest first, with `NOBODY` twice at each end; by key."""
        self._linked: defaultdict[int, list[int]] = defaultdict(list)
        self._known: set[int] = set()

    def learn(self, described: Described) -> None:
        """Add the neighbours of described memories."""
        new = {one.row.key for one in described.memories} - self._known
        self._known |= new
        self.sessions.update(one.row.session_id for one in described.memories)
        for keys in described.sessions:
            if len(keys) >= limits.SHORTEST:
                order = (NOBODY, NOBODY, *keys, NOBODY, NOBODY)
                self._orders.update(dict.fromkeys(keys, order))
        for one, other in described.links:
            if one in new:
                self._linked[one].append(other)
            if other in new:
                self._linked[other].append(one)

    def around(self, key: int) -> tuple[int, int, int, int]:
        """The memories one step before and after in the session, then two steps; `NOBODY` for none."""
        order = self._orders.get(key)
        if order is None:
            return NOBODY, NOBODY, NOBODY, NOBODY
        at = order.index(key)
        return order[at - 1], order[at + 1], order[at - 2], order[at + 2]

    def linked(self, key: int) -> list[int]:
        """The first distinct memories it is linked to, without its neighbours in the session."""
        if key not in self._linked:
            return []
        beside = {key, *self.around(key)}
        linked = (other for other in dict.fromkeys(self._linked[key]) if other not in beside)
        return list(islice(linked, limits.LINKED))
