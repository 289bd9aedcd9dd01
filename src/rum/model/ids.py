"""TypeIDs: a prefix and a time-ordered UUID (v7) in 26 base32 characters."""

from __future__ import annotations

import os
import threading
import time

TAIL = 8
"""A unique tail of this many characters is enough to name a row."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_lock = threading.Lock()
_last = 0


def new_id(prefix: str, at: float | None = None) -> str:
    """A fresh id; ids made one after the other by one process sort in that order.

    `at` (Unix seconds) dates the id of something that happened earlier, such as an imported commit.
    """
    ticks = _next_ticks() if at is None else max(0, int(at * 1000)) << 12 | int.from_bytes(os.urandom(2)) >> 4
    random = int.from_bytes(os.urandom(8)) >> 2
    value = (ticks >> 12 & 0xFFFFFFFFFFFF) << 80 | 0x7 << 76 | (ticks & 0xFFF) << 64 | 0b10 << 62 | random
    return f"{prefix}_{_base32(value)}"


def _next_ticks() -> int:
    """Milliseconds and a 12-bit fraction of them, strictly growing within the process."""
    global _last
    now = time.time_ns()
    ticks = (now // 1_000_000) << 12 | (now % 1_000_000) * 4096 // 1_000_000
    with _lock:
        _last = max(_last + 1, ticks)
        return _last


def _base32(value: int) -> str:
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))
