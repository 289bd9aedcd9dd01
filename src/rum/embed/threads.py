"""Keep numpy's matrix products on the calling thread while a model runs.

OpenBLAS splits a product over all cores, which then wait for each other. If another program keeps one core
busy (a build, a test run), 10 ms can become 500. So a call runs on one core; to use more cores, call from
several threads.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

_SPELLINGS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


class _Users:
    """The number of running calls, and OpenBLAS's thread count before the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.threads_before = 1


_users = _Users()


@contextmanager
def one_core() -> Generator[None]:
    """Products run on the calling thread; the old setting is restored when the last call ends."""
    get, put = _controls()
    with _users.lock:
        if not _users.count:
            _users.threads_before = get()
            put(1)
        _users.count += 1
    try:
        yield
    finally:
        with _users.lock:
            _users.count -= 1
            if not _users.count:
                put(_users.threads_before)


@cache
def _controls() -> tuple[Callable[[], int], Callable[[int], object]]:
    """Getter and setter of OpenBLAS's thread count; they do nothing with another library."""
    for path in _libraries():
        with suppress(OSError):
            library = ctypes.CDLL(str(path))
            for spelling in _SPELLINGS:
                get = getattr(library, spelling.format("get_num_threads"), None)
                put = getattr(library, spelling.format("set_num_threads"), None)
                if get and put:
                    return get, put
    return (lambda: 1), (lambda _: None)


def _libraries() -> Iterator[Path]:
    """Candidates for numpy's OpenBLAS: next to it in a wheel, or linked to its core."""
    folder = Path(np.__file__).parent
    yield from (*folder.with_name("numpy.libs").glob("*openblas*"), *folder.glob(".dylibs/*openblas*"))
    core = find_spec("numpy._core._multiarray_umath")
    if core and core.origin:
        yield Path(core.origin)
