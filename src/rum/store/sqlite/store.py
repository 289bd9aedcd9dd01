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
from rum.store.sqlite.layers import SqliteEvents, SqliteFacts, SqliteRules
from rum.store.sqlite.memories import SqliteLinks, SqliteMemories
from rum.store.sqlite.migrate import prepare
from rum.store.sqlite.records import SQL, SqliteHistory
from rum.store.sqlite.search import SqliteSearch
from rum.store.sqlite.upkeep import SqliteUpkeep
from rum.store.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rum.store.activity import Activity
    from rum.store.base import Agents, Links, Memories
    from rum.store.captured_events import CapturedEvents
    from rum.store.chapters import GroupMatches
    from rum.store.records import Events, Facts, History, Rules
    from rum.store.search import Search
    from rum.store.sqlite.chapters import SqliteChapters, SqliteWisdom
    from rum.store.upkeep import Archive, LocalUpkeep, Upkeep
    from rum.store.vectors import Vectors

SCHEMA = {"rum": 12, "activity": 5}  # The newest migration of each file


class SqliteStore:
    """The store of one project directory."""

    def __init__(
        self, directory: str, patience: float = 30.0, before_create: Callable[[], None] | None = None
    ) -> None:
        self.directory = directory
        self._before_create = before_create
        self._rum = self._open("rum", durable=True, patience=patience)
        try:
            self._activity = self._open_activity(patience)
        except BaseException:
            self._rum.close()
            raise
        self._rum.after_create = self._activity.refresh
        memories = SqliteMemories(self._rum)
        self.memories: Memories = memories
        self.archive: Archive = SqliteArchive(self._rum, memories)
        self.search: Search = SqliteSearch(self._rum, memories)
        self.links: Links = SqliteLinks(self._rum)
        self.agents: Agents = SqliteAgents(self._rum)
        self.vectors: Vectors = SqliteVectors(self._rum)
        self.history: History = SqliteHistory(self._rum)
        self.facts: Facts = SqliteFacts(self._rum)
        self.rules: Rules = SqliteRules(self._rum)
        self.events: Events = SqliteEvents(self._activity)
        self.captured: CapturedEvents = SqliteCapturedEvents(self._activity)
        self.activity: Activity = SqliteActivity(self._activity)
        upkeep = SqliteUpkeep(self._rum, self._activity)
        self.upkeep: Upkeep = upkeep
        self.local_upkeep: LocalUpkeep = upkeep

    def _open_activity(self, patience: float) -> Database:
        """Open the file of activity; a damaged one is moved aside, as it must not block the memories."""
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
        return Database(
            path,
            partial(prepare, family, SCHEMA[family]),
            durable=durable,
            patience=patience,
            before_create=self._before_create,
        )

    @property
    def chapters(self) -> SqliteChapters:
        from rum.store.sqlite.chapters import SqliteChapters  # noqa: PLC0415 (few projects have chapters)

        return SqliteChapters(self._rum)

    @property
    def wisdom(self) -> SqliteWisdom:
        from rum.store.sqlite.chapters import SqliteWisdom  # noqa: PLC0415

        return SqliteWisdom(self._rum)

    def has_chapters(self) -> bool:
        return bool(self._rum.connection.execute(SQL["any_chapter"]).fetchone()[0])

    def find_groups(self, terms: Sequence[str], limit: int) -> GroupMatches:
        from rum.store.sqlite.chapters import SqliteGroupIndex  # noqa: PLC0415

        return SqliteGroupIndex(self._rum).find(terms, limit)

    @property
    def writable(self) -> bool:
        return self._rum.access == "write" or self._rum.is_new

    def transaction(self) -> AbstractContextManager[object]:
        return self._rum.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        return self._rum.snapshot()

    def errors(self) -> AbstractContextManager[None]:
        return storage_errors(self._rum.path)

    def refresh(self) -> None:
        self._rum.refresh()
        self._activity.refresh()

    def close(self) -> None:
        self._activity.close()
        self._rum.close()


def _is_damage(error: StorageError) -> bool:
    code = getattr(error.__cause__, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
