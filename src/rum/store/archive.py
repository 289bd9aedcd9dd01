"""What every store offers for the archive: old memories in little space, out of the way of the live ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


class Weighed(NamedTuple):
    """A live memory and what speaks against archiving it: nothing (''), or one word."""

    memory_id: str
    superseded: bool
    against: str


class Archive(Protocol):
    """Memories that are kept packed, with an index of their own."""

    def count(self) -> int:
        """How many there are: quick, as every recall asks."""
        ...

    def weigh(self, before: int, importance: float) -> Iterator[list[Weighed]]:
        """Every live memory, oldest first, in batches.

        Against one speaks that it was made or changed since `before` (`young`), is at least so important
        (`important`), left something to do that no later success settled (`follow_ups`), or is linked to one
        made since (`linked`). Against one that others supersede speaks only that it is young.
        """
        ...

    def put(self, ids: Sequence[str], now: int) -> int:
        """Archive memories, all in one transaction; how many still were live."""
        ...

    def take_back(self, ids: Sequence[str]) -> int:
        """Make archived memories live again, in one transaction; how many were archived."""
        ...
