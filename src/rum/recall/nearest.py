"""The nearest of many kept vectors: all of them in memory, read as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from rum.recall.vector_scan import Floats, Matrix
    from rum.store.archive import ArchivedVectors
    from rum.store.vectors import Vectors

_SPARE = 16
"""Vectors looked at beyond those asked for, as some may have gone with their memory."""
_BATCH = 8192
_FIRST_GROWTH = 1000


class Nearby:
    """The vectors of the live memories, or of the archived ones, as far as they were read."""

    def __init__(self, vectors: Vectors | ArchivedVectors) -> None:
        self._vectors = vectors
        self._matrix: Matrix | None = None
        self._origin: object = None
        self._room = 0

    def __len__(self) -> int:
        return len(self._matrix or ())

    def any(self, model: str) -> bool:
        """Whether there is anything to be near to."""
        return self._matrix is not None or self._vectors.any(model)

    def cosines(self, model: str, question: Floats, numbers: Collection[int]) -> dict[int, float]:
        """How near the vectors with these numbers are to one, as far as they are among those here."""
        return self._up_to_date(model, len(question)).cosines(question, numbers)

    def nearest(self, model: str, question: Floats, most: int) -> list[tuple[int, float]]:
        """The numbers of the memories nearest to a vector with their cosines, nearest first."""
        ranked, owners = self._ranked(model, question, most + _SPARE)
        if len(owners) < min(most, len(ranked)):
            # More are gone than could be spared: what is in memory is too old.
            self._matrix = None
            ranked, owners = self._ranked(model, question, most)
        return [(owners[number], cosine) for number, cosine in ranked if number in owners][:most]

    def _ranked(
        self, model: str, question: Floats, most: int
    ) -> tuple[list[tuple[int, float]], dict[int, int]]:
        """The nearest vectors, and whose they are as far as they are still there."""
        matrix = self._up_to_date(model, len(question))
        ranked = matrix.nearest(question, most)
        owners = self._vectors.owners([number for number, _ in ranked])
        matrix.drop([number for number, _ in ranked if number not in owners])
        return ranked, owners

    def _up_to_date(self, model: str, dimensions: int) -> Matrix:
        """All vectors of the model: those of before, and what came since."""
        from rum.recall.vector_scan import Matrix  # noqa: PLC0415 (loads numpy)

        origin, matrix = self._vectors.origin(), self._matrix
        if (
            matrix is None
            or origin != self._origin
            or matrix.dimensions != dimensions
            or len(matrix) > self._room
        ):
            # Replaced vectors stay in memory until it has grown by half; then all are read anew.
            matrix, self._origin, self._room = Matrix(dimensions), origin, 0
        while rows := self._vectors.since(model, matrix.last, _BATCH):
            matrix.add(rows)
        self._room = self._room or len(matrix) * 3 // 2 + _FIRST_GROWTH
        self._matrix = matrix
        return matrix
