"""What tables of records have in common in SQLite, and the earlier versions of their rows."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rum.model.ids import tail_of
from rum.store.records import Author, Revision
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL

T = TypeVar("T")


class Table:
    """Statements on one database, by their names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[sqlite3.Row]:
        """The rows of a query, whose columns are read by name."""
        cursor = self._database.connection.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(SQL[statement], values).fetchall()

    def _values(self, statement: str, values: Any = ()) -> list[Any]:
        """The values of a query for one column."""
        return [value for (value,) in self._database.connection.execute(SQL[statement], values)]


class RecordTable(Table, ABC, Generic[T]):
    """Rows with an id and a place in order; the names of their statements end with the table's."""

    table: ClassVar[str]
    id_column: ClassVar[str] = "id"

    @abstractmethod
    def _item(self, row: sqlite3.Row) -> T:
        """What a row stands for."""

    def get(self, ids: Sequence[str]) -> list[T]:
        found: dict[str, list[T]] = {}
        plain, odd = _split_ids(dict.fromkeys(ids))
        rows = self._rows(f"get_{self.table}", (json.dumps(plain),))
        for one in odd:
            rows += self._rows_of(one)
        for row in rows:
            found.setdefault(row["id"], []).append(self._item(row))
        return [item for one in ids for item in found.get(one, ())]

    def _rows_of(self, one: str) -> list[sqlite3.Row]:
        cursor = self._database.connection.cursor()
        cursor.row_factory = sqlite3.Row
        column = self.id_column
        statement = f"SELECT *, {column} AS id FROM {self.table} WHERE {column} = ? ORDER BY seq"  # noqa: S608
        return cursor.execute(statement, (one,)).fetchall()

    def named(self, name: str) -> list[str]:
        if self.get([name]):
            return [name]
        tail = tail_of(name)
        return [] if tail is None else self._values(f"tails_of_{self.table}", {"tail": tail})

    def all(self, batch: int = 500) -> Iterator[list[T]]:
        last = -1
        while rows := self._rows(f"page_of_{self.table}", (last, batch)):
            yield [self._item(row) for row in rows]
            last = rows[-1]["seq"]

    def count(self) -> int:
        (count,) = self._values(f"count_{self.table}")
        return count

    def delete(self, ids: Iterable[str] | None = None) -> int:
        with self._database.transaction() as db:
            if ids is None:
                return db.execute(SQL[f"delete_{self.table}"], {"ids": None}).rowcount
            plain, odd = _split_ids(ids)
            count = db.execute(SQL[f"delete_{self.table}"], {"ids": json.dumps(plain)}).rowcount
            statement = f"DELETE FROM {self.table} WHERE {self.id_column} = ?"  # noqa: S608
            return count + sum([db.execute(statement, (one,)).rowcount for one in odd])

    def authors(self) -> set[Author]:
        rows = self._rows(f"authors_of_{self.table}")
        return {Author(row["agent_id"], bool(row["imported"])) for row in rows}


def _split_ids(ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """Ids, and those with a NUL character, at which SQLite's JSON functions end a text."""
    plain: list[str] = []
    odd: list[str] = []
    for one in ids:
        (odd if "\0" in one else plain).append(one)
    return plain, odd


class SqliteHistory(Table):
    """Earlier versions: a table each for memories, facts and rules."""

    def add(self, kind: str, item_id: str, revision: Revision) -> None:
        version, changed_at, changed_by, texts = revision
        with self._database.transaction() as db:
            db.execute(SQL[f"insert_{kind}_version"], (item_id, version, changed_at, changed_by, *texts))

    def of(self, kind: str, item_id: str) -> list[Revision]:
        rows = self._database.connection.execute(SQL[f"{kind}_versions_of"], (item_id,))
        return [
            Revision(version, changed_at, changed_by, tuple(texts))
            for version, changed_at, changed_by, *texts in rows
        ]
