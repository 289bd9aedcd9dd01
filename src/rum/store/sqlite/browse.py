"""Memories in pages, by filters and files."""

from __future__ import annotations

from rum.store.browse import EntryQuery, EntryRow
from rum.store.sqlite.connect import Database
from rum.store.sqlite.records import SqliteStatements
from rum.store.sqlite.rows import fetch_rows
from rum.store.sqlite.sql_text import conditions
from rum.store.tables.browse import LAST, BrowseTable

# If more rows have a tag or are below a folder, memories are read in order of time and compared with it.
_MANY = 2000


class SqliteBrowse(BrowseTable):
    """Lists and counts of one project."""

    def __init__(self, database: Database) -> None:
        super().__init__(SqliteStatements(database))
        self._database = database

    def entries(self, query: EntryQuery) -> list[EntryRow]:
        tags = query.filters.tags
        many = bool(tags) and all(self._is_frequent("count_tagged", tag) for tag in tags)
        where, values = conditions(query.filters, each=many)
        parts, order = [where], "" if query.oldest_first else " DESC"
        if query.unverified:
            parts.append("instr(m.tags, '\"unverified\"') > 0")
        if query.path is not None:
            parts.append(self._touches(query.path, values))
        if query.after is not None:
            parts.append(f"(m.created_at, m.id) {'>' if query.oldest_first else '<'} (?, ?)")
            values += query.after
        statement = (
            f"SELECT m.id FROM memories AS m WHERE {' AND '.join(parts)} "
            f"ORDER BY m.created_at{order}, m.id{order} LIMIT ?"
        )
        rows = fetch_rows(self._database.connection, statement, [*values, query.limit])
        return self.entries_of([memory_id for (memory_id,) in rows])

    def _is_frequent(self, statement: str, *values: object) -> bool:
        """Whether so many rows have something that most of the newest memories have it."""
        return self._values(statement, (*values, _MANY))[0] >= _MANY

    def _touches(self, path: str, values: list[object]) -> str:
        """The condition that a memory touched a file or something below a folder."""
        first, last = f"{path}/", f"{path}/{LAST}"
        values += [path, first, last]
        below = "f.file_path = ? OR (f.file_path >= ? AND f.file_path < ?)"
        if self._is_frequent("count_rows_below", first, last):
            return f"EXISTS (SELECT 1 FROM memory_files AS f WHERE f.memory_id = m.id AND ({below}))"
        return f"m.id IN (SELECT f.memory_id FROM memory_files AS f WHERE {below})"
