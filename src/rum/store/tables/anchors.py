"""The table of anchors, and the names that files got later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rum.store.tables.statements import Table


class AnchorTable(Table):
    """The anchors of one project's memories."""

    def of(self, ids: Iterable[str]) -> dict[str, bytes]:
        return {row["id"]: bytes(row["data"]) for row in self._db.rows_for("anchors_of", ids)}

    def put(self, anchors: Mapping[str, bytes]) -> None:
        if anchors:
            with self._db.transaction():
                rows = [{"id": one, "data": data} for one, data in anchors.items()]
                self._db.run_many("put_anchors", rows)

    def missing(self, limit: int) -> list[str]:
        return self._values("without_anchors", (limit,))

    def claims(self, limit: int) -> list[str]:
        return self._values("anchored_claims", (limit,))

    def later_names(self, paths: Iterable[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in self._db.rows_for("later_names", paths):
            found.setdefault(row["before"], []).append(row["path"])
        return found
