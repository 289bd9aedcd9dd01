"""RUM's own folder: private to its owner, with atomic writes and file locks."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import contextmanager, suppress

from rum.model.errors import InvalidQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


_FIRST_READ = 65536
# Windows refuses to replace a file while another process reads it, which takes only a moment.
_REPLACE_TRIES = 50


def find_home(flags: Mapping[str, object], environ: Mapping[str, str], cwd: str | None = None) -> str:
    """RUM's folder as an absolute path: the flag, else `RUM_HOME`, else `.rum` in the user's home."""
    user = environ.get("USERPROFILE" if os.name == "nt" else "HOME") or os.path.expanduser("~")
    configured = str(flags.get("home") or "") or environ.get("RUM_HOME", "")
    path = os.path.expanduser(configured) if configured else os.path.join(user, ".rum")
    if not configured and not os.path.isabs(path):
        raise InvalidQuery("No home directory is known. Set RUM_HOME to a folder of your own.", field="home")
    path = absolute(path, cwd)
    if path == os.path.dirname(path) or os.path.realpath(path) == os.path.realpath(user):
        raise InvalidQuery(
            f"RUM_HOME is {path}, which contains other files. Set it to a folder for RUM alone.", field="home"
        )
    return path


def absolute(path: str, base: str | None) -> str:
    """A path resolved against `base`, by default the current directory; `~` is the user's home."""
    path = os.path.expanduser(path)
    if not os.path.isabs(path):
        try:
            path = os.path.join(base or os.getcwd(), path)
        except FileNotFoundError:
            raise InvalidQuery(f"The current directory does not exist, so {path} has no base.") from None
    return os.path.normpath(path)


def ensure_private_dir(path: str) -> None:
    """Create a folder, and missing ones above it, for its owner alone; restrict an existing one."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        tighten(path)
    except FileNotFoundError:
        above = os.path.dirname(path)
        if os.path.isdir(above):  # as in /proc, where nothing can be created
            raise
        ensure_private_dir(above)
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)


def tighten(path: str) -> None:
    """Restrict an existing folder to its owner, if the system allows it."""
    mode = os.stat(path).st_mode
    if not stat.S_ISDIR(mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    # A sticky folder is shared on purpose, like /tmp: restricting it would lock out all others.
    if mode & 0o077 and not mode & stat.S_ISVTX and os.name != "nt":
        with suppress(OSError):
            os.chmod(path, stat.S_IMODE(mode) & 0o700)


def read_bounded(path: str, limit: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and its stat result; ValueError if it is not one or too large."""
    # A pipe in place of the file must not block until there is a writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise ValueError("it is not a regular file")
        # Most files are small; allocating memory for the limit would take longer than reading them.
        data = file.read(min(limit + 1, _FIRST_READ))
        if len(data) == _FIRST_READ:
            data += file.read(limit + 1 - _FIRST_READ)
    if len(data) > limit:
        raise ValueError(f"it is larger than {limit // 1024} kB")
    return data, state


def write_private(path: str, data: bytes) -> None:
    """Write a file atomically, readable by its owner alone."""
    write_whole(path, data, 0o600)


def write_whole(path: str, data: bytes, mode: int, *, exactly: bool = False) -> None:
    """Write a file atomically and flush it to disk; if that fails, the old file stays.

    Its permissions are `mode` minus the umask, or with `exactly` just `mode`.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with open(handle, "wb") as file:
            if exactly and os.name != "nt":
                os.fchmod(handle, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _replace(temporary: str, path: str) -> None:
    for left in range(_REPLACE_TRIES, -1, -1):
        try:
            return os.replace(temporary, path)
        except PermissionError:
            if os.name != "nt" or not left:
                raise
            time.sleep(0.02)
    return None


def _sync_folder(folder: str) -> None:
    """A rename survives a power cut only once its folder is on disk; Windows cannot sync folders."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def file_lock(path: str, patience: float = 30.0) -> Generator[int]:
    """Hold a lock between processes and threads; TimeoutError after `patience` seconds.

    The kernel releases it when the holder ends, even if killed; the file stays. Yields the locked
    descriptor. A symbolic link in the file's place is refused: it could lead anywhere.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        _wait_for_lock(handle, path, patience)
        try:
            yield handle
        finally:
            # Closing is not enough: a forked child may hold the same open file.
            _unlock(handle)
    finally:
        os.close(handle)


def _wait_for_lock(handle: int, path: str, patience: float) -> None:
    deadline = time.monotonic() + patience
    pause = 0.001
    while True:
        try:
            return _try_lock(handle)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                raise TimeoutError(errno.ETIMEDOUT, "the lock is held by another process", path) from None
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
