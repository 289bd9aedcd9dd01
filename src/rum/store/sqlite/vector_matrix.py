"""The nearest of many vectors in memory: exactly while few, by binary codes and rescoring when many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rum.store.packed_vectors import SCALE, cosines_of, read_packed

LARGE = 6_000  # From here on codes choose the candidates; below, looking at every vector takes 1 ms at most
CANDIDATES = 3000  # How many vectors with the nearest codes are looked at, at least
SHARE = 25  # One in so many is looked at when there are more

_BLOCK = 256  # Rows whose codes are made at a time
_FIRST_ROOM = 1024

Floats = NDArray[np.float32]


class Matrix:
    """The vectors of one model, one byte a dimension, in the order of their numbers."""

    def __init__(self, dimensions: int, large: int = LARGE, *, model: str = "") -> None:
        self.dimensions = dimensions
        self.model = model
        self._large = large
        self._size = 0
        self.last = 0
        """The highest number seen."""
        self._numbers = np.empty(0, dtype=np.int64)
        self._scales = np.empty(0, dtype=np.float32)
        self._steps = np.empty((0, dimensions), dtype=np.int8)
        self._codes = _Codes(dimensions)

    def __len__(self) -> int:
        return self._size

    def add(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Take in numbered vectors; one that is not of this kind is left out."""
        self.last = max(self.last, rows[-1][0]) if rows else self.last
        good = [row for row in rows if len(row[1]) == SCALE + self.dimensions]
        numbers, kept = zip(*good, strict=True) if good else ((), ())
        start, self._size = self._size, self._size + len(good)
        self._make_room()
        steps, scales = read_packed(kept, self.dimensions)
        self._numbers[start : self._size] = numbers
        self._scales[start : self._size] = scales
        self._steps[start : self._size] = steps

    def _make_room(self) -> None:
        if self._size > len(self._numbers):
            room = max(_FIRST_ROOM, self._size * 2)  # what is not used takes no memory
            self._numbers = _longer(self._numbers, room)
            self._scales = _longer(self._scales, room)
            self._steps = _longer(self._steps, room)

    def drop(self, numbers: Sequence[int]) -> None:
        """Let vectors that are gone be found no more."""
        rows = np.searchsorted(self._numbers[: self._size], np.array(numbers, dtype=np.int64))
        self._scales[rows] = 0

    def cosines(self, question: Floats, numbers: Collection[int]) -> dict[int, float]:
        """How near the vectors with these numbers are, as far as they are here."""
        known, asked = self._numbers[: self._size], np.fromiter(numbers, dtype=np.int64)
        rows = np.searchsorted(known, asked)
        here = rows < np.searchsorted(known, asked, "right")
        asked, rows = asked[here], rows[here]
        near = cosines_of(self._steps[rows], self._scales[rows], question)
        return dict(zip(asked.tolist(), near.tolist(), strict=True))

    def nearest(self, question: Floats, most: int) -> list[tuple[int, float]]:
        """The numbers of the nearest vectors with their cosines, nearest first; none at a right angle.

        Of equally near ones the newest come first, so that every process finds the same.
        """
        steps, scales = self._steps[: self._size], self._scales[: self._size]
        if self._size <= self._large:
            rows, near = np.arange(self._size), cosines_of(steps, scales, question)
        else:
            rows = self._codes.nearest(steps, question, max(CANDIDATES, self._size // SHARE, 2 * most))
            near = cosines_of(steps[rows], scales[rows], question)
        if most < len(near):
            best = np.flatnonzero(near >= np.partition(near, -most)[-most])
            rows, near = rows[best], near[best]
        order = np.lexsort((-rows, -near))[:most]
        numbers = self._numbers[rows[order]].tolist()
        return [
            (number, cosine)
            for number, cosine in zip(numbers, near[order].tolist(), strict=True)
            if cosine > 0
        ]


class _Codes:
    """One bit a dimension: whether it is above zero."""

    def __init__(self, dimensions: int) -> None:
        self._size = 0
        # One row a word of 64 bits, so that each step runs over memory in order.
        self._words = np.empty((-(-dimensions // 64), 0), dtype=np.uint64)

    def nearest(self, steps: NDArray[np.int8], question: Floats, most: int) -> NDArray[np.intp]:
        """The rows whose codes differ least from the question's; of equal ones, those that came last."""
        self._follow(steps)
        apart = np.zeros(self._size, dtype=np.uint16)
        for word, code in zip(self._words, self._coded(question[np.newaxis]), strict=True):
            apart += np.bitwise_count(word[: self._size] ^ code)
        limit = np.searchsorted(np.bincount(apart).cumsum(), most)
        sure = np.flatnonzero(apart < limit)
        return np.concatenate([sure, np.flatnonzero(apart == limit)[len(sure) - most :]])

    def _follow(self, steps: NDArray[np.int8]) -> None:
        """Make the codes of the rows that came since."""
        if len(steps) > self._words.shape[1]:
            longer = np.empty((len(self._words), len(steps) * 5 // 4), dtype=np.uint64)
            longer[:, : self._size] = self._words[:, : self._size]
            self._words = longer
        for start in range(self._size, len(steps), _BLOCK):
            stop = min(start + _BLOCK, len(steps))
            self._words[:, start:stop] = self._coded(steps[start:stop])
        self._size = len(steps)

    def _coded(self, rows: NDArray[np.int8] | Floats) -> NDArray[np.uint64]:
        """The codes of rows, a column each."""
        bits = np.packbits(rows > 0, axis=1)
        whole = np.zeros((len(rows), len(self._words) * 8), dtype=np.uint8)
        whole[:, : bits.shape[1]] = bits
        return whole.view(np.uint64).T


def _longer(array: NDArray[Any], room: int) -> NDArray[Any]:
    """The same array with room for more rows."""
    longer = np.empty((room, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
