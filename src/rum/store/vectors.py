"""What every store offers for vectors: kept by model, compared by the store, and derived, so they may lag."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from rum.store.packed_vectors import Floats


class VectorCounts(NamedTuple):
    """How far a model has come."""

    done: int
    pending: int
    refused: int  # How many of those done it cannot embed


class VectorState(NamedTuple):
    """What a question needs to know about the vectors of a model before it is embedded."""

    live: bool  # Whether any live memory has a vector
    archived: bool  # Whether any archived memory has a vector
    pending: bool  # Whether any memory has no vector yet
    # Factor and offset for the model's cosines; None if nobody has measured them.
    scale: tuple[float, float] | None


class Nearest(NamedTuple):
    """(key, cosine) of the memories nearest to a vector, nearest first."""

    live: list[tuple[int, float]]
    archived: list[tuple[int, float]]


class Vectors(Protocol):
    """Vectors of memories; those of different models never meet."""

    def adopt(self, model: str, now: int, patience: float | None = None) -> None:
        """Note that a model is in use: from now on the store knows which memories it has yet to see.

        `patience` is how long other writers are waited for, if not as long as usual.
        """
        ...

    def record_use(self, model: str, now: int, before: int) -> None:
        """Note that a model is in use if that was last noted before then; nobody is waited for."""
        ...

    def pending(self, model: str, most: int, among: Collection[int] | None = None) -> list[str]:
        """Memories without a vector of a model, the one stored last first; or those among some, by key."""
        ...

    def put(
        self, model: str, vectors: Iterable[tuple[str, int, bytes]], patience: float | None = None
    ) -> int:
        """Keep (memory id, version, data) for memories that still are of that version; how many were.

        The data are of `packed_vectors`. The model must have been adopted. A vector that is there stays:
        it goes when its memory changes.
        Empty data says that the model cannot embed the memory, which then waits for no vector and has none.
        """
        ...

    def state(self, model: str) -> VectorState:
        """Whether there are vectors of a model, whether some are missing, and the scale of its cosines."""
        ...

    def nearest(self, model: str, vector: Floats, live: int, archived: int = 0) -> Nearest:
        """Up to that many live and archived memories nearest to a unit vector.

        Memories whose vectors are being replaced are left out, and those at a right angle or beyond.
        """
        ...

    def cosines(self, model: str, vector: Floats, keys: Collection[int]) -> dict[int, float]:
        """How near memories are to a unit vector, by key, for those with a vector of its length."""
        ...

    def keep_scale(self, model: str, scale: tuple[float, float], patience: float | None = None) -> None:
        """Note what was measured of a model's cosines; it goes with its vectors."""
        ...

    def counts(self, model: str) -> VectorCounts:
        """How many memories have a vector of a model, how many wait for one, how many it cannot embed."""
        ...

    def models(self) -> list[str]:
        """The models in use."""
        ...

    def drop_unused(self, kept: str, before: int) -> int:
        """Delete the vectors of other models that nobody used since then; how many."""
        ...

    def requeue(self, *, drop: bool = False) -> None:
        """Find out again which memories have no vector; `drop` deletes every vector first."""
        ...
