"""The part of a store that recall without vectors needs, on databases that a hook opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rum.store.sqlite.connect import storage_errors
from rum.store.sqlite.memories import SqliteArchive, SqliteMemories
from rum.store.sqlite.records import SqliteStatements
from rum.store.sqlite.search import SqliteSearch
from rum.store.tables.activity import ActivityTable
from rum.store.tables.memories import LinkTable

if TYPE_CHECKING:
    from rum.store.sqlite.readonly import ReadOnlyDatabase
    from rum.store.tables.statements import Row


class _ActivityStatements(SqliteStatements):
    """The file of activity as far as it can be read; a missing or damaged one has no rows."""

    def rows(self, statement: str, values: Any = ()) -> list[Row]:
        try:
            return super().rows(statement, values)
        except (sqlite3.Error, FileNotFoundError):
            return []


class RecallStore:
    """Reads memories, links and their index."""

    def __init__(self, memories: ReadOnlyDatabase, activity: ReadOnlyDatabase) -> None:
        database: Any = memories  # readers use only the connection of a database
        statements = SqliteStatements(database)
        self.memories = SqliteMemories(statements)
        self.archive = SqliteArchive(statements, self.memories)
        self.search = SqliteSearch(database, self.memories)
        self.links = LinkTable(statements)
        opened: Any = activity
        self.activity = ActivityTable(_ActivityStatements(opened))

    def errors(self, *, reads: bool = False) -> AbstractContextManager[None]:  # noqa: ARG002
        return storage_errors("rum.db")
