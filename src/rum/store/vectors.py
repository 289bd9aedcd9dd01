"""What every store offers for vectors: kept by model, numbered as they come, and derived, so they may lag."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

Vector = tuple[int, bytes]
"""A vector's number, and its data."""


class VectorCounts(NamedTuple):
    """How far a model has come."""

    done: int
    pending: int


class Vectors(Protocol):
    """Vectors of memories; those of different models never meet."""

    def adopt(self, model: str, now: int, patience: float | None = None) -> None:
        """Note that a model is in use: from now on the store knows which memories it has yet to see.

        `patience` is how long other writers are waited for, if not as long as usual.
        """
        ...

    def renew(self, model: str, now: int, before: int) -> None:
        """Note that a model is in use if that was last noted before then; nobody is waited for."""
        ...

    def pending(self, model: str, most: int) -> list[str]:
        """Memories without a vector of a model, the one stored last first."""
        ...

    def put(
        self, model: str, vectors: Iterable[tuple[str, int, bytes]], patience: float | None = None
    ) -> int:
        """Keep (memory id, version, data) for memories that still are of that version; how many were.

        The model must have been adopted. A vector that is there stays: it goes when its memory changes.
        Empty data says that the model cannot embed the memory, which then waits for no vector and has none.
        """
        ...

    def any(self, model: str) -> bool:
        """Whether any memory has a vector of a model."""
        ...

    def since(self, model: str, number: int, most: int) -> list[Vector]:
        """The vectors kept after that number, in order; a renewed one has a new number."""
        ...

    def of(self, model: str, memories: Collection[int]) -> dict[int, bytes]:
        """The vectors of memories, by their numbers, as far as they have one; empty if none can be made."""
        ...

    def numbers(self, model: str, memories: Collection[int]) -> dict[int, int]:
        """The numbers of the vectors that live memories have now, by the memories' numbers."""
        ...

    def waiting(self, model: str, memories: Collection[int]) -> set[int]:
        """Which of the memories, by their numbers, have yet to get a vector, or another one."""
        ...

    def owners(self, numbers: Sequence[int]) -> dict[int, int]:
        """The numbers of the memories these vectors are of; one that was replaced or went is left out."""
        ...

    def scale(self, model: str) -> tuple[float, float] | None:
        """What a model's cosines are multiplied by, and what is added; None while nobody measured it."""
        ...

    def keep_scale(self, model: str, scale: tuple[float, float], patience: float | None = None) -> None:
        """Note what was measured of a model's cosines; it goes with its vectors."""
        ...

    def counts(self, model: str) -> VectorCounts:
        """How many memories have a vector of a model, and how many have none."""
        ...

    def refused(self, model: str) -> int:
        """How many memories the model cannot embed."""
        ...

    def models(self) -> list[str]:
        """The models in use."""
        ...

    def drop_unused(self, kept: str, before: int) -> int:
        """Delete the vectors of other models that nobody used since then; how many."""
        ...

    def mend(self) -> None:
        """Find out anew which memories have no vector."""
        ...

    def drop_all(self) -> None:
        """Delete every vector, so that all are made anew."""
        ...

    def origin(self) -> object:
        """A mark that changes when the whole store was exchanged, as by a backup: numbers start over."""
        ...
