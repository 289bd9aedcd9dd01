"""TypeIDs: a prefix and a time-ordered UUID (v7) in 26 base32 characters."""

from __future__ import annotations

import os
import threading
import time

TAIL = 8  # A unique tail of this many characters is enough to name a row

_LONGEST_TAIL = 200  # No id is as long, and SQLite compares no pattern of many thousand characters
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LAST = 2**48 - 1  # the last millisecond a UUID can tell, in the year 10889
_lock = threading.Lock()
_last = 0


def new_id(prefix: str, at: float | None = None) -> str:
    """A fresh id; ids made one after the other by one process sort in that order.

    `at` (Unix seconds) dates the id of something that happened earlier, such as an imported commit.
    """
    ticks = _next_ticks() if at is None else _dated(at, int.from_bytes(os.urandom(2)) >> 4)
    return _typed(prefix, ticks, int.from_bytes(os.urandom(8)) >> 2)


def id_of(prefix: str, name: str, at: float = 0) -> str:
    """The id of something that has a name already, such as a commit: always the same for the same name."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which making a fresh id does not need)

    digest = hashlib.sha256(f"{prefix}\0{name}".encode()).digest()
    ticks = _dated(at, int.from_bytes(digest[:2]) >> 4)
    return _typed(prefix, ticks, int.from_bytes(digest[2:10]) >> 2)


def tail_of(name: str) -> str | None:
    """The end of an id that a name gives, as it may be looked for; None if it can be that of none."""
    tail = name.rpartition("_")[2]
    return tail if TAIL <= len(tail) <= _LONGEST_TAIL and "%" not in tail else None


def _dated(at: float, fraction: int) -> int:
    return min(max(0, int(at * 1000)), _LAST) << 12 | fraction


def _typed(prefix: str, ticks: int, random: int) -> str:
    value = (ticks >> 12) << 80 | 0x7 << 76 | (ticks & 0xFFF) << 64 | 0b10 << 62 | random
    return f"{prefix}_" + "".join([_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5)])


def _next_ticks() -> int:
    """Milliseconds and a 12-bit fraction of them, strictly growing within the process."""
    global _last
    now = time.time_ns()
    ticks = (now // 1_000_000) << 12 | (now % 1_000_000) * 4096 // 1_000_000
    with _lock:
        _last = max(_last + 1, ticks)
        return _last
