"""Read rows of which some have text that is not UTF-8."""

from __future__ import annotations

import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BAD_TEXT = "Could not decode"  # How the driver begins its message on text that is not UTF-8


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
