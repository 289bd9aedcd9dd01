"""Failures of hooks, which have nobody to report to: a log for `doctor` and the next brief."""

from __future__ import annotations

import json
import os
from collections import namedtuple
from contextlib import suppress

from rum.settings.home import ensure_private_dir, read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Problem(NamedTuple):
        """What failed, in words; when last, in Unix seconds; and how often it was noted."""

        what: str
        last: int
        times: int

else:
    # `typing` is slow to load.
    Problem = namedtuple("Trouble", ("what", "last", "times"))

RECENT = 7 * 86400
"""Seconds for which a trouble is worth telling."""

_FILE, _REPORTED = "trouble.log", "trouble.told"
_LIMIT = 16 * 1024
_LONGEST = 300


def record_problem(places: tuple[str, ...], what: str, now: float) -> None:
    """Note that something failed, in the first folder where that can be done; never raises an OSError."""
    line = json.dumps({"at": int(now), "what": what[:_LONGEST]}).encode() + b"\n"
    for folder in places:
        with suppress(OSError):
            ensure_private_dir(folder)
            path = os.path.join(folder, _FILE)
            if _size(path) < _LIMIT:
                _append(path, b"\n" + line)
            return


def recent_problems(places: tuple[str, ...], now: float) -> list[Problem]:
    """What failed of late, the last one first."""
    found: dict[str, Problem] = {}
    for folder in places:
        for at, what in _entries(os.path.join(folder, _FILE)):
            if at > now - RECENT:
                before = found.get(what, Problem(what, 0, 0))
                found[what] = Problem(what, max(at, before.last), before.times + 1)
    return sorted(found.values(), key=lambda trouble: -trouble.last)


def report_once(places: tuple[str, ...], now: float) -> str | None:
    """A sentence about what failed since this was asked last; None when nothing did."""
    new = [trouble for trouble in recent_problems(places, now) if trouble.last > _last_report(places)]
    if not new:
        return None
    for folder in places:
        with suppress(OSError):
            ensure_private_dir(folder)
            handle = os.open(os.path.join(folder, _REPORTED), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                os.write(handle, str(new[0].last).encode())
            finally:
                os.close(handle)
            break
    more = f" and {len(new) - 1} more" if len(new) > 1 else ""
    return f"RUM could not record events: {new[0].what}{more}; run `rum doctor`."


def forget(places: tuple[str, ...], before: float) -> None:
    """Remove notes whose trouble was over by then."""
    for folder in places:
        path = os.path.join(folder, _FILE)
        entries = _entries(path)
        if entries and max(at for at, _ in entries) < before:
            for name in (_FILE, _REPORTED):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _last_report(places: tuple[str, ...]) -> int:
    """When it was told last: in whichever place that could be noted then."""
    last = 0
    for folder in places:
        with suppress(OSError, ValueError):
            last = max(last, int(read_bounded(os.path.join(folder, _REPORTED), 100)[0]))
    return last


def _entries(path: str) -> list[tuple[int, str]]:
    try:
        raw, _ = read_bounded(path, 2 * _LIMIT)
    except (OSError, ValueError):
        return []
    found: list[tuple[int, str]] = []
    for line in raw.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            one = json.loads(line)
            found.append((int(one["at"]), str(one["what"])[:_LONGEST]))
    return found


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _append(path: str, line: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)
