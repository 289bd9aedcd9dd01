"""Vectors as they are stored, a quarter of the size of floats, and the search for the nearest in memory.

Few are compared exactly; of many, binary codes choose the candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCALE = 4  # Bytes of the factor for all dimensions
# Rows converted to floats at a time: they fit into the processor's cache, and are too few for numpy to start
# threads that would wait for each other.
_BLOCK = 256
_DIGITS = 5
_FIRST_ROOM = 1024
LARGE = 6_000  # From this size on codes choose the candidates; below, comparing all takes at most 1 ms
CANDIDATES = 3000  # Minimum number of vectors compared exactly, those with the nearest codes
SHARE = 25  # In large matrices one of this many vectors is compared exactly

Floats = NDArray[np.float32]


def has_direction(vector: Floats) -> bool:
    """Whether a vector has a direction: it is not zero, and all its values are finite."""
    return bool(vector.any() and np.isfinite(vector).all())


def pack(vector: Floats) -> bytes:
    """The stored form of a vector: a scale that makes its length 1, then one byte per dimension.

    Empty for a vector without a direction.
    """
    if not has_direction(vector):
        return b""
    steps = np.rint(vector / np.abs(vector).max() * 127).astype(np.int8)
    length = float(np.linalg.norm(steps.astype(np.float32)))
    return np.array([1 / length], dtype="<f4").tobytes() + steps.tobytes()


def cosines(question: Floats, kept: Mapping[int, object]) -> dict[int, float]:
    """The cosines of stored vectors to a unit vector; damaged ones, or of another length, are left out."""
    size = SCALE + len(question)
    good = {name: data for name, data in kept.items() if isinstance(data, bytes) and len(data) == size}
    near = cosines_of(*read_packed(list(good.values()), len(question)), question)
    return dict(zip(good, near.tolist(), strict=True))


def read_packed(kept: Sequence[bytes], dimensions: int) -> tuple[NDArray[np.int8], Floats]:
    """The steps and scales of packed vectors, one row each."""
    rows = np.frombuffer(b"".join(kept), dtype=np.int8).reshape(len(kept), SCALE + dimensions)
    scales = np.ascontiguousarray(rows[:, :SCALE]).view("<f4")[:, 0].astype(np.float32)
    # Of a unit vector no step is larger than 1; a damaged scale makes the vector unlike all others.
    return rows[:, SCALE:], np.where((scales > 0) & (scales <= 1), scales, 0)


def cosines_of(steps: NDArray[np.int8], scales: Floats, question: Floats) -> Floats:
    """The cosine of every row."""
    near = np.empty(len(steps), dtype=np.float32)
    floats = np.empty((_BLOCK, len(question)), dtype=np.float32)
    for start in range(0, len(steps), _BLOCK):
        block = steps[start : start + _BLOCK]
        floats[: len(block)] = block
        np.dot(floats[: len(block)], question, out=near[start : start + len(block)])
    near *= scales
    # The last digits depend on the position of a row, and so on what else a process has read.
    return near.round(_DIGITS)


class Matrix:
    """The vectors of one model, one byte a dimension, in the order of their numbers."""

    def __init__(self, dimensions: int, large: int = LARGE, *, model: str = "") -> None:
        self.dimensions = dimensions
        self.model = model
        self._large = large
        self._size = 0
        self.last = 0
        """The highest number read."""
        self._numbers = np.empty(0, dtype=np.int64)
        self._scales = np.empty(0, dtype=np.float32)
        self._steps = np.empty((0, dimensions), dtype=np.int8)
        self._codes = _Codes(dimensions)

    def __len__(self) -> int:
        return self._size

    def add(self, rows: Sequence[tuple[int, object]]) -> None:
        """Add (number, data) rows; damaged ones, or of another length, are left out."""
        self.last = max(self.last, rows[-1][0]) if rows else self.last
        size = SCALE + self.dimensions
        good = [row for row in rows if isinstance(row[1], bytes) and len(row[1]) == size]
        numbers, kept = zip(*good, strict=True) if good else ((), ())
        start, self._size = self._size, self._size + len(good)
        self._make_room()
        steps, scales = read_packed(kept, self.dimensions)
        self._numbers[start : self._size] = numbers
        self._scales[start : self._size] = scales
        self._steps[start : self._size] = steps

    def _make_room(self) -> None:
        if self._size > len(self._numbers):
            room = max(_FIRST_ROOM, self._size * 2)  # unused rows take no physical memory
            self._numbers = _longer(self._numbers, room)
            self._scales = _longer(self._scales, room)
            self._steps = _longer(self._steps, room)

    def drop(self, numbers: Sequence[int]) -> None:
        """Exclude deleted vectors from the results."""
        rows = np.searchsorted(self._numbers[: self._size], np.array(numbers, dtype=np.int64))
        self._scales[rows] = 0

    def cosines(self, question: Floats, numbers: Collection[int]) -> dict[int, float]:
        """The cosines of the vectors with these numbers; unknown numbers are left out."""
        known, wanted = self._numbers[: self._size], np.fromiter(numbers, dtype=np.int64)
        rows = np.searchsorted(known, wanted)
        is_present = rows < np.searchsorted(known, wanted, "right")
        wanted, rows = wanted[is_present], rows[is_present]
        near = cosines_of(self._steps[rows], self._scales[rows], question)
        return dict(zip(wanted.tolist(), near.tolist(), strict=True))

    def nearest(self, question: Floats, limit: int) -> list[tuple[int, float]]:
        """The numbers of the nearest vectors with their cosines above 0, nearest first.

        Of equally near ones the newest come first, so that every process finds the same.
        """
        steps, scales = self._steps[: self._size], self._scales[: self._size]
        if self._size <= self._large:
            rows, near = np.arange(self._size), cosines_of(steps, scales, question)
        else:
            rows = self._codes.nearest(steps, question, max(CANDIDATES, self._size // SHARE, 2 * limit))
            near = cosines_of(steps[rows], scales[rows], question)
        if limit < len(near):
            best = np.flatnonzero(near >= np.partition(near, -limit)[-limit])
            rows, near = rows[best], near[best]
        order = np.lexsort((-rows, -near))[:limit]
        numbers = self._numbers[rows[order]].tolist()
        return [
            (number, cosine)
            for number, cosine in zip(numbers, near[order].tolist(), strict=True)
            if cosine > 0
        ]


class _Codes:
    """Binary codes: one bit per dimension, whether it is above zero."""

    def __init__(self, dimensions: int) -> None:
        self._size = 0
        # One row per word of 64 bits, so that each step reads memory in order.
        self._words = np.empty((-(-dimensions // 64), 0), dtype=np.uint64)

    def nearest(self, steps: NDArray[np.int8], question: Floats, limit: int) -> NDArray[np.intp]:
        """The rows whose codes differ least from the query's; of equal ones the last."""
        self._update(steps)
        distances = np.zeros(self._size, dtype=np.uint16)
        for word, code in zip(self._words, self._coded(question[np.newaxis]), strict=True):
            distances += np.bitwise_count(word[: self._size] ^ code)
        max_distance = np.searchsorted(np.bincount(distances).cumsum(), limit)
        sure = np.flatnonzero(distances < max_distance)
        return np.concatenate([sure, np.flatnonzero(distances == max_distance)[len(sure) - limit :]])

    def _update(self, steps: NDArray[np.int8]) -> None:
        """Compute the codes of rows added since the last call."""
        if len(steps) > self._words.shape[1]:
            longer = np.empty((len(self._words), len(steps) * 5 // 4), dtype=np.uint64)
            longer[:, : self._size] = self._words[:, : self._size]
            self._words = longer
        for start in range(self._size, len(steps), _BLOCK):
            stop = min(start + _BLOCK, len(steps))
            self._words[:, start:stop] = self._coded(steps[start:stop])
        self._size = len(steps)

    def _coded(self, rows: NDArray[np.int8] | Floats) -> NDArray[np.uint64]:
        """The codes of rows, one column each."""
        bits = np.packbits(rows > 0, axis=1)
        whole = np.zeros((len(rows), len(self._words) * 8), dtype=np.uint8)
        whole[:, : bits.shape[1]] = bits
        return whole.view(np.uint64).T


def _longer(array: NDArray[Any], room: int) -> NDArray[Any]:
    """A copy of the array with space for `room` rows."""
    longer = np.empty((room, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
