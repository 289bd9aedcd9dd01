"""The spool: events that hooks leave for later processing, one file a session and one line an event.

Each line is appended by a single write, so that hooks that run at the same time never mix their lines.
"""

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
# The folder for lines of an unknown project, which is found later from their `cwd`.
_UNCLAIMED = "unclaimed"
MAX_LINE = 64 * 1024
MAX_FILE = 4 * 1024 * 1024  # Bytes after which a session continues in its next file

_MAX_PARTS = 64
_ENDING, _CLAIMED = ".jsonl", ".taken"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_MAX_NAME = 80
# Names that Windows takes for devices, with any extension.
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}
# How often a line is written again after its file was removed, and the seconds added to each wait.
_TRIES, _PAUSE = 12, 0.001
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_APPEND
# Others may be able to write to a temporary folder: no links are followed, and no pipe is waited for.
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PATIENCE = 0.05


class TooMuch(OSError):
    """The spool is full: nothing processes it."""


def folders(home: str, project_id: str, directory: str) -> tuple[str, ...]:
    """The folders for the lines of a project, in the order in which they are tried."""
    own = os.path.join(directory, FOLDER)
    return own, os.path.join(home, FOLDER, project_id), os.path.join(_temporary(home), project_id)


def unclaimed_folders(home: str) -> tuple[str, ...]:
    """The folders for lines of an unknown project."""
    return os.path.join(home, FOLDER, _UNCLAIMED), os.path.join(_temporary(home), _UNCLAIMED)


def _temporary(home: str) -> str:
    """A folder for this user and this home in the system's temporary folder."""
    system = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")  # noqa: S108
    user = os.getuid() if hasattr(os, "getuid") else ""
    return os.path.join(system, f"rum-{user}-{crc32(os.fsencode(home)):08x}")


def file_name(session: str) -> str:
    """A session's id as a file name that is valid on every system."""
    if 0 < len(session) <= _MAX_NAME and _PLAIN.issuperset(session) and session not in _DEVICES:
        return session
    # The checksum keeps sessions apart whose names differ only in case or signs.
    plain = re.sub(r"[^a-z0-9]+", "_", session.lower())[:60].strip("_")
    return f"{plain or 'session'}-{crc32(session.encode('utf-8', 'surrogatepass')):08x}"


def write_line(places: tuple[str, ...], session: str, line: bytes) -> tuple[str | None, OSError | None]:
    """Append a line in the first folder that can be written; return it, and the error of the first folder."""
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
    """Append one line, which ends with a line break, to a session's file; OSError if it is not complete."""
    if len(line) > MAX_LINE:
        raise TooMuch(errno.EMSGSIZE, "the line is too long", folder)
    _open_folder(folder)
    for tries in range(_TRIES):
        if _append_line(_current(folder, file_name(session)), line):
            return
        time.sleep(tries * _PAUSE)
    raise OSError(errno.EAGAIN, "the file was removed again and again", folder)


def _open_folder(folder: str) -> None:
    ensure_private_dir(folder)
    if not _is_ours(os.lstat(folder), 0o077):
        raise PermissionError(errno.EPERM, "the folder is not ours alone", folder)


def _is_ours(state: os.stat_result, forbidden: int) -> bool:
    """Whether a folder belongs to this user, and others have none of the `forbidden` permissions.

    Where everybody may write, as in /tmp, somebody else may have created it before.
    """
    if not stat.S_ISDIR(state.st_mode):
        return False
    return not hasattr(os, "getuid") or (state.st_uid == os.getuid() and not state.st_mode & forbidden)


def files_of(folder: str, session: str) -> list[str]:
    """A session's files in a folder, in the order in which they were filled."""
    found: list[str] = []
    for path in _parts(folder, file_name(session)):
        if not os.path.isfile(path):
            break
        found.append(path)
    return found


def _parts(folder: str, name: str) -> list[str]:
    parts = ("", *(f".{part}" for part in range(1, _MAX_PARTS)))
    return [os.path.join(folder, f"{name}{part}{_ENDING}") for part in parts]


def _current(folder: str, name: str) -> str:
    """The file to append to: the first one of the session that is not full."""
    for path in _parts(folder, name):
        try:
            if os.stat(path).st_size < MAX_FILE:
                return path
        except FileNotFoundError:
            return path
    raise TooMuch(errno.EFBIG, "too many events are waiting there", folder)


def _append_line(path: str, line: bytes) -> bool:
    """Append a line; False if the file was removed meanwhile, so that the line may be lost."""
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
        # The line break in front ends a line that another process could not finish.
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
    """The spool files of a folder, oldest first; none if the folder may be another user's."""
    try:
        if not _is_ours(os.lstat(folder), 0o022):
            return []  # lines that others can write would become memories
        paths = [entry.path for entry in os.scandir(folder) if _holds_lines(entry)]
    except OSError:
        return []
    return sorted(paths, key=_age)


def _holds_lines(entry: os.DirEntry[str]) -> bool:
    """Whether it is a regular file with our extension: reading a pipe would block, a link leads elsewhere."""
    return entry.name.endswith((_ENDING, _CLAIMED)) and entry.is_file(follow_symlinks=False)


def _age(path: str) -> tuple[float, str]:
    try:
        return os.stat(path).st_mtime, path
    except OSError:
        return 0.0, path


def complete_lines(path: str, offset: int = 0, most: int = 2 * MAX_FILE) -> tuple[list[bytes], int]:
    """The complete lines of a file after an offset, at most `most` bytes, and the offset of their end."""
    with open(path, "rb") as file:
        file.seek(offset)
        data = file.read(most)
    end = data.rfind(b"\n") + 1
    if not end and len(data) == most:
        return [], offset + most  # no line of an event is that long
    return [line for line in data[:end].split(b"\n") if line], offset + end


def remove(path: str, offset: int) -> bool:
    """Remove a file that was processed up to an offset; False if it has more lines by then.

    It is renamed first, to a name that `spools` returns too: a hook that appends at that moment notices it
    and writes its line again. So no line is lost, but one may come twice.
    """
    taken = path if path.endswith(_CLAIMED) else f"{path}.{os.urandom(4).hex()}{_CLAIMED}"
    try:
        os.rename(path, taken)
        rest, _ = complete_lines(taken, offset)
        if rest:
            return False
        os.unlink(taken)
    except OSError:  # on Windows, while another process has it open
        return False
    return True
