"""A SQLite store in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rum.store.sqlite.store import SqliteStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "project"


@pytest.fixture
def store(folder: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(str(folder), patience=5)
    yield store
    store.close()
