"""A project's memory in a PostgreSQL database that it shares with others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager

import psycopg

from rum.store.activity import Activity
from rum.store.anchors import Anchors
from rum.store.base import Agents, Links, Memories
from rum.store.browse import Browse
from rum.store.captured_events import CapturedEvents
from rum.store.chapters import GroupMatches
from rum.store.postgres.connect import Database, Position, Project, storage_errors
from rum.store.postgres.migrate import Preparation
from rum.store.postgres.pool import close_pools, full_address, open_pools
from rum.store.postgres.search import PostgresSearch
from rum.store.postgres.statements import SQL
from rum.store.postgres.tables import PostgresBrowse, PostgresGroupIndex
from rum.store.postgres.upkeep import NoLocalFiles, PostgresUpkeep
from rum.store.postgres.values import register
from rum.store.postgres.vectors import PostgresVectors
from rum.store.records import Events, Facts, History, Rules, SyncLog
from rum.store.search import Search
from rum.store.tables.activity import ActivityTable
from rum.store.tables.anchors import AnchorTable
from rum.store.tables.archive import ArchiveTable
from rum.store.tables.captured_events import CapturedEventTable
from rum.store.tables.chapters import ChapterTable, WisdomTable
from rum.store.tables.history import HistoryTable, SyncLogTable
from rum.store.tables.layers import EventTable, FactTable, RuleTable
from rum.store.tables.memories import AgentTable, LinkTable, MemoryTable
from rum.store.tables.statements import Row
from rum.store.tables.trash import TrashTable
from rum.store.trash import Trash
from rum.store.upkeep import Archive, LocalUpkeep, Upkeep
from rum.store.vectors import Vectors

_MEMORIES, _ACTIVITY = 1, 2  # Locks: writers of the one do not wait for those of the other


class PostgresStore:
    """The store of one project."""

    def __init__(
        self,
        dsn: str,
        project_id: str,
        patience: float = 30.0,
        before_write: Callable[[], None] | None = None,
        move_id: str = "",
        position: str | None = None,
    ) -> None:
        """`before_write` is called once, before the first change.

        `move_id` is that of the move by which the project left the database where the caller was before.
        With `position`, the path of a file, calls that only read may be answered by a replica.
        """
        self._pools = open_pools(dsn, patience, Preparation())
        project = Project(project_id, before_write, move_id)
        log = Position(position) if position else None
        replicas = self._pools.replicas if position else None
        self._db = db = Database(self._pools.memories, project, patience, _MEMORIES, replicas, log)
        self._activity = activity = Database(self._pools.activity, project, patience, _ACTIVITY)
        self._closed = False
        try:
            db.connect()
        except BaseException:
            self.close()
            raise
        memories = MemoryTable(db)
        self.memories: Memories = memories
        self.archive: Archive = ArchiveTable(db, memories)
        self.trash: Trash = TrashTable(db)
        self.search: Search = PostgresSearch(db, memories)
        self.anchors: Anchors = AnchorTable(db)
        self.browse: Browse = PostgresBrowse(db)
        self.links: Links = LinkTable(db)
        self.agents: Agents = AgentTable(db)
        vectors = PostgresVectors(db)
        self.vectors: Vectors = vectors
        self.history: History = HistoryTable(db)
        self.sync: SyncLog = SyncLogTable(db)
        self.facts: Facts = FactTable(db)
        self.rules: Rules = RuleTable(db)
        self.events: Events = EventTable(activity)
        self.captured: CapturedEvents = CapturedEventTable(activity)
        self.activity: Activity = ActivityTable(activity)
        self.upkeep: Upkeep = PostgresUpkeep(db, memories, vectors.make_index)
        self.local_upkeep: LocalUpkeep = NoLocalFiles()
        self.offer_rows = self._offer_rows
        self.chapters = ChapterTable(db)
        self.wisdom = WisdomTable(db)

    def has_chapters(self) -> bool:
        return bool(self._db.rows("any_chapter")[0][0])

    def find_groups(self, terms: Sequence[str], limit: int) -> GroupMatches:
        return PostgresGroupIndex(self._db).find(terms, limit)

    def _offer_rows(self, name: str, values: Sequence[object]) -> list[Row]:
        database = self._activity if name == "session_events" else self._db
        return database.rows(f"offer_{name}", tuple(values))

    @property
    def writable(self) -> bool:
        return True

    def transaction(self) -> AbstractContextManager[object]:
        return self._db.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        return self._db.snapshot()

    @contextmanager
    def errors(self, *, reads: bool = False) -> Generator[None]:
        """Turn the backend's errors into StorageError; a call uses one connection until its end."""
        with storage_errors(), self._db.hold(reads=reads), self._activity.hold():
            yield

    def damaged_rows(self) -> dict[str, str]:
        return {**self._db.damaged_rows, **self._activity.damaged_rows}

    def refresh(self) -> None:
        """Nothing to do: every statement sees what was committed before."""

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            close_pools(self._pools)


def check_database(dsn: str) -> bool:
    """Connect, and bring the schema up to date, else StorageError; whether there is pgvector."""
    with storage_errors(), _connected(dsn) as connection:
        return (
            connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is not None
        )


def delete_project(dsn: str, project_id: str) -> None:
    """Delete a project with all its rows."""
    with storage_errors(), _connected(dsn) as connection:
        connection.execute(SQL["delete_project"], {"id": project_id})


@contextmanager
def _connected(dsn: str) -> Generator[psycopg.Connection]:
    with psycopg.connect(full_address(dsn), autocommit=True) as connection:
        register(connection)
        Preparation()(connection)
        yield connection
