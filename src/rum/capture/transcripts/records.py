"""The records of a file of JSON lines that somebody else writes: one at a time, none of them trusted."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from rum.capture.clients.values import as_dict

LONGEST = 8 * 1024 * 1024
"""Bytes of a line; a longer one is left out."""


def records(path: str, last: int | None = None) -> Iterator[dict[str, Any]]:
    """Each JSON object of a file that has one on each line; or only those of its last so many bytes."""
    for line in lines(path, last):
        if found := parsed(line):
            yield found


def lines(path: str, last: int | None = None) -> Iterator[bytes]:
    """Each line of a file that is not too long; or only those of its last so many bytes."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            return
        if last is not None and state.st_size > last:
            file.seek(state.st_size - last)
            file.readline(LONGEST)
        whole = True
        while line := file.readline(LONGEST):
            ended = line.endswith(b"\n")
            if whole:
                yield line
            whole = ended


def parsed(line: bytes) -> dict[str, Any]:
    """The object of a line; an empty one for anything else."""
    try:
        return as_dict(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def moment(value: object) -> float | None:
    """A time as clients write it, in Unix seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) / (1000 if value > 10**11 else 1) if 0 <= value < 10**14 else None
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    try:
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, OSError, ValueError):
        return None
