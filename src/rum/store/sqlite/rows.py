"""Read rows of which some are damaged: what can be read is returned, and the rest is named."""

from __future__ import annotations

import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

# What a value raises that is no JSON, of another shape, or of another type than its column's.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)
_BAD_TEXT = "Could not decode"  # How the driver begins its message on text that is not UTF-8


class DamagedRows(dict[str, str]):
    """The kinds of the rows that could not be read as a whole, by id; the ids end up in messages."""

    def read(self, kind: str, row_id: object, step: Callable[[], T], instead: T) -> T:
        """The value of a step; if it cannot be read, the row is noted and `instead` returned."""
        try:
            return step()
        except UNREADABLE:
            self.note(kind, row_id)
            return instead

    def note(self, kind: str, row_id: object) -> None:
        """Note that a row is damaged."""
        # An id may be damaged too.
        self[str(row_id) if str(row_id).isprintable() else "?"] = kind


def fetch_rows(
    connection: sqlite3.Connection,
    statement: str,
    values: Any,
    *,
    row_factory: Any = None,
    bad_text: Callable[[Any], None] | None = None,
) -> list[Any]:
    """All rows of a statement; in text that is not UTF-8, U+FFFD replaces the damaged bytes.

    `bad_text` is called with each row that has such text.
    """
    cursor = connection.cursor()
    if row_factory is not None:
        cursor.row_factory = row_factory
    try:
        return cursor.execute(statement, values).fetchall()
    except sqlite3.OperationalError as error:
        if not str(error).startswith(_BAD_TEXT):
            raise
    is_bad = False

    def decode(data: bytes) -> str:
        nonlocal is_bad
        try:
            return data.decode()
        except UnicodeDecodeError:
            is_bad = True
            return data.decode(errors="replace")

    rows: list[Any] = []
    usual, connection.text_factory = connection.text_factory, decode
    try:
        for row in cursor.execute(statement, values):
            rows.append(row)
            if is_bad and bad_text is not None:
                bad_text(row)
            is_bad = False
    finally:
        connection.text_factory = usual
    return rows
