"""The store backends that the contract suite runs against.

A backend is one line of BACKENDS: "module:function". The function gets a folder, and opens the store of a
project there; opened again with the same folder, it is the same store, as another process would open it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from rum.store.base import Store

BACKENDS = {
    "sqlite": "support.sqlite_backend:open_store",
}


def opener_of(backend: str) -> Callable[[Path], Store]:
    module, _, function = BACKENDS[backend].partition(":")
    return getattr(import_module(module), function)
