"""A project's memory in two files: `rum.db`, fully durable, and `activity.db`, which may lose a second."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from rum.store.sqlite.activity_file import ActivityFile, tolerant
from rum.store.sqlite.browse import SqliteBrowse
from rum.store.sqlite.connect import Database, storage_errors
from rum.store.sqlite.memories import SqliteArchive, SqliteMemories
from rum.store.sqlite.migrate import SCHEMA, prepare
from rum.store.sqlite.records import SQL, SqliteStatements
from rum.store.sqlite.search import SqliteSearch
from rum.store.sqlite.upkeep import SqliteUpkeep, groups
from rum.store.tables.activity import ActivityTable
from rum.store.tables.anchors import AnchorTable
from rum.store.tables.captured_events import CapturedEventTable
from rum.store.tables.history import HistoryTable, SyncLogTable
from rum.store.tables.layers import EventTable, FactTable, RuleTable
from rum.store.tables.memories import AgentTable, LinkTable
from rum.store.tables.trash import TrashTable
from rum.store.tables.vectors import VectorTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rum.store.activity import Activity
    from rum.store.anchors import Anchors
    from rum.store.base import Agents, Links, Memories
    from rum.store.browse import Browse
    from rum.store.captured_events import CapturedEvents
    from rum.store.chapters import GroupMatches
    from rum.store.records import Events, Facts, History, Rules, SyncLog
    from rum.store.search import Search
    from rum.store.tables.chapters import ChapterTable, WisdomTable
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
        self._statements = SqliteStatements(self._rum)
        memories = SqliteMemories(self._statements)
        self.memories: Memories = memories
        self.archive: Archive = SqliteArchive(self._statements, memories)
        self.trash: Trash = TrashTable(self._statements)
        self.search: Search = SqliteSearch(self._rum, memories)
        self.anchors: Anchors = AnchorTable(self._statements)
        self.links: Links = LinkTable(self._statements)
        self.agents: Agents = AgentTable(self._statements)
        self.browse: Browse = SqliteBrowse(self._rum)
        self.vectors: Vectors = VectorTable(self._statements)
        self.history: History = HistoryTable(self._statements)
        self.sync: SyncLog = SyncLogTable(self._statements)
        self.facts: Facts = FactTable(self._statements)
        self.rules: Rules = RuleTable(self._statements)
        activity = SqliteStatements(self._activity)
        self.events: Events = tolerant(EventTable(activity), self._activity)
        self.captured: CapturedEvents = tolerant(CapturedEventTable(activity), self._activity)
        self.activity: Activity = tolerant(ActivityTable(activity), self._activity)
        upkeep = SqliteUpkeep(self._rum, self._activity)
        self.upkeep: Upkeep = upkeep
        self.local_upkeep: LocalUpkeep = upkeep
        self.offer_rows = None

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
    def chapters(self) -> ChapterTable:
        return groups().ChapterTable(self._statements)

    @property
    def wisdom(self) -> WisdomTable:
        return groups().WisdomTable(self._statements)

    def has_chapters(self) -> bool:
        return bool(self._rum.connection.execute(SQL["any_chapter"]).fetchone()[0])

    def find_groups(self, terms: Sequence[str], limit: int) -> GroupMatches:
        return groups().SqliteGroupIndex(self._statements).find(terms, limit)

    @property
    def writable(self) -> bool:
        return self._rum.access == "write" or self._rum.is_new

    def transaction(self) -> AbstractContextManager[object]:
        return self._rum.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        return self._rum.snapshot()

    def errors(self, *, reads: bool = False) -> AbstractContextManager[None]:  # noqa: ARG002
        return storage_errors(self._rum.path)

    def damaged_rows(self) -> dict[str, str]:
        return {**self._rum.damaged_rows, **self._activity.damaged_rows}

    def refresh(self) -> None:
        self._rum.refresh()
        self._activity.refresh()

    def close(self) -> None:
        self._activity.close()
        self._rum.close()
