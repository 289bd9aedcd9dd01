"""The SQL of the store, what its tables have in common, and the earlier versions of their rows."""

from __future__ import annotations

import os
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rum.model.ids import tail_of
from rum.store.records import Revision
from rum.store.sqlite.connect import Database
from rum.store.sqlite.rows import fetch_rows
from rum.store.sync import Change

T = TypeVar("T")
Row = sqlite3.Row  # A row of a query; its columns are read by name

_MAX_IDS = 500
_HERE = os.path.dirname(__file__)


def _load(name: str) -> dict[str, str]:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        parts = re.split(r"^-- name: (\w+)\n", file.read(), flags=re.MULTILINE)
    return {name: body.strip().rstrip(";") for name, body in zip(parts[1::2], parts[2::2], strict=True)}


_FILES = ("queries", "layers", "chapters", "archive", "trash", "sync", "captured_events", "activity")

# Statement by name: `queries.sql` for memories, `layers.sql` for facts, rules and events, and so on.
SQL = {name: body for file in _FILES for name, body in _load(f"{file}.sql").items()}


class Table:
    """Statements on one database, by their names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[Row]:
        return self._fetch(SQL[statement], values)

    def _fetch(self, sql: str, values: Any) -> list[Row]:
        connection = self._database.connection
        return fetch_rows(connection, sql, values, row_factory=Row, bad_text=self._note_bad_text)

    def _note_bad_text(self, row: Row) -> None:
        self._database.damaged_rows.note("row", row_name(row))

    def _execute(self, sql: str, values: Any) -> sqlite3.Cursor:
        cursor = self._database.connection.cursor()
        cursor.row_factory = Row
        return cursor.execute(sql, values)

    def _values(self, statement: str, values: Any = ()) -> list[Any]:
        """The values of a query with a single column."""
        return [value for (value,) in fetch_rows(self._database.connection, SQL[statement], values)]

    def _rows_for(self, statement: str, ids: Iterable[str]) -> list[Row]:
        return [row for sql, some in _in_batches(statement, ids) for row in self._fetch(sql, some)]

    def _execute_for(self, statement: str, ids: Iterable[str]) -> Iterator[sqlite3.Cursor]:
        for sql, some in _in_batches(statement, ids):
            yield self._execute(sql, some)


_NAMES = ("id", "key", "owner", "memory_id", "source_id")


def row_name(row: Row) -> object:
    """What a message calls a row."""
    names = row.keys()
    return row[next((name for name in _NAMES if name in names), names[0])]


def _in_batches(statement: str, ids: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """A statement for ids: as parameters, as SQLite's JSON ends a text at a NUL character."""
    wanted = list(ids)
    for start in range(0, len(wanted), _MAX_IDS):
        some = wanted[start : start + _MAX_IDS]
        yield SQL[statement].replace(":ids", ", ".join("?" * len(some))), some


class RecordTable(Table, ABC, Generic[T]):
    """Rows with an id and a position; the names of their statements end with the table's name."""

    table: ClassVar[str]

    @abstractmethod
    def _item(self, row: Row) -> T:
        """The record of a row."""

    def get(self, ids: Sequence[str]) -> list[T]:
        found: dict[str, list[T]] = {}
        for row in self._rows_for(f"get_{self.table}", dict.fromkeys(ids)):
            found.setdefault(row["id"], []).append(self._item(row))
        return [item for one in ids for item in found.get(one, ())]

    def find_ids(self, name: str) -> list[str]:
        if self.get([name]):
            return [name]
        tail = tail_of(name)
        return [] if tail is None else self._values(f"tails_of_{self.table}", {"tail": tail})

    def pages(self, size: int = 500) -> Iterator[list[T]]:
        last = -1
        while rows := self._rows(f"page_of_{self.table}", (last, size)):
            yield [self._item(row) for row in rows]
            last = rows[-1]["seq"]

    def count(self) -> int:
        return self._values(f"count_{self.table}")[0]

    def delete(self, ids: Iterable[str] | None = None) -> int:
        with self._database.transaction() as db:
            if ids is None:
                return db.execute(SQL[f"clear_{self.table}"]).rowcount
            return sum(cursor.rowcount for cursor in self._execute_for(f"delete_{self.table}", ids))


class SqliteHistory(Table):
    """Earlier versions: a table each for memories, facts and rules."""

    def add(self, kind: str, item_id: str, revision: Revision) -> None:
        version, changed_at, changed_by, texts = revision
        with self._database.transaction() as db:
            db.execute(SQL[f"insert_{kind}_version"], (item_id, version, changed_at, changed_by, *texts))

    def replace(self, kind: str, item_id: str, revisions: Iterable[Revision]) -> None:
        with self._database.transaction() as db:
            db.execute(SQL[f"delete_{kind}_versions"], (item_id,))
            for revision in revisions:
                self.add(kind, item_id, revision)

    def of(self, kind: str, ids: Sequence[str]) -> dict[str, list[Revision]]:
        found: dict[str, list[Revision]] = {one: [] for one in ids}
        for row in self._rows_for(f"{kind}_versions_of", found):
            texts = tuple(row[name] for name in _VERSION_TEXTS[kind])
            found[row["id"]].append(Revision(row["version"], row["changed_at"], row["changed_by"], texts))
        return found


_VERSION_TEXTS = {"memory": ("data",), "fact": ("value",), "rule": ("condition", "action")}


class SqliteSyncLog(Table):
    """The targets of `rum sync`, and the changes that triggers record for them."""

    def targets(self) -> dict[str, str]:
        return {row["target"]: row["state"] for row in self._rows("sync_targets")}

    def set_target(self, target: str, state: str) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["set_sync_target"], (target, state))

    def delete_target(self, target: str) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["delete_sync_target"], (target,))

    def changes(self, target: str) -> list[Change]:
        return [Change(row["kind"], row["id"], row["times"]) for row in self._rows("sync_changes", (target,))]

    def delete_changes(self, target: str, changes: Iterable[Change]) -> None:
        with self._database.transaction() as db:
            db.executemany(SQL["delete_sync_change"], ((target, *change) for change in changes))
