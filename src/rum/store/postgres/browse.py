"""Memories in pages, by filters and files."""

from __future__ import annotations

from rum.store.browse import EntryQuery, EntryRow
from rum.store.postgres.connect import Database
from rum.store.postgres.lookup import conditions
from rum.store.postgres.statements import with_values
from rum.store.tables.browse import LAST, BrowseTable


class PostgresBrowse(BrowseTable):
    """Lists and counts of one project."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def entries(self, query: EntryQuery) -> list[EntryRow]:
        where, values = conditions(query.filters)
        parts, order = [where], "" if query.oldest_first else " DESC"
        if query.unverified:
            parts.append("strpos(m.tags, '\"unverified\"') > 0")
        if query.path is not None:
            parts.append(
                "EXISTS (SELECT 1 FROM memory_files AS f WHERE f.project = :project AND f.memory_id = m.id "
                "AND (f.file_path = :path OR (f.file_path >= :first AND f.file_path < :last)))"
            )
            values |= {"path": query.path, "first": f"{query.path}/", "last": f"{query.path}/{LAST}"}
        if query.after is not None:
            parts.append(f"(m.created_at, m.id) {'>' if query.oldest_first else '<'} (:after_at, :after_id)")
            values |= {"after_at": query.after[0], "after_id": query.after[1]}
        statement = (
            f"SELECT m.id FROM memories AS m WHERE {' AND '.join(parts)} "
            f"ORDER BY m.created_at{order}, m.id{order} LIMIT :limit"
        )
        rows = self._database.fetch(with_values(statement), {**values, "limit": query.limit})
        return self.entries_of([row[0] for row in rows])
