"""The data file of the built-in model: a header with a checksum, then named, memory-mapped arrays."""

from __future__ import annotations

import json
import mmap
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

MAGIC = b"RUMVEC\x00\x01"
PREFIX = 16  # Bytes of the magic number, a checksum of all that follows it, and the length of the JSON header
ALIGNMENT = 64

_CHUNK = 1 << 20

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]


class DamagedError(ValueError):
    """The data file is damaged."""


class DataFile:
    """An open data file; its arrays are read from disk on access."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            header, start = _checked_header(file)
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.arrays: Arrays = {}
        for name, (kind, shape, offset) in header.items():
            flat = np.frombuffer(self._mapped, kind, int(np.prod(shape)), start + offset)
            self.arrays[name] = flat.reshape(shape)

    def release(self) -> None:
        """Free the memory of pages read so far; another access reads them again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


def _checked_header(file: BinaryIO) -> tuple[dict[str, tuple[str, list[int], int]], int]:
    """The header, and where the arrays begin."""
    prefix = file.read(PREFIX)
    if len(prefix) < PREFIX or not prefix.startswith(MAGIC):
        raise DamagedError("it is not a RUM model file")
    expected, length = (int.from_bytes(prefix[start : start + 4], "little") for start in (8, 12))
    raw = file.read(length)
    checksum = zlib.crc32(raw, zlib.crc32(prefix[12:]))
    while chunk := file.read(_CHUNK):
        checksum = zlib.crc32(chunk, checksum)
    if checksum != expected:
        raise DamagedError("its checksum is wrong")
    return json.loads(raw), PREFIX + length
