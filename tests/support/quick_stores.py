"""New stores that cost little: a migrated empty file is copied, and nothing waits for the disk.

The tests of the store and of its migrations do without, as they are about just that.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

from rum.store.sqlite.store import SqliteStore

_connect = sqlite3.connect
_filling = threading.Lock()


class _Unsynced(sqlite3.Connection):
    """A connection that leaves the time of writing to the operating system."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql.startswith("PRAGMA synchronous ="):
            sql = "PRAGMA synchronous = OFF"
        return super().execute(sql, *values)


@contextmanager
def quick_stores() -> Iterator[None]:
    """Meanwhile, new stores are copies, and no file is forced to the disk."""
    empty = _empty_stores()
    with patch.object(sqlite3, "connect", _quick_connect(empty)), patch.object(os, "fsync", lambda _: None):
        yield


@cache
def _empty_stores() -> dict[str, bytes]:
    """The content of each file of a store in which nothing was kept yet."""
    folder = Path(tempfile.mkdtemp())
    try:
        SqliteStore(str(folder)).close()
        return {path.name: path.read_bytes() for path in folder.glob("*.db")}
    finally:
        shutil.rmtree(folder)


def _quick_connect(empty: dict[str, bytes]) -> Any:
    def connect(database: str, **how: Any) -> sqlite3.Connection:
        address = urlsplit(str(database))
        if how.get("uri") and address.query == "mode=rwc":
            path = Path(unquote(address.path))
            with _filling:
                if path.name in empty and path.stat().st_size == 0:
                    path.write_bytes(empty[path.name])
        return _connect(database, **{"factory": _Unsynced, **how})

    return connect
