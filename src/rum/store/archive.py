"""What every store offers for the archive: old memories in little space, out of the way of the live ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from rum.store.vectors import Vector


class Weighed(NamedTuple):
    """A live memory and what speaks against archiving it: nothing (''), or one word."""

    memory_id: str
    superseded: bool
    against: str


class ArchivedVectors(Protocol):
    """Vectors of archived memories, numbered as they come here."""

    def any(self, model: str) -> bool:
        """Whether any archived memory has a vector of a model."""
        ...

    def since(self, model: str, number: int, most: int) -> list[Vector]:
        """The vectors that came after that number, in order."""
        ...

    def owners(self, numbers: Sequence[int]) -> dict[int, int]:
        """The numbers of the memories whose vectors these are; one that went is left out."""
        ...

    def origin(self) -> object:
        """A mark that changes when the whole store was exchanged, as by a backup: numbers start over."""
        ...


class Archive(Protocol):
    """Memories that are kept packed, with an index of their own."""

    @property
    def vectors(self) -> ArchivedVectors:
        """What archived memories mean, as numbers."""
        ...

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

    def reindex(self, left_out: Callable[[str], None]) -> None:
        """Make the index of the archive anew, all at once; `left_out` is told of what cannot be read."""
        ...

    def among(self, numbers: Iterable[int]) -> set[int]:
        """Which of the memories with these numbers are archived."""
        ...

    def existing(self, terms: Iterable[str]) -> list[str]:
        """Which of the terms the index of the archive holds."""
        ...

    def holders(self, term: str, cap: int) -> list[int]:
        """The numbers of the archived memories that hold a term, the one stored last first."""
        ...

    def holders_beside(self, term: str, others: Iterable[str]) -> list[int]:
        """The numbers of the archived memories that hold a term and any of the others."""
        ...

    def newest_with(self, terms: Iterable[str], cap: int) -> list[int]:
        """The numbers of the archived memories with every term, the one stored last first."""
        ...
