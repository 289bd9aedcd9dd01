"""The vector interface of every store. Vectors are derived data, so some may be missing for a while."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from types import ModuleType

    from rum.store.packed_vectors import Floats


def packed_vectors() -> ModuleType:
    """The module that computes with vectors, loaded when it is needed: it loads numpy."""
    from rum.store import packed_vectors as module  # noqa: PLC0415

    return module


class VectorCounts(NamedTuple):
    """The numbers of memories with and without a vector of a model."""

    done: int
    pending: int
    refused: int  # How many of `done` the model cannot embed


class VectorState(NamedTuple):
    """The state of a model's vectors, read before a query is embedded."""

    live: bool  # Whether any live memory has a vector
    archived: bool  # Whether any archived memory has a vector
    pending: bool  # Whether any memory has no vector yet
    # Factor and offset for the model's cosines; None if they are not measured yet.
    scale: tuple[float, float] | None


class Nearest(NamedTuple):
    """(key, cosine) of the memories nearest to a vector, nearest first."""

    live: list[tuple[int, float]]
    archived: list[tuple[int, float]]


class Vectors(Protocol):
    """Vectors of memories; those of different models are never compared."""

    def adopt(self, model: str, now: int) -> None:
        """Record that a model is in use, and queue the memories without a vector of it."""
        ...

    def record_use(self, model: str, now: int, before: int) -> None:
        """Record that a model is in use, unless its last record is not older than `before`; never waits."""
        ...

    def pending(self, model: str, limit: int) -> list[str]:
        """The ids of memories without a vector of a model, newest first."""
        ...

    def put(self, model: str, vectors: Iterable[tuple[str, int, bytes]]) -> int:
        """Store (memory id, version, data) for memories that still have that version; return their number.

        The data are packed by `packed_vectors`. The model must have been adopted. An existing vector stays;
        it is deleted when its memory changes. Empty data mean that the model cannot embed the memory: it is
        no longer pending, and has no vector.
        """
        ...

    def packed(self, memory_id: str) -> dict[str, bytes]:
        """The data of a memory's vectors by model, as `put` takes them."""
        ...

    def state(self, model: str) -> VectorState:
        """Whether there are vectors of a model, whether some are missing, and the scale of its cosines."""
        ...

    def nearest(self, model: str, vector: Floats, live: int, archived: int = 0) -> Nearest:
        """The memories nearest to a unit vector: at most `live` live and `archived` archived ones.

        Memories whose vectors are being replaced are left out, and those with a cosine of 0 or less.
        """
        ...

    def cosines(self, model: str, vector: Floats, keys: Collection[int]) -> dict[int, float]:
        """The cosines of memories to a unit vector, by key; only of those with a vector of its length."""
        ...

    def keep_scale(self, model: str, scale: tuple[float, float]) -> None:
        """Store the scale of a model's cosines; it is deleted with its vectors."""
        ...

    def counts(self, model: str) -> VectorCounts:
        """The numbers of memories with a vector of a model, without one, and that it cannot embed."""
        ...

    def models(self) -> list[str]:
        """The models in use."""
        ...

    def drop_unused(self, kept: str, before: int) -> int:
        """Delete the vectors of other models than `kept` not used since `before`; return their number."""
        ...
