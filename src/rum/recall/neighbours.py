"""Neighbours of memories: made before and after in a session of ordinary size, or linked."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from rum.recall import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.store.search import Described

NOBODY = 0  # The key for a missing neighbour, at both ends of a session; no memory has it


_ALONE = (NOBODY, NOBODY, NOBODY, NOBODY)


class Neighbourhood:
    """The neighbours of each memory, by key, of those that the store has described."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        """The sessions that are known."""
        self.asking: set[int] = set()
        """The memories in sessions of ordinary size whose goal asks a question."""
        self._around: dict[int, tuple[int, int, int, int]] = {}
        self._linked: defaultdict[int, list[int]] = defaultdict(list)
        self._known: set[int] = set()

    def learn(self, described: Described) -> None:
        """Add the neighbours of described memories."""
        new = {one.row.key for one in described.memories} - self._known
        self._known |= new
        self.sessions.update(one.row.session_id for one in described.memories)
        for signed in described.sessions:
            if len(signed) >= limits.SHORTEST:
                keys = list(map(abs, signed))
                self.asking.update(-key for key in signed if key < 0)
                order = (NOBODY, NOBODY, *keys, NOBODY, NOBODY)
                # For each key: one before, one after, two before, two after.
                places = zip(order[1:], order[3:], order, order[4:], strict=False)
                self._around.update(zip(keys, places, strict=False))
        for one, other in described.links:
            if one in new:
                self._linked[one].append(other)
            if other in new:
                self._linked[other].append(one)

    def around(self, key: int) -> tuple[int, int, int, int]:
        """The memories one step before and after in the session, then two steps; `NOBODY` for none."""
        return self._around.get(key, _ALONE)

    def linked(self, key: int) -> list[int]:
        """The first distinct memories it is linked to, without its neighbours in the session."""
        if key not in self._linked:
            return []
        beside = {key, *self.around(key)}
        linked = (other for other in dict.fromkeys(self._linked[key]) if other not in beside)
        return list(islice(linked, limits.LINKED))
