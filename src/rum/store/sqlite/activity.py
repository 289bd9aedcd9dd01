"""How memories are used, in a file of its own that never blocks a memory's write."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from rum.model.answers import Use
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL


class SqliteActivity:
    """Access counts of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_uses(self, times: Mapping[str, int], now: int) -> bool:
        """Count retrievals; False when it could not be written now, and the caller may try later."""
        rows = [{"id": memory_id, "times": count, "last": now} for memory_id, count in times.items()]
        return self._written("add_use", rows)

    def _written(self, statement: str, rows: list[dict[str, Any]]) -> bool:
        """Write rows without waiting for anybody; False when that was not possible now."""
        db = self._database.connection
        if self._database.access != "write":
            return False
        try:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(SQL[statement], rows)
            db.execute("COMMIT")
        except sqlite3.Error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            return False
        return True

    def set_use(self, memory_id: str, use: Use) -> None:
        """Take over a count from elsewhere; the larger one stands."""
        with self._database.transaction() as db:
            db.execute(SQL["set_use"], (memory_id, use.times, use.last or 0))

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """The use of each memory that has any."""
        rows = self._database.connection.execute(SQL["uses_of"], (json.dumps(list(ids)),))
        return {memory_id: Use(times, last) for memory_id, times, last in rows}

    def most_used(self) -> list[tuple[str, int]]:
        """(memory id, times), most used first."""
        return self._database.connection.execute(SQL["most_used"]).fetchall()

    def delete(self, memory_id: str) -> None:
        """Forget how a memory was used, and what was said of it."""
        statements = ("delete_use", "delete_offered", "delete_offers", "delete_feedback", "delete_usefulness")
        with self._database.transaction() as db:
            for statement in statements:
                db.execute(SQL[statement], (memory_id,))

    def fail(self, part: str, why: str, now: int) -> bool:
        """Note what failed and why, where it can be written at once; whether it could."""
        return self._written("note_failure", [{"part": part, "failed_at": now, "why": why}])

    def failure(self, part: str) -> tuple[int, str] | None:
        """When and why a part failed last, unless it works again."""
        return self._database.connection.execute(SQL["failure_of"], (part,)).fetchone()

    def works(self, part: str) -> None:
        """Note that a part works again."""
        self._written("delete_failure", [{"part": part}])
