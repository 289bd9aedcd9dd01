"""The table of forgotten and pending items."""

from __future__ import annotations

from collections.abc import Iterable

from rum.model.ids import tail_of
from rum.store.tables.statements import Row, Table
from rum.store.trash import TrashItem


class TrashTable(Table):
    """The forgotten and the pending items of one project."""

    def put(self, item: TrashItem) -> int:
        with self._db.transaction():
            if item.number is not None:
                self._db.run("replace_trash_data", {"data": item.data, "number": item.number})
                return item.number
            [number] = self._values("put_trash", item._asdict())
            self._db.run_many("put_trash_mark", [(mark, number) for mark in item.marks])
            return number

    def find(self, name: str, kind: str | None = None, *, pending: bool = False) -> list[TrashItem]:
        rows = self._db.rows("trash_by_id", {"name": name, "kind": kind, "pending": pending})
        if not rows and (tail := tail_of(name)) is not None:
            rows = self._db.rows("trash_by_tail", {"name": tail, "kind": kind, "pending": pending})
        return [self._whole(row) for row in rows]

    def items(self, *, before: int | None = None, limit: int = -1, pending: bool = False) -> list[TrashItem]:
        wanted = {"before": before, "limit": limit, "pending": pending}
        return [_item(row) for row in self._db.rows("trash_items", wanted)]

    def get(self, numbers: Iterable[int]) -> list[TrashItem]:
        return [self._whole(row) for number in numbers for row in self._db.rows("trash_by_number", (number,))]

    def delete(self, numbers: Iterable[int], *, bury: int | None = None) -> int:
        with self._db.transaction():
            deleted = 0
            for number in numbers:
                if bury is not None:
                    self._db.run("bury_trash", {"now": bury, "number": number})
                deleted += self._db.run("delete_trash", (number,))
            return deleted

    def with_groups(self) -> list[TrashItem]:
        return [self._whole(row) for row in self._db.rows("trash_with_groups")]

    def count(self, *, pending: bool = False) -> dict[str, int]:
        return {row["kind"]: row["number"] for row in self._db.rows("count_trash", (pending,))}

    def note_review(self, kind: str, verdict: str, at: int) -> None:
        with self._db.transaction():
            self._db.run("note_review", (at, kind, verdict))

    def count_reviews(self, since: float = 0) -> dict[str, dict[str, int]]:
        counts: dict[str, dict[str, int]] = {}
        for row in self._db.rows("count_reviews", (since,)):
            counts.setdefault(row["verdict"], {})[row["kind"]] = row["number"]
        return counts

    def _whole(self, row: Row) -> TrashItem:
        return _item(row)._replace(marks=tuple(self._values("trash_marks", (row["number"],))))


def _item(row: Row) -> TrashItem:
    fields = {name: row[name] for name in TrashItem._fields if name not in ("marks", "imported", "pending")}
    return TrashItem(**fields, imported=bool(row["imported"]), pending=bool(row["pending"]))
