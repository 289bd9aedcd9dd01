"""The table of anchors, and the names that files got later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rum.store.anchors import TextAnchors
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

    def of_texts(self, names: Iterable[str] | None = None) -> dict[str, TextAnchors]:
        rows = (
            self._db.rows("all_text_anchors")
            if names is None
            else self._db.rows_for("text_anchors_of", names)
        )
        return {row["name"]: TextAnchors(row["mark"], bytes(row["data"])) for row in rows}

    def put_texts(self, anchors: Mapping[str, TextAnchors]) -> None:
        if anchors:
            with self._db.transaction():
                rows = [{"name": name, **one._asdict()} for name, one in anchors.items()]
                self._db.run_many("put_text_anchors", rows)

    def delete_texts(self, names: Iterable[str]) -> None:
        if gone := list(names):
            with self._db.transaction():
                self._db.run_for("delete_text_anchors", gone)
