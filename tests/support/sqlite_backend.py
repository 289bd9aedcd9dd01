"""SQLite as a backend of the contract suite."""

from __future__ import annotations

from pathlib import Path

from rum.store.base import Store
from rum.store.sqlite.store import SqliteStore


def open_store(folder: Path) -> Store:
    return SqliteStore(str(folder / "project"), patience=5)
