"""The store backends that the contract suite runs against, each with a function that opens it.

The function gets a folder, and opens the store of a project there; opened again with the same folder, it is
the same store, as another process would open it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rum.store.base import Store
from rum.store.sqlite.store import SqliteStore
from support import postgres


def _postgres(folder: Path) -> Store:
    from rum.store.postgres.store import PostgresStore

    return PostgresStore(postgres.dsn(), f"project of {folder}", patience=5)


BACKENDS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(str(folder / "project"), patience=5),
    "postgres": _postgres,
}
