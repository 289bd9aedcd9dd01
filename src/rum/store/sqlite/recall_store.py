"""The part of a store that recall without vectors needs, on databases that a hook opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rum.store.sqlite.activity import SqliteActivity
from rum.store.sqlite.archive import SqliteArchive
from rum.store.sqlite.connect import storage_errors
from rum.store.sqlite.memories import SqliteLinks, SqliteMemories
from rum.store.sqlite.records import Row
from rum.store.sqlite.search import SqliteSearch

if TYPE_CHECKING:
    from rum.store.sqlite.readonly import ReadOnlyDatabase


class _Activity(SqliteActivity):
    """The file of activity as far as it can be read; a missing or damaged one has no rows."""

    def __init__(self, database: ReadOnlyDatabase) -> None:
        opened: Any = database
        super().__init__(opened)

    def _rows(self, statement: str, values: Any = ()) -> list[Row]:
        try:
            return super()._rows(statement, values)
        except (sqlite3.Error, FileNotFoundError):
            return []


class RecallStore:
    """Reads memories, links and their index."""

    def __init__(self, memories: ReadOnlyDatabase, activity: ReadOnlyDatabase) -> None:
        database: Any = memories  # readers use only the connection of a database
        self.memories = SqliteMemories(database)
        self.archive = SqliteArchive(database, self.memories)
        self.search = SqliteSearch(database, self.memories)
        self.links = SqliteLinks(database)
        self.activity = _Activity(activity)

    def errors(self) -> AbstractContextManager[None]:
        return storage_errors("rum.db")
