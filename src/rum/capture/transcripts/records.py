"""Read files of JSON lines that other programs write, one record at a time, without trusting any of them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from rum.capture.clients.values import as_dict

MAX_LINE = 8 * 1024 * 1024  # Bytes; a longer line is skipped


def records(path: str, last: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a file, one a line; with `last`, only those in that many bytes at its end."""
    for line in lines(path, last):
        if found := parse_record(line):
            yield found


def lines(path: str, last: int | None = None) -> Iterator[bytes]:
    """Yield the lines of a file that are not too long; with `last`, those in that many bytes at its end."""
    # Without O_NONBLOCK, opening a named pipe would wait forever.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            return
        if last is not None and state.st_size > last:
            file.seek(state.st_size - last)
            file.readline(MAX_LINE)
        whole = True
        while line := file.readline(MAX_LINE):
            ended = line.endswith(b"\n")
            if whole:
                yield line
            whole = ended


def parse_record(line: bytes) -> dict[str, Any]:
    """The JSON object of a line; an empty one for anything else."""
    try:
        return as_dict(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def unix_time(value: object) -> float | None:
    """A time in Unix seconds, from ISO 8601 text or from seconds or milliseconds; None for anything else."""
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
