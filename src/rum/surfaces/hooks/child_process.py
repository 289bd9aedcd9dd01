"""Start a process that outlives the hook: no window, and nothing of the client's left open in it."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LATE, REST = "--late", "--rest"
"""What another process is told that goes on for a hook: since when, and where to read on."""
_MARK = "intake.started"
_AGAIN = 3.0
"""Seconds within which what a second process would take in has most likely been taken in by the first."""


def take_in(folder: str, home: str, *, at_once: bool) -> None:
    """Have a project's spool taken in, unless somebody was started for that just now."""
    mark = os.path.join(folder, _MARK)
    now = time.time()
    if not at_once and 0 <= now - _changed(mark) < _AGAIN:
        return
    handle = os.open(mark, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    os.close(handle)
    os.utime(mark, (now, now))
    _start(["tidy", "--spool", folder], {**os.environ, "RUM_HOME": home})


def go_on(client: str, at: float, payload: bytes, *, is_whole: bool) -> None:
    """Have another process do what this one had no time for; what is not whole it reads on by itself."""
    arguments = ["hook", client, LATE, repr(at)]
    if not payload and not is_whole:
        _start(arguments, dict(os.environ), 0)
    elif payload and (is_whole or os.name != "nt"):
        with _readable(payload) as source:
            rest = None if is_whole else source + 1
            told = [] if rest is None else [REST, str(rest)]
            _start([*arguments, *told], dict(os.environ), source, rest)


def can_hand_over_much() -> bool:
    """Whether another process can be given more than a pipe holds, without a file."""
    return hasattr(os, "memfd_create")


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


class _readable:  # noqa: N801 (reads as a function)
    """A descriptor from which another process reads these bytes; they never come to lie on a disk."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __enter__(self) -> int:
        if can_hand_over_much():
            self._end = os.memfd_create("rum-hook")
            os.write(self._end, self._data)
            os.lseek(self._end, 0, os.SEEK_SET)
            return self._end
        self._end, writing = os.pipe()
        try:
            os.set_blocking(writing, False)
            if os.write(writing, self._data) < len(self._data):
                raise OSError("a pipe does not hold that much")
        except BaseException:
            os.close(self._end)
            raise
        finally:
            os.close(writing)
        return self._end

    def __exit__(self, *_: object) -> None:
        os.close(self._end)


def _start(
    arguments: Sequence[str], environment: dict[str, str], source: int | None = None, rest: int | None = None
) -> None:
    """Start `rum` with something to read; as `rest` it finds what this process was told and did not read."""
    if not sys.executable or getattr(sys, "frozen", False):
        return  # an interpreter inside another program, which is no way to start one
    # -P: the current folder may be a stranger's repository, and no module must come from there.
    command = [sys.executable, "-P", "-m", "rum", *arguments]
    if os.name == "nt":
        _start_on_windows(command, environment, source)
        return
    reading = os.open(os.devnull, os.O_RDONLY) if source is None else source
    writing = os.open(os.devnull, os.O_WRONLY)
    actions = [
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_DUP2, writing, 2),
        # Its number may be that of `writing`, which was used by now; what it stands for is replaced next.
        *([] if rest is None else [(os.POSIX_SPAWN_DUP2, 0, rest)]),
        (os.POSIX_SPAWN_DUP2, reading, 0),
        *((os.POSIX_SPAWN_CLOSE, handle) for handle in _inherited() if handle != rest),
    ]
    os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True)


def _inherited() -> list[int]:
    """What the client left open in this process and would be left open in the next."""
    found: list[int] = []
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):
            with suppress(OSError, ValueError):
                if int(name) > 2 and os.get_inheritable(int(name)):
                    found.append(int(name))
    return found


def _start_on_windows(command: list[str], environment: dict[str, str], source: int | None) -> None:
    import subprocess  # noqa: PLC0415 (slow to load, and posix_spawn does without)

    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL if source is None else source,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=flags,
    )
