"""What hooks left to be taken in: a file a session, a line an event, each appended whole by one write."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress
from zlib import crc32

from rum.settings.home import ensure_private_dir, file_lock

FOLDER = "spool"
UNCLAIMED = "unclaimed"
"""The folder for lines whose project could not be told; their `cwd` says whose they are."""
LONGEST_LINE = 64 * 1024
LARGEST_FILE = 4 * 1024 * 1024
"""Bytes after which a session goes on in its next file."""

_MOST_PARTS = 64
_ENDING, _TAKEN = ".jsonl", ".taken"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST_NAME = 80
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}
"""What Windows takes for a device, whatever ending follows."""
_TRIES, _PAUSE = 12, 0.001
"""How often a file is asked for that is taken away, and by how many seconds longer is waited each time."""
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PATIENCE = 0.05


class TooMuch(OSError):
    """There is more in the spool than is ever left there; nothing takes it in."""


def folders(home: str, project_id: str, directory: str) -> tuple[str, ...]:
    """Where the lines of a project lie: in its own folder, else beside it, else in the temporary one."""
    own = os.path.join(directory, FOLDER)
    return own, os.path.join(home, FOLDER, project_id), os.path.join(_temporary(home), project_id)


def unclaimed_folders(home: str) -> tuple[str, ...]:
    """Where lines lie whose project could not be told."""
    return os.path.join(home, FOLDER, UNCLAIMED), os.path.join(_temporary(home), UNCLAIMED)


def _temporary(home: str) -> str:
    """A folder of this user for this home, in the system's folder for temporary files."""
    system = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")  # noqa: S108
    user = os.getuid() if hasattr(os, "getuid") else ""
    return os.path.join(system, f"rum-{user}-{crc32(os.fsencode(home)):08x}")


def file_name(session: str) -> str:
    """A session's id as the name of a file on every system."""
    if 0 < len(session) <= _LONGEST_NAME and _PLAIN.issuperset(session) and session not in _DEVICES:
        return session
    plain = re.sub(r"[^a-z0-9]+", "_", session.lower())[:60].strip("_")
    return f"{plain or 'session'}-{crc32(session.encode('utf-8', 'surrogatepass')):08x}"


def keep(places: tuple[str, ...], session: str, line: bytes) -> tuple[str | None, OSError | None]:
    """Append a line in the first folder where that can be done: which one, and why not in the first."""
    first: OSError | None = None
    for folder in places:
        try:
            append(folder, session, line)
        except OSError as error:
            first = first or error
        else:
            return folder, first
    return None, first


def append(folder: str, session: str, line: bytes) -> None:
    """Add one line, which ends with a line break, to a session's file; OSError if it is not all there."""
    if len(line) > LONGEST_LINE:
        raise TooMuch(errno.EMSGSIZE, "the line is too long", folder)
    _open_folder(folder)
    for tries in range(_TRIES):
        if _appended(_current(folder, file_name(session)), line):
            return
        time.sleep(tries * _PAUSE)
    raise OSError(errno.EAGAIN, "the file was taken away again and again", folder)


def _open_folder(folder: str) -> None:
    ensure_private_dir(folder)
    if not _is_ours(os.lstat(folder), 0o077):
        raise PermissionError(errno.EPERM, "the folder is not ours alone", folder)


def _is_ours(state: os.stat_result, barred: int) -> bool:
    """Whether a folder is ours, and others may not do with it what is `barred`.

    Where everybody may write, as in /tmp, somebody else may have made it beforehand.
    """
    if not stat.S_ISDIR(state.st_mode):
        return False
    return not hasattr(os, "getuid") or (state.st_uid == os.getuid() and not state.st_mode & barred)


def files_of(folder: str, session: str) -> list[str]:
    """A session's files in a folder that are to be taken in, in the order in which they were filled."""
    found: list[str] = []
    for path in _parts(folder, file_name(session)):
        if not os.path.isfile(path):
            break
        found.append(path)
    return found


def _parts(folder: str, name: str) -> list[str]:
    parts = ("", *(f".{part}" for part in range(1, _MOST_PARTS)))
    return [os.path.join(folder, f"{name}{part}{_ENDING}") for part in parts]


def _current(folder: str, name: str) -> str:
    """The file to add to: the last one of the session that is not full."""
    for path in _parts(folder, name):
        try:
            if os.stat(path).st_size < LARGEST_FILE:
                return path
        except FileNotFoundError:
            return path
    raise TooMuch(errno.EFBIG, "too many events are waiting there", folder)


def _appended(path: str, line: bytes) -> bool:
    """Add a line; False when the file was taken away meanwhile, so that the line may not be seen."""
    if os.name == "nt":  # where appending is not one step
        with file_lock(f"{path}.lock", _PATIENCE):
            return _write(path, line)
    return _write(path, line)


def _write(path: str, line: bytes) -> bool:
    handle = os.open(path, _WRITE | _SAFELY, 0o600)
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", path)
        # The line break in front ends a line that somebody could not finish.
        written = os.write(handle, b"\n" + line)
        if written <= len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        with suppress(FileNotFoundError):
            there = os.stat(path)
            return (there.st_dev, there.st_ino) == (state.st_dev, state.st_ino)
        return False
    finally:
        os.close(handle)


def spools(folder: str) -> list[str]:
    """The files of a folder of ours in which lines may lie, oldest first."""
    try:
        if not _is_ours(os.lstat(folder), 0o022):
            return []  # what others can put there would become memories
        paths = [entry.path for entry in os.scandir(folder) if _holds_lines(entry)]
    except OSError:
        return []
    return sorted(paths, key=_age)


def _holds_lines(entry: os.DirEntry[str]) -> bool:
    """Whether it is a file as we make them: a pipe would keep whoever reads it waiting, a link lead away."""
    return entry.name.endswith((_ENDING, _TAKEN)) and entry.is_file(follow_symlinks=False)


def _age(path: str) -> tuple[float, str]:
    try:
        return os.stat(path).st_mtime, path
    except OSError:
        return 0.0, path


def complete_lines(path: str, offset: int = 0, most: int = 2 * LARGEST_FILE) -> tuple[list[bytes], int]:
    """The whole lines of a file from an offset on, as many as fit in `most` bytes, and where they end."""
    with open(path, "rb") as file:
        file.seek(offset)
        data = file.read(most)
    end = data.rfind(b"\n") + 1
    if not end and len(data) == most:
        return [], offset + most  # nothing of ours is that long
    return [line for line in data[:end].split(b"\n") if line], offset + end


def remove(path: str, offset: int) -> bool:
    """Remove a file that was taken in up to an offset; False when there is more in it by now.

    It is renamed first, under a name that `spools` gives too: whoever adds to it at that moment notices and
    writes the line again. So nothing is lost, but a line may come twice.
    """
    taken = path if path.endswith(_TAKEN) else f"{path}.{os.urandom(4).hex()}{_TAKEN}"
    try:
        os.rename(path, taken)
        rest, _ = complete_lines(taken, offset)
        if rest:
            return False
        os.unlink(taken)
    except OSError:  # on Windows, while somebody has it open
        return False
    return True
