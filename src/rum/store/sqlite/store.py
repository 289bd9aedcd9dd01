"""A project's memory in two files: `rum.db`, fully durable, and `activity.db`, which may lose a second."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from rum.store.sqlite.activity import SqliteActivity, SqliteCapturedEvents
from rum.store.sqlite.activity_file import ActivityFile, tolerant
from rum.store.sqlite.archive import SqliteArchive, SqliteTrash
from rum.store.sqlite.connect import Database, storage_errors
from rum.store.sqlite.layers import SqliteEvents, SqliteFacts, SqliteRules
from rum.store.sqlite.memories import SqliteAgents, SqliteLinks, SqliteMemories
from rum.store.sqlite.migrate import SCHEMA, prepare
from rum.store.sqlite.records import SQL, SqliteHistory, SqliteSyncLog
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
    from rum.store.sync import SyncLog
    from rum.store.trash import Trash
    from rum.store.upkeep import Archive, LocalUpkeep, Upkeep
    from rum.store.vectors import Vectors

D = TypeVar("D", bound=Database)


class SqliteStore:
    """The store of one project directory."""

    def __init__(
        self, directory: str, patience: float = 30.0, before_create: Callable[[], None] | None = None
    ) -> None:
        self.directory = directory
        self._rum = self._open(Database, "rum", durable=True, patience=patience, before_create=before_create)
        try:
            self._activity = self._open(
                ActivityFile,
                "activity",
                durable=False,
                patience=patience,
                before_create=before_create and self._rum.create,
            )
        except BaseException:
            self._rum.close()
            raise
        self._rum.after_create = self._activity.refresh
        memories = SqliteMemories(self._rum)
        self.memories: Memories = memories
        self.archive: Archive = SqliteArchive(self._rum, memories)
        self.trash: Trash = SqliteTrash(self._rum)
        self.search: Search = SqliteSearch(self._rum, memories)
        self.links: Links = SqliteLinks(self._rum)
        self.agents: Agents = SqliteAgents(self._rum)
        self.vectors: Vectors = SqliteVectors(self._rum)
        self.history: History = SqliteHistory(self._rum)
        self.sync: SyncLog = SqliteSyncLog(self._rum)
        self.facts: Facts = SqliteFacts(self._rum)
        self.rules: Rules = SqliteRules(self._rum)
        self.events: Events = tolerant(SqliteEvents(self._activity), self._activity)
        self.captured: CapturedEvents = tolerant(SqliteCapturedEvents(self._activity), self._activity)
        self.activity: Activity = tolerant(SqliteActivity(self._activity), self._activity)
        upkeep = SqliteUpkeep(self._rum, self._activity)
        self.upkeep: Upkeep = upkeep
        self.local_upkeep: LocalUpkeep = upkeep

    def _open(
        self,
        kind: type[D],
        family: str,
        *,
        durable: bool,
        patience: float,
        before_create: Callable[[], None] | None,
    ) -> D:
        path = os.path.join(self.directory, f"{family}.db")
        return kind(
            path,
            lambda database: prepare(family, SCHEMA[family], database),
            durable=durable,
            patience=patience,
            before_create=before_create,
        )

    @property
    def chapters(self) -> SqliteChapters:
        return self._group_tables.SqliteChapters(self._rum)

    @property
    def wisdom(self) -> SqliteWisdom:
        return self._group_tables.SqliteWisdom(self._rum)

    def has_chapters(self) -> bool:
        return bool(self._rum.connection.execute(SQL["any_chapter"]).fetchone()[0])

    def find_groups(self, terms: Sequence[str], limit: int) -> GroupMatches:
        return self._group_tables.SqliteGroupIndex(self._rum).find(terms, limit)

    @property
    def _group_tables(self) -> Any:
        from rum.store.sqlite import chapters  # noqa: PLC0415 (few projects have chapters)

        return chapters

    @property
    def writable(self) -> bool:
        return self._rum.access == "write" or self._rum.is_new

    def transaction(self) -> AbstractContextManager[object]:
        return self._rum.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        return self._rum.snapshot()

    def errors(self) -> AbstractContextManager[None]:
        return storage_errors(self._rum.path)

    def damaged_rows(self) -> dict[str, str]:
        return {**self._rum.damaged_rows, **self._activity.damaged_rows}

    def refresh(self) -> None:
        self._rum.refresh()
        self._activity.refresh()

    def close(self) -> None:
        self._activity.close()
        self._rum.close()
