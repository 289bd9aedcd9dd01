"""Write files that others edit too: one writer at a time, replaced whole, never through a link outside."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress

from rum.model.errors import InvalidQuery, StorageError
from rum.settings.home import file_lock, read_bounded, write_whole

PATIENCE = 30.0
"""Seconds to wait for other writers of the same file."""


def inside(folder: str, path: str) -> str:
    """Where `path` really lies, links followed; refused when that is outside `folder`.

    A repository may hold a link to anything its author likes to see read or overwritten.
    """
    real, top = os.path.realpath(path), os.path.realpath(folder)
    if os.path.normcase(real).startswith(os.path.normcase(os.path.join(top, ""))):
        return real
    raise InvalidQuery(
        f"{path} leads out of {folder}, and nothing is read or written there. Put a file in its place.",
        path=path,
    )


@contextmanager
def locked(path: str, patience: float = PATIENCE) -> Generator[None]:
    """Be the only one, among processes and threads, who writes to `path`; its folder must be there.

    The lock is a file `.NAME.lock` beside it, which is gone afterwards (on Windows it stays).
    """
    folder, name = os.path.split(path)
    lock = os.path.join(folder, f".{name}.lock")
    with ExitStack() as held:
        try:
            _enter(held, lock, patience)
        except TimeoutError:
            raise StorageError(
                f"Others have been writing to {path} for {patience:g} s; nothing was changed. Try again.",
                path=path,
            ) from None
        except OSError as error:
            raise _failed(path, error) from error
        yield


def replace(path: str, data: bytes) -> None:
    """Put `data` in the place of a file: synced, then renamed, so that no reader sees half of it.

    It keeps the permissions that the file had; a new one gets the usual ones.
    """
    try:
        kept = _permissions(path)
        write_whole(path, data, kept or 0o666, exactly=kept is not None)
    except OSError as error:
        raise _failed(path, error) from error


def read(path: str, limit: int) -> bytes | None:
    """What a file holds, None where there is none; refused when it is another thing or over `limit` bytes."""
    try:
        return read_bounded(path, limit)[0]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise StorageError(f"{path} cannot be used: {error}.", path=path) from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}.", path=path) from error


def make_folder(path: str) -> None:
    """Make a folder, and those above it, unless it is there."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _failed(path, error) from error


def _enter(held: ExitStack, lock: str, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        handle = held.enter_context(file_lock(lock, max(0.0, deadline - time.monotonic())))
        if _is_named(lock, handle):
            held.callback(_remove, lock)
            return
        held.close()  # whoever had the lock took its file away: the next one is another file


def _is_named(lock: str, handle: int) -> bool:
    if os.name == "nt":
        return True
    try:
        return os.path.samestat(os.lstat(lock), os.fstat(handle))
    except FileNotFoundError:
        return False


def _remove(lock: str) -> None:
    """Leave nothing behind in a folder that people commit; Windows removes no file that is open."""
    if os.name != "nt":
        with suppress(OSError):
            os.unlink(lock)


def _permissions(path: str) -> int | None:
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    return None


def _failed(path: str, error: OSError) -> StorageError:
    return StorageError(f"{path}: {error.strerror or error}. Nothing was changed.", path=path)
