"""What the tables need of a database: statements by name, and the files in which they are written."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from rum.model.ids import tail_of
from rum.store.tables.rows import DamagedRows

T = TypeVar("T")

_HEAD = ("id", "project_id", "agent_id", "created_at", "updated_at", "version", "start_ts", "end_ts")
_TAIL = ("evidence", "tags", "given", "found_by", "own_tags", "former", "forgotten", "imported_at")
# The columns of each kind of group.
GROUP_COLUMNS = {
    "chapter": (*_HEAD, "title", "summary", "origin", "words", "learnings", "topics", *_TAIL),
    "wisdom": (
        *_HEAD,
        *("summary", "words", "insights", "patterns", "best_practices", "contradictions"),
        *_TAIL,
    ),
}
_GROUP_TABLES = {
    "chapter": {"groups": "chapters", "parts": "chapter_memories", "part": "memory"},
    "wisdom": {"groups": "wisdom", "parts": "wisdom_chapters", "part": "chapter"},
}


def load_statements(folder: str) -> dict[str, str]:
    """The statements in the files of a backend, by name; those for `{kind}` once for each kind of group."""
    found: dict[str, str] = {}
    for file_name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file_name), encoding="utf-8") as file:
            parts = re.split(r"^-- name: (\S+)\n", file.read(), flags=re.MULTILINE)
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            sql = body.strip().rstrip(";")
            if "{kind}" in name:
                found |= {name.replace("{kind}", kind): _for_kind(sql, kind) for kind in GROUP_COLUMNS}
            else:
                found[name] = sql
    return found


def _for_kind(sql: str, kind: str) -> str:
    columns = GROUP_COLUMNS[kind]
    names = {
        "kind": kind,
        "members": f"{kind}_memories",
        **_GROUP_TABLES[kind],
        "columns": ", ".join(columns),
        "values": ", ".join(f":{name}" for name in columns),
        "updates": ", ".join(f"{name} = excluded.{name}" for name in columns[2:]),
    }
    for name, text in names.items():
        sql = sql.replace(f"{{{name}}}", text)
    return sql


class Row(Protocol):
    """A row of a query; its columns are read by name or place."""

    def __getitem__(self, column: int | str, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def keys(self) -> Sequence[str]:
        """The names of the columns."""
        ...


class Statements(Protocol):
    """The named statements of one database, with their values by place or by name."""

    @property
    def damaged_rows(self) -> DamagedRows:
        """The rows that could not be read as a whole."""
        ...

    @property
    def identity(self) -> object:
        """Changes when the rows may be of another database than before."""
        ...

    def transaction(self, patience: float | None = None) -> AbstractContextManager[object]:
        """Make several changes, all or none; one writer at a time."""
        ...

    def rows(self, statement: str, values: Any = ()) -> list[Row]:
        """The rows of a query."""
        ...

    def rows_for(self, statement: str, ids: Iterable[str]) -> list[Row]:
        """The rows of a query for many ids."""
        ...

    def run(self, statement: str, values: Any = ()) -> int:
        """Change rows; return how many."""
        ...

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        """Run a statement once with each of the values."""
        ...

    def run_for(self, statement: str, ids: Iterable[str]) -> int:
        """Change the rows with these ids; return how many."""
        ...

    def write_now(self, statement: str, rows: Sequence[Any]) -> bool:
        """Run a statement once with each of the values, unless others must be waited for; whether it ran."""
        ...

    def array(self, values: Iterable[object]) -> object:
        """A list as a value of a statement."""
        ...


class Table:
    """A table, or several that belong together."""

    def __init__(self, db: Statements) -> None:
        self._db = db

    def _values(self, statement: str, values: Any = ()) -> list[Any]:
        """The values of a query with a single column."""
        return [row[0] for row in self._db.rows(statement, values)]


class RecordTable(Table, ABC, Generic[T]):
    """Rows with an id and a position; the names of their statements end with the table's name."""

    table: ClassVar[str]

    @abstractmethod
    def _item(self, row: Row) -> T:
        """The record of a row."""

    def get(self, ids: Sequence[str]) -> list[T]:
        found: dict[str, list[T]] = {}
        for row in self._db.rows_for(f"get_{self.table}", dict.fromkeys(ids)):
            found.setdefault(row["id"], []).append(self._item(row))
        return [item for one in ids for item in found.get(one, ())]

    def find_ids(self, name: str) -> list[str]:
        if self.get([name]):
            return [name]
        tail = tail_of(name)
        return [] if tail is None else self._values(f"tails_of_{self.table}", {"tail": tail})

    def pages(self, size: int = 500) -> Iterator[list[T]]:
        last = -1
        while rows := self._db.rows(f"page_of_{self.table}", (last, size)):
            yield [self._item(row) for row in rows]
            last = rows[-1]["seq"]

    def count(self) -> int:
        return self._values(f"count_{self.table}")[0]

    def delete(self, ids: Iterable[str] | None = None) -> int:
        with self._db.transaction():
            if ids is None:
                return self._db.run(f"clear_{self.table}")
            return self._db.run_for(f"delete_{self.table}", ids)


_NAMES = ("id", "key", "owner", "memory_id", "source_id")


def row_name(row: Row) -> object:
    """What a message calls a row."""
    names = row.keys()
    return row[next((name for name in _NAMES if name in names), names[0])]
