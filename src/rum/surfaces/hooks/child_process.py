"""Start a process that outlives the hook: no window, no inherited handles of the client."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

# Options of the process that continues a hook: its start time, and the handle with the unread rest.
LATE, REST = "--late", "--rest"
_MARK = "intake.started"
# Seconds in which no second intake is started: the first one most likely processes everything.
_RESTART_AFTER = 3.0


def start_intake(folder: str, home: str, *, at_once: bool) -> None:
    """Start a process that processes a project's spool, unless one was just started."""
    mark = os.path.join(folder, _MARK)
    now = time.time()
    with suppress(OSError):  # there is no mark yet
        if not at_once and 0 <= now - os.stat(mark).st_mtime < _RESTART_AFTER:
            return
    handle = os.open(mark, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    os.close(handle)
    os.utime(mark, (now, now))
    _start(["tidy", "--spool", folder], {**os.environ, "RUM_HOME": home})


def start_successor(client: str, at: float, payload: bytes, *, is_whole: bool) -> None:
    """Start a process that finishes this hook's work; it reads the rest of an incomplete payload itself."""
    arguments = ["hook", client, LATE, repr(at)]
    if not payload and not is_whole:
        _start(arguments, dict(os.environ), 0)
    elif payload and (is_whole or os.name != "nt"):
        with _readable_bytes(payload) as source:
            rest = None if is_whole else source + 1
            options = [] if rest is None else [REST, str(rest)]
            _start([*arguments, *options], dict(os.environ), source, rest)


def can_pass_large_payload() -> bool:
    """Whether a child process can receive more bytes than a pipe holds, without a file."""
    return hasattr(os, "memfd_create")


@contextmanager
def _readable_bytes(data: bytes) -> Generator[int]:
    """A descriptor from which a child process reads these bytes; they never touch the disk."""
    if can_pass_large_payload():
        reading = os.memfd_create("rum-hook")
        os.write(reading, data)
        os.lseek(reading, 0, os.SEEK_SET)
    else:
        reading, writing = os.pipe()
        try:
            os.set_blocking(writing, False)
            if os.write(writing, data) < len(data):
                raise OSError("a pipe does not hold that much")
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
    try:
        yield reading
    finally:
        os.close(reading)


def _start(
    arguments: Sequence[str], environment: dict[str, str], source: int | None = None, rest: int | None = None
) -> None:
    """Start `rum` with `source` as its stdin; its handle `rest` is the stdin of this process, partly read."""
    if not sys.executable or getattr(sys, "frozen", False):
        return  # RUM runs inside another program, which cannot be started as an interpreter
    # -P: no module may be imported from the current folder, which may be a stranger's repository.
    command = [sys.executable, "-P", "-m", "rum", *arguments]
    if os.name == "nt":
        _start_on_windows(command, environment, source)
        return
    stdin = os.open(os.devnull, os.O_RDONLY) if source is None else source
    writing = os.open(os.devnull, os.O_WRONLY)
    actions = [
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_DUP2, writing, 2),
        # Its number may be that of `writing`, which is no longer needed here; stdin is replaced next.
        *([] if rest is None else [(os.POSIX_SPAWN_DUP2, 0, rest)]),
        (os.POSIX_SPAWN_DUP2, stdin, 0),
        *((os.POSIX_SPAWN_CLOSE, handle) for handle in _inheritable_handles() if handle != rest),
    ]
    # A session of its own, as a client may kill the process group of its hooks.
    os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True)


def _inheritable_handles() -> list[int]:
    """Handles that the client left open and the child would inherit."""
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
