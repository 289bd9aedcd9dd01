"""A project's memory in two files: `rum.db`, fully durable, and `activity.db`, which may lose a second."""

from __future__ import annotations

import os
import sqlite3
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TYPE_CHECKING

from rum.model.errors import StorageError
from rum.settings.home import file_lock
from rum.store.sqlite.activity import SqliteActivity
from rum.store.sqlite.agents import SqliteAgents
from rum.store.sqlite.archive import SqliteArchive
from rum.store.sqlite.captured_events import SqliteCapturedEvents
from rum.store.sqlite.connect import DAMAGED, Database, storage_errors
from rum.store.sqlite.facts import SqliteEvents, SqliteFacts, SqliteRules
from rum.store.sqlite.memories import SqliteLinks, SqliteMemories
from rum.store.sqlite.migrate import prepare
from rum.store.sqlite.offers import SqliteLedger
from rum.store.sqlite.queries import SQL
from rum.store.sqlite.records import SqliteHistory
from rum.store.sqlite.search import SqliteSearch
from rum.store.sqlite.upkeep import SqliteUpkeep
from rum.store.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from rum.store.sqlite.chapters import SqliteChapters, SqliteWisdom
    from rum.store.sqlite.knowledge import SqliteKnowledge

SCHEMA = {"rum": 12, "activity": 5}
"""The newest migration of each file."""


class SqliteStore:
    """The store of one project directory."""

    def __init__(self, directory: str, patience: float = 30.0) -> None:
        self.directory = directory
        self._rum = self._open("rum", durable=True, patience=patience)
        try:
            self._activity = self._open_activity(patience)
        except BaseException:
            self._rum.close()
            raise
        self.memories = SqliteMemories(self._rum)
        self.archive = SqliteArchive(self._rum, self.memories)
        self.links = SqliteLinks(self._rum)
        self.agents = SqliteAgents(self._rum)
        self.search = SqliteSearch(self._rum, self.memories)
        self.vectors = SqliteVectors(self._rum)
        self.history = SqliteHistory(self._rum)
        self.facts = SqliteFacts(self._rum)
        self.rules = SqliteRules(self._rum)
        self.events = SqliteEvents(self._activity)
        self.captured = SqliteCapturedEvents(self._activity)
        self.ledger = SqliteLedger(self._activity)
        self.activity = SqliteActivity(self._activity)
        self.upkeep = self.local_upkeep = SqliteUpkeep(self, self._rum, self._activity)

    def _open_activity(self, patience: float) -> Database:
        """Counts never stand in the way of a memory: a damaged file is put aside and begun anew."""
        try:
            return self._open("activity", durable=False, patience=patience)
        except StorageError as error:
            if not _is_damage(error) or not self.writable:
                raise
        path = os.path.join(self.directory, "activity.db")
        with file_lock(path + ".lock", patience):
            try:  # another process may have put it aside already
                return self._open("activity", durable=False, patience=patience)
            except StorageError as error:
                if not _is_damage(error):
                    raise
            os.replace(path, path + DAMAGED)
            for side in ("-wal", "-shm"):  # they belong to what was put aside
                with suppress(FileNotFoundError):
                    os.remove(path + side)
            return self._open("activity", durable=False, patience=patience)

    def _open(self, family: str, *, durable: bool, patience: float) -> Database:
        path = os.path.join(self.directory, f"{family}.db")
        return Database(path, partial(prepare, family, SCHEMA[family]), durable=durable, patience=patience)

    @property
    def chapters(self) -> SqliteChapters:
        """Memories that tell one story."""
        from rum.store.sqlite.chapters import SqliteChapters  # noqa: PLC0415 (most sessions meet none)

        return SqliteChapters(self._rum)

    @property
    def wisdom(self) -> SqliteWisdom:
        """What chapters say together."""
        from rum.store.sqlite.chapters import SqliteWisdom  # noqa: PLC0415

        return SqliteWisdom(self._rum)

    @property
    def knowledge(self) -> SqliteKnowledge:
        """The words of both."""
        from rum.store.sqlite.knowledge import SqliteKnowledge  # noqa: PLC0415

        return SqliteKnowledge(self._rum, self.chapters, self.wisdom)

    def has_chapters(self) -> bool:
        """Whether there is any chapter; quick, and nothing is loaded for it."""
        return bool(self._rum.connection.execute(SQL["any_chapter"]).fetchone()[0])

    @property
    def writable(self) -> bool:
        """Whether anything can be written here."""
        return self._rum.access == "write"

    def transaction(self) -> AbstractContextManager[object]:
        """Several changes to memories, links and agents as one."""
        return self._rum.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        """Several reads of one state."""
        return self._rum.snapshot()

    def errors(self) -> AbstractContextManager[None]:
        """Turn the backend's errors into StorageError."""
        return storage_errors(self._rum.path)

    def refresh(self) -> None:
        """See what others wrote, also where the files can only be read."""
        self._rum.refresh()
        self._activity.refresh()

    def close(self) -> None:
        """Let go of the files."""
        self._activity.close()
        self._rum.close()


def _is_damage(error: StorageError) -> bool:
    code = getattr(error.__cause__, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
