"""Keep numpy's matrix products on the calling thread while a model runs.

OpenBLAS splits a product over all cores, which then wait for each other. If another program keeps one core
busy (a build, a test run), a product of 10 ms can take 500 ms. So each call uses one core; to use more,
call from several threads.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

_SYMBOL_PATTERNS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


class _RunningCalls:
    """The number of running calls, and OpenBLAS's thread count before the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.threads_before = 1


_running_calls = _RunningCalls()


@contextmanager
def single_threaded_blas() -> Generator[None]:
    """Within this context matrix products run on the calling thread.

    The last context to exit restores the thread count.
    """
    get_threads, set_threads = _controls()
    with _running_calls.lock:
        if not _running_calls.count:
            _running_calls.threads_before = get_threads()
            set_threads(1)
        _running_calls.count += 1
    try:
        yield
    finally:
        with _running_calls.lock:
            _running_calls.count -= 1
            if not _running_calls.count:
                set_threads(_running_calls.threads_before)


@cache
def _controls() -> tuple[Callable[[], int], Callable[[int], object]]:
    """Getter and setter of OpenBLAS's thread count; they do nothing with another library."""
    # In the wheel's library folder, or linked into numpy's C extension.
    folder, core = Path(np.__file__).parent, find_spec("numpy._core._multiarray_umath")
    paths = [*folder.with_name("numpy.libs").glob("*openblas*"), *folder.glob(".dylibs/*openblas*")]
    paths += [Path(core.origin)] if core and core.origin else []
    for path in paths:
        with suppress(OSError):
            library = ctypes.CDLL(str(path))
            for pattern in _SYMBOL_PATTERNS:
                get_threads = getattr(library, pattern.format("get_num_threads"), None)
                set_threads = getattr(library, pattern.format("set_num_threads"), None)
                if get_threads and set_threads:
                    return get_threads, set_threads
    return (lambda: 1), (lambda _: None)
