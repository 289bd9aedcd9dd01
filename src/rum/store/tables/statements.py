"""What the tables need of a database: statements by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from rum.model.ids import tail_of
from rum.store.tables.rows import DamagedRows

T = TypeVar("T")


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
