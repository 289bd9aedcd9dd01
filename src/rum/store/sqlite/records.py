"""The SQL of the store, and the statements that the tables run on one file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from rum.store.sqlite.connect import Database, is_damage
from rum.store.sqlite.rows import fetch_rows
from rum.store.tables.rows import DamagedRows
from rum.store.tables.statements import Row, load_statements, row_name

_MAX_IDS = 500
# Statement by name: `memories.sql` for memories, `layers.sql` for facts, rules and events, and so on.
SQL = load_statements(os.path.join(os.path.dirname(__file__), "queries"))


class SqliteStatements:
    """Statements on one file, by their names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def damaged_rows(self) -> DamagedRows:
        return self._database.damaged_rows

    @property
    def identity(self) -> object:
        return self._database.file

    def transaction(self, patience: float | None = None) -> AbstractContextManager[object]:
        return self._database.transaction(patience)

    def rows(self, statement: str, values: Any = ()) -> list[Row]:
        return self._fetch(SQL[statement], values)

    def _fetch(self, sql: str, values: Any) -> list[Row]:
        connection = self._database.connection
        return fetch_rows(connection, sql, values, row_factory=sqlite3.Row, bad_text=self._note_bad_text)

    def _note_bad_text(self, row: Row) -> None:
        self.damaged_rows.note("row", row_name(row))

    def rows_for(self, statement: str, ids: Iterable[str]) -> list[Row]:
        return [row for sql, some in _in_batches(statement, ids) for row in self._fetch(sql, some)]

    def run(self, statement: str, values: Any = ()) -> int:
        return self._database.connection.execute(SQL[statement], values).rowcount

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        self._database.connection.executemany(SQL[statement], rows)

    def run_for(self, statement: str, ids: Iterable[str]) -> int:
        connection = self._database.connection
        return sum(connection.execute(sql, some).rowcount for sql, some in _in_batches(statement, ids))

    def write_now(self, statement: str, rows: Sequence[Any]) -> bool:
        if not self._database.make_writable():
            return False
        db = self._database.connection
        try:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(SQL[statement], rows)
            db.execute("COMMIT")
        except sqlite3.Error as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            if is_damage(error):
                raise
            return False
        return True

    def array(self, values: Iterable[object]) -> object:
        return json.dumps(list(values))


def _in_batches(statement: str, ids: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """A statement for ids: as parameters, as SQLite's JSON ends a text at a NUL character."""
    wanted = list(ids)
    for start in range(0, len(wanted), _MAX_IDS):
        some = wanted[start : start + _MAX_IDS]
        yield SQL[statement].replace(":ids", ", ".join("?" * len(some))), some
