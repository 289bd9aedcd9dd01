"""A lease on a project's idle work: one process at a time, and the others can tell which."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress

import msgspec

from rum.settings.home import file_lock

_FILE = "tidy.lock"
_FIRST = 1
"""Where the holder's name begins: on Windows the byte that is locked cannot be read by others."""


class Holder(msgspec.Struct, frozen=True):
    """Who is at work, as far as it can be read: process id and since when, in Unix seconds."""

    pid: int = 0
    since: int = 0


@contextmanager
def lease(folder: str, patience: float, now: int) -> Generator[Holder | None]:
    """Be the only one; gives None, or whoever kept the lease longer than `patience` seconds.

    It is the kernel's lock, so it ends with its holder, however that ends.
    """
    path = os.path.join(folder, _FILE)
    with ExitStack() as held:
        try:
            held.enter_context(file_lock(path, patience))
        except TimeoutError:
            yield _holder(path)
            return
        _sign(path, Holder(os.getpid(), now))
        yield None


def _sign(path: str, holder: Holder) -> None:
    with open(path, "r+b") as file:
        file.seek(_FIRST)
        file.write(msgspec.json.encode(holder))
        file.truncate()


def _holder(path: str) -> Holder:
    with suppress(OSError, msgspec.MsgspecError), open(path, "rb") as file:
        file.seek(_FIRST)
        return msgspec.json.decode(file.read(200), type=Holder)
    return Holder()
