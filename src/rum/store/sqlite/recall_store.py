"""As much of a store as a recall by words reads, over files that a hook has opened to read."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rum.store.sqlite.activity import SqliteActivity
from rum.store.sqlite.archive import SqliteArchive
from rum.store.sqlite.connect import storage_errors
from rum.store.sqlite.memories import SqliteLinks, SqliteMemories
from rum.store.sqlite.search import SqliteSearch

if TYPE_CHECKING:
    from rum.store.sqlite.readonly import ReadOnlyDatabase


class RecallStore:
    """Memories, links and their index, to be read."""

    def __init__(self, memories: ReadOnlyDatabase, activity: ReadOnlyDatabase) -> None:
        database: Any = memories  # reading takes no more of a database than its connection
        self.memories = SqliteMemories(database)
        self.archive = SqliteArchive(database, self.memories)
        self.search = SqliteSearch(database, self.memories)
        self.links = SqliteLinks(database)
        uses: Any = activity
        self.activity = SqliteActivity(uses)

    def errors(self) -> AbstractContextManager[None]:
        return storage_errors("rum.db")
