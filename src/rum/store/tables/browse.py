"""Lists of memories, and counts by time and file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rum.store.browse import ChildPath, EntryRow, PathCount, PeriodCount
from rum.store.tables.statements import Row, Table

LAST = chr(1114111)  # After every other character
_tags = msgspec.json.Decoder(tuple[str, ...])


class BrowseTable(Table):
    """Lists and counts of one project; a database adds `entries`, which depends on its filters."""

    def entries_of(self, ids: Sequence[str]) -> list[EntryRow]:
        rows = self._db.rows_for("entries_by_id", dict.fromkeys(ids))
        found = {row["id"]: self._entry(row) for row in rows}
        return [found[one] for one in ids if one in found]

    def _entry(self, row: Row) -> EntryRow:
        values = {name: row[name] for name in EntryRow._fields}
        for name in ("success", "superseded", "reverted", "archived"):
            values[name] = bool(values[name])
        damaged = self._db.damaged_rows
        values["tags"] = damaged.read("memory", row["id"], lambda: _tags.decode(row["tags"]), ())
        values["origin"] = row["origin"] or "agent"
        return EntryRow(**values)

    def count_periods(
        self, periods: Sequence[tuple[int, int]], agent_id: str | None = None
    ) -> list[PeriodCount]:
        starts, ends = ([period[at] for period in periods] for at in (0, 1))
        values: dict[str, Any] = {"starts": self._db.array(starts), "ends": self._db.array(ends)}
        if agent_id is not None:
            values["agent"] = agent_id
        rows = self._db.rows("count_periods_of_agent" if agent_id else "count_periods", values)
        return [PeriodCount(**{name: row[name] for name in PeriodCount._fields}) for row in rows]

    def count_by_agent(self) -> dict[str, int]:
        return {row["agent_id"]: row["number"] for row in self._db.rows("count_by_agent")}

    def failing_files(self, since: int, max_failures: int, limit: int) -> list[PathCount]:
        values = {"since": since, "failures": max_failures, "limit": limit}
        return [
            PathCount(**{name: row[name] for name in PathCount._fields})
            for row in self._db.rows("failing_files", values)
        ]

    def recent_paths(self, since: int, max_memories: int) -> list[tuple[str, str, bool]]:
        rows = self._db.rows("recent_paths", {"since": since, "limit": max_memories})
        return [(row["path"], row["memory_id"], bool(row["success"])) for row in rows]

    def children(self, folder: str, after: str, limit: int, max_counted: int) -> list[ChildPath]:
        prefix = f"{folder}/" if folder else ""
        found: list[ChildPath] = []
        for row in self._db.rows("children", {"folder": prefix, "after": after, "limit": limit}):
            found.append(self.count_path(prefix + row["path"], bool(row["is_folder"]), max_counted))
        return found

    def count_path(self, path: str, is_folder: bool, max_counted: int) -> ChildPath:
        first, last = (f"{path}/", f"{path}/{LAST}") if is_folder else (path, path)
        [counts] = self._db.rows("count_below", {"first": first, "last": last, "cap": max_counted})
        exact = counts["rows_read"] < max_counted
        at = counts["last"] if exact or not is_folder else 0
        return ChildPath(path, is_folder, counts["memories"], counts["failures"], at, exact)
