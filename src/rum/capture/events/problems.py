"""A log of failures of hooks, which cannot report them: `doctor` and the next brief do."""

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
        """A message, the time it was last recorded in Unix seconds, and how often."""

        what: str
        last: int
        times: int

else:
    # `typing` is slow to load.
    Problem = namedtuple("Problem", ("what", "last", "times"))

RECENT = 7 * 86400  # Seconds for which a problem is reported

_FILE, _REPORTED = "trouble.log", "trouble.told"
_LIMIT = 16 * 1024
_MAX_MESSAGE = 300


def record_problem(places: tuple[str, ...], what: str, now: float) -> None:
    """Record a failure in the first folder that can be written; never raises an OSError."""
    line = json.dumps({"at": int(now), "what": what[:_MAX_MESSAGE]}).encode() + b"\n"
    for folder in places:
        with suppress(OSError):
            ensure_private_dir(folder)
            path = os.path.join(folder, _FILE)
            # A hook that fails at every call must not fill the disk.
            if _size(path) < _LIMIT:
                _append(path, b"\n" + line)
            return


def recent_problems(places: tuple[str, ...], now: float) -> list[Problem]:
    """The problems of the last days, the latest first."""
    found: dict[str, Problem] = {}
    for folder in places:
        for at, what in _entries(os.path.join(folder, _FILE)):
            if at > now - RECENT:
                before = found.get(what, Problem(what, 0, 0))
                found[what] = Problem(what, max(at, before.last), before.times + 1)
    return sorted(found.values(), key=lambda problem: -problem.last)


def report_once(places: tuple[str, ...], now: float) -> str | None:
    """A sentence about problems since the last report; None if there are none."""
    new = [problem for problem in recent_problems(places, now) if problem.last > _last_report(places)]
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


def delete_problems(places: tuple[str, ...], before: float) -> None:
    """Delete logs whose last entry is older than `before`."""
    for folder in places:
        path = os.path.join(folder, _FILE)
        entries = _entries(path)
        if entries and max(at for at, _ in entries) < before:
            for name in (_FILE, _REPORTED):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _last_report(places: tuple[str, ...]) -> int:
    """The time of the last report, in whichever folder it could be recorded."""
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
            found.append((int(one["at"]), str(one["what"])[:_MAX_MESSAGE]))
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
