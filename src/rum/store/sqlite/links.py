"""The edges between memories in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rum.model.errors import InvalidQuery
from rum.model.links import Edge, LinkType
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL


class SqliteLinks:
    """The links of one project's memories."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, edge: Edge, now: int) -> bool:
        """Add an edge; False when it was there. A circle of `supersedes` is refused."""
        with self._database.transaction() as db:
            if edge.link_type is LinkType.SUPERSEDES:
                ends = {"source_id": edge.target_id, "target_id": edge.source_id}
                if db.execute(SQL["supersedes_reaches"], ends).fetchone():
                    raise InvalidQuery(
                        f"{edge.target_id} supersedes {edge.source_id} already; a circle is not possible.",
                        field="supersedes",
                    )
            created = db.execute(SQL["insert_link"], (*edge[:2], edge.link_type.value, now)).rowcount == 1
            if created and edge.link_type is LinkType.SUPERSEDES:
                db.execute(SQL["mark_superseded"], (json.dumps([edge.target_id]),))
            return created

    def of(self, ids: Iterable[str]) -> list[Edge]:
        """Every edge that touches any of these memories."""
        rows = self._database.connection.execute(SQL["edges_of"], {"ids": json.dumps(list(ids))})
        return [Edge(source, target, LinkType(kind)) for source, target, kind in rows]

    def all(self) -> list[tuple[Edge, int]]:
        """Every edge with the time it was made."""
        rows = self._database.connection.execute(SQL["all_edges"])
        return [(Edge(source, target, LinkType(kind)), at) for source, target, kind, at in rows]
