"""Read the database of the TypeScript RUM, without changing it. The file may be damaged or made to harm."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from rum.model.errors import InvalidQuery
from rum.store.sqlite.connect import storage_errors
from rum.store.sqlite.sql_text import sqlite_uri

Row = dict[str, Any]

COLUMNS: dict[str, tuple[str, ...]] = {
    "agents": (
        *("id", "type", "parent_id", "created_at", "last_active_at", "specialization", "capabilities"),
        "metadata",
    ),
    "memories": (
        *("id", "agent_id", "session_id", "created_at", "intent", "perception", "reasoning", "actions"),
        *("outcome", "tags", "importance", "access_count", "last_accessed"),
    ),
    "memory_files": ("memory_id", "file_path", "operation"),
    "memory_links": ("source_id", "target_id", "link_type", "created_at"),
    "chapters": (
        *("id", "created_at", "updated_at", "title", "summary", "learnings", "start_ts", "end_ts", "tags"),
        *("topics", "origin"),
    ),
    "chapter_memories": ("chapter_id", "memory_id", "position"),
    "wisdom": (
        *("id", "created_at", "updated_at", "summary", "insights", "patterns", "best_practices", "tags"),
        *("start_ts", "end_ts"),
    ),
    "wisdom_chapters": ("wisdom_id", "chapter_id"),
}
_REQUIRED = ("agents", "memories")
_MAX_VALUE = 10_000_000  # Bytes of one row; a longer one counts as damaged
_SIDE_FILES = ("-wal", "-journal")


class TypeScriptRum:
    """An open database; `damaged` names the tables of which some rows could not be read."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.text_factory = _text
        self.damaged: dict[str, None] = {}
        self._columns = {table: self._existing_columns(table) for table in COLUMNS}
        missing = [table for table in _REQUIRED if "id" not in self._columns[table]]
        if missing:
            raise InvalidQuery(
                f"{path} is not a database of the TypeScript RUM: it has no table `{missing[0]}`.",
                field="path",
            )

    def _existing_columns(self, table: str) -> list[str]:
        """The stored columns of a table; none of a view or a virtual table, whose rows are computed."""
        found = self._connection.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0", (table,)
        )
        if not found.fetchone():
            return []
        # The last column is 0 for stored columns; others are hidden or computed.
        columns = self._connection.execute(f"PRAGMA table_xinfo({table})")
        stored = {str(row[1]) for row in columns if row[-1] == 0}
        return [name for name in COLUMNS[table] if name in stored]

    def count(self, table: str) -> int:
        """The number of rows of a table, 0 if it cannot be counted."""
        try:
            counted = self._connection.execute(f"SELECT count(*) FROM {table} NOT INDEXED")  # noqa: S608
            return int(counted.fetchone()[0])
        except sqlite3.DatabaseError:
            return 0

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table by column, in their order; around a damaged page, those before and after it."""
        names = self._columns[table]
        if not names:
            return
        last = None
        query = f"SELECT rowid, {', '.join(names)} FROM {table} NOT INDEXED"  # noqa: S608
        try:
            for rowid, *values in self._connection.execute(f"{query} ORDER BY rowid"):
                last = rowid
                yield dict(zip(names, values, strict=True))
            return
        except sqlite3.DatabaseError:
            self.damaged[table] = None
        try:
            for rowid, *values in self._connection.execute(f"{query} ORDER BY rowid DESC"):
                if last is not None and rowid <= last:
                    return
                yield dict(zip(names, values, strict=True))
        except sqlite3.DatabaseError:
            return


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def open_typescript_rum(path: str) -> Generator[TypeScriptRum]:
    """Open a database to read it, with what its server has not yet moved from the `-wal` file into it.

    Nothing is written beside the file: without such files it is opened as one that does not change, and
    with them a copy is read.
    """
    if not os.path.isfile(path):
        raise InvalidQuery(f"There is no file {path}.", field="path")
    with ExitStack() as stack:
        uri = f"{sqlite_uri(path, 'ro')}&immutable=1"
        if any(os.path.exists(path + suffix) for suffix in _SIDE_FILES):
            uri = sqlite_uri(_copy(path, stack.enter_context(tempfile.TemporaryDirectory())), "rw")
        try:
            connection = stack.enter_context(closing(sqlite3.connect(uri, uri=True)))
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            raise InvalidQuery(
                f"{path} cannot be read as a database of the TypeScript RUM ({error}).", field="path"
            ) from None
        with storage_errors(path):
            yield TypeScriptRum(connection, path)


def _copy(path: str, folder: str) -> str:
    copy = os.path.join(folder, "copy.db")
    # The `-wal` file first: what is moved into the database meanwhile is then in both.
    for suffix in (*_SIDE_FILES, ""):
        if os.path.exists(path + suffix):
            shutil.copyfile(path + suffix, copy + suffix)
    return copy
