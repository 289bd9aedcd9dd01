"""Write files that others edit too: under a lock, replaced as a whole, never through a link outside."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress

from rum.model.errors import InvalidQuery, StorageError
from rum.settings.home import file_lock, read_bounded, write_whole

LOCK_TIMEOUT = 30.0  # Seconds to wait for other writers of the same file


def inside(folder: str, path: str) -> str:
    """The real path with links resolved; refused if it is outside `folder`.

    A repository may contain a link to any file its author wants read or overwritten.
    """
    real, top = os.path.realpath(path), os.path.realpath(folder)
    if os.path.normcase(real).startswith(os.path.normcase(os.path.join(top, ""))):
        return real
    raise InvalidQuery(
        f"{path} leads out of {folder}, and nothing is read or written there. Put a file in its place.",
        path=path,
    )


@contextmanager
def locked(path: str, timeout: float = LOCK_TIMEOUT) -> Generator[None]:
    """Hold the lock of `path` among processes and threads; its folder must exist.

    The lock is a file `.NAME.lock` beside it, removed afterwards (on Windows it stays).
    """
    folder, name = os.path.split(path)
    lock = os.path.join(folder, f".{name}.lock")
    with ExitStack() as held:
        try:
            _enter(held, lock, timeout)
        except TimeoutError:
            raise StorageError(
                f"Others have been writing to {path} for {timeout:g} s; nothing was changed. Try again.",
                path=path,
            ) from None
        except OSError as error:
            raise _failed(path, error) from error
        yield


def replace(path: str, data: bytes, *, new_mode: int = 0o666) -> None:
    """Replace the content of a file: synced, then renamed, so that no reader sees half of it.

    The permissions of the file are kept; a new file gets `new_mode` minus the umask.
    """
    try:
        kept = _permissions(path)
        write_whole(path, data, kept or new_mode, exactly=kept is not None)
    except OSError as error:
        raise _failed(path, error) from error


def read(path: str, limit: int) -> bytes | None:
    """The content of a file, None if there is none; refused if it is no file or over `limit` bytes."""
    try:
        return read_bounded(path, limit)[0]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise StorageError(f"{path} cannot be used: {error}.", path=path) from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}.", path=path) from error


def make_folder(path: str) -> None:
    """Create a folder and its parents, unless it exists."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _failed(path, error) from error


def _enter(held: ExitStack, lock: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while True:
        handle = held.enter_context(file_lock(lock, max(0.0, deadline - time.monotonic())))
        if _is_named(lock, handle):
            held.callback(_remove, lock)
            return
        held.close()  # the former holder removed the lock file: the next one is another file


def _is_named(lock: str, handle: int) -> bool:
    if os.name == "nt":
        return True
    try:
        return os.path.samestat(os.lstat(lock), os.fstat(handle))
    except FileNotFoundError:
        return False


def _remove(lock: str) -> None:
    """Remove the lock from a folder that people commit; Windows cannot remove an open file."""
    if os.name != "nt":
        with suppress(OSError):
            os.unlink(lock)


def _permissions(path: str) -> int | None:
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    return None


def _failed(path: str, error: OSError) -> StorageError:
    return StorageError(f"{path}: {error.strerror or error}. Nothing was changed.", path=path)
