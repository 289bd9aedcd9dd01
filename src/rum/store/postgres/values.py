"""How values travel to PostgreSQL and back.

PostgreSQL has no NUL in text, so it is written as two other characters. Flags are numbers, as in SQLite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from psycopg import BaseConnection, Cursor
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

_MARK = "\uf8fe"  # A private character; it is doubled where a text has it
NUL = _MARK + "0"
_BIGINT = 20
_TEXTS = ("text", "varchar", "name", "bpchar")


class _Text(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        if "\0" in obj or _MARK in obj:
            obj = obj.replace(_MARK, _MARK * 2).replace("\0", NUL)
        return super().dump(obj)


class _Integer(Dumper):
    format = Format.BINARY
    oid = _BIGINT

    def dump(self, obj: int) -> bytes:
        return int(obj).to_bytes(8, "big", signed=True)  # raises OverflowError


class _TextLoader(Loader):
    def load(self, data: Buffer) -> str:
        text = str(data, "utf-8")
        if _MARK not in text:
            return text
        parts = text.split(_MARK * 2)
        return _MARK.join(part.replace(NUL, "\0") for part in parts)


class _BinaryTextLoader(_TextLoader):
    format = Format.BINARY


def register(connection: BaseConnection[Any]) -> None:
    """Make a connection read and write values so."""
    adapters = connection.adapters
    adapters.register_dumper(str, _Text)
    adapters.register_dumper(int, _Integer)
    adapters.register_dumper(bool, _Integer)
    for name in _TEXTS:
        adapters.register_loader(name, _TextLoader)
        adapters.register_loader(name, _BinaryTextLoader)


class PostgresRow:
    """A row whose columns are read by name or place."""

    __slots__ = ("_names", "_values")

    def __init__(self, names: dict[str, int], values: Sequence[Any]) -> None:
        self._names = names
        self._values = values

    def __getitem__(self, column: int | str | slice) -> Any:
        return self._values[self._names[column] if isinstance(column, str) else column]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def keys(self) -> Sequence[str]:
        """The names of the columns."""
        return tuple(self._names)


def rows_by_name(cursor: Cursor[Any]) -> Callable[[Sequence[Any]], PostgresRow]:
    """The row factory of psycopg for such rows."""
    names = {column.name: place for place, column in enumerate(cursor.description or ())}
    return lambda values: PostgresRow(names, values)
