"""The stored form of vectors: a scale and one byte per dimension, a quarter of the size of floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

SCALE = 4  # Bytes of the factor for all dimensions
# Rows converted to floats at a time: they fit into the processor's cache, and are too few for numpy to start
# threads that would wait for each other.
_BLOCK = 256
_DIGITS = 5

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


def cosines(question: Floats, kept: Mapping[int, bytes]) -> dict[int, float]:
    """The cosines of stored vectors to a unit vector; vectors of another length are left out."""
    good = {name: data for name, data in kept.items() if len(data) == SCALE + len(question)}
    near = cosines_of(*read_packed(list(good.values()), len(question)), question)
    return dict(zip(good, near.tolist(), strict=True))


def read_packed(kept: Sequence[bytes], dimensions: int) -> tuple[NDArray[np.int8], Floats]:
    """The steps and scales of packed vectors, one row each."""
    rows = np.frombuffer(b"".join(kept), dtype=np.int8).reshape(len(kept), SCALE + dimensions)
    scales = np.ascontiguousarray(rows[:, :SCALE]).view("<f4")[:, 0].astype(np.float32)
    return rows[:, SCALE:], scales


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
