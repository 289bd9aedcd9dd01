"""Look into a project's files without waiting and without writing: who is in a hurry gets rows, or none."""

from __future__ import annotations

import json
import os

from rum.store.sqlite.uri import address

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

_ATTEMPTS = """
SELECT m.id, a.at, a.worked, a.size, a.marks, a.tried, a.why, a.instead, m.session_id
FROM attempts AS a CROSS JOIN memories AS m ON m.seq = a.memory
WHERE a.key = ? AND m.superseded = 0 ORDER BY a.at DESC, a.memory DESC, a.number DESC LIMIT ?
"""

LAYERS = "m.reasoning, m.outcome, a.form, a.data, m.intent_goal, m.outcome_summary"
"""The columns that `told` takes, of `memories AS m LEFT JOIN archived AS a ON a.memory = m.seq`."""


def told(columns: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The reasoning and the outcome of a memory, from wherever they lie; of what is damaged nothing."""
    reasoning, outcome, form, data, goal, summary = columns
    try:
        if data is not None:
            from rum.store.sqlite.layer_blobs import unpacked  # noqa: PLC0415 (little of it is new)

            _, _, reasoning, _, outcome = unpacked(form, data, goal, summary)
        return json.loads(reasoning), json.loads(outcome)
    except ValueError:
        return {}, {}


class Peek:
    """One file of a project, opened to be read when it is first asked."""

    def __init__(self, folder: str, family: str) -> None:
        self._path = os.path.join(folder, f"{family}.db")
        self._connection: sqlite3.Connection | None = None
        self._tried = False

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; none where the file is missing, busy, damaged, or of another schema."""
        connection = self._opened()
        if connection is None:
            return []
        try:
            return connection.execute(statement, values).fetchall()
        except _driver().Error:
            return []

    def _opened(self) -> sqlite3.Connection | None:
        if not self._tried:
            self._tried = True
            if os.path.exists(self._path):
                self._connection = _connected(self._path)
        return self._connection

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for finders that read more than one thing; OSError where there is none."""
        connection = self._opened()
        if connection is None:
            raise FileNotFoundError(self._path)
        return connection

    def attempts(self, key: str, most: int) -> list[tuple[Any, ...]]:
        """What was tried under a key, newest first.

        (memory id, at, worked, size, marks, tried, why, instead, session) each.
        """
        return self.rows(_ATTEMPTS, (key, most))


def _connected(path: str) -> sqlite3.Connection | None:
    driver = _driver()
    try:
        return driver.connect(address(path, "ro"), uri=True, timeout=0)
    except (driver.Error, ValueError):
        return None


def _driver() -> Any:
    """SQLite without what Python adds for dates, which takes longer to load; most hooks need neither."""
    try:
        import _sqlite3 as driver  # noqa: PLC0415
    except ImportError:  # another Python than CPython
        import sqlite3 as driver  # noqa: PLC0415
    return driver
