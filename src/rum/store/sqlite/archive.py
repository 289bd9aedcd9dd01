"""The archive and the trash in SQLite: memories put aside, and items forgotten or waiting for review."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rum.model.ids import tail_of
from rum.store.base import ReadMode
from rum.store.sqlite.connect import Database
from rum.store.sqlite.memories import LAYERS, SqliteMemories, distinct_terms, is_archived, take_back
from rum.store.sqlite.records import SQL, Row, Table
from rum.store.sqlite.rows import FORM, packed, unpacked
from rum.store.sqlite.sql_text import distinct
from rum.store.trash import TrashItem
from rum.store.upkeep import Weighed
from rum.text import terms

HEADLINE = -1  # In place of a tokeniser's version: only the headline is indexed, as the rest is damaged
_BATCH_SIZE = 1000


class Parcel(NamedTuple):
    """A memory prepared for the archive; it is archived if it still has that version."""

    seq: int
    memory_id: str
    version: int
    data: bytes
    terms: str
    length: int


class SqliteArchive(Table):
    """The archived memories of one project."""

    def __init__(self, database: Database, memories: SqliteMemories) -> None:
        super().__init__(database)
        self._memories = memories

    def weigh(self, before: int, importance: float) -> Iterator[list[Weighed]]:
        query = {"before": before, "importance": importance, "at": -1, "id": "", "most": _BATCH_SIZE}
        while rows := self._rows("weigh_live", query):
            yield [Weighed(row["id"], bool(row["superseded"]), row["against"]) for row in rows]
            query |= {"at": rows[-1]["created_at"], "id": rows[-1]["id"]}

    def put(self, ids: Sequence[str], now: int) -> int:
        parcels = self._parcels(ids)  # before the transaction, so that other writers wait less
        with self._database.transaction() as db:
            return sum([put_away(db, parcel, now) for parcel in parcels])

    def _parcels(self, ids: Sequence[str]) -> list[Parcel]:
        memories = {memory.id: memory for memory in self._memories.get(ids, ReadMode.SKIP_DAMAGED)}
        parcels: list[Parcel] = []
        for row in self._rows("layers_of_live", (distinct(ids),)):
            memory, goal, summary = memories.get(row["id"]), row["intent_goal"], row["outcome_summary"]
            layers = [row[name] for name in LAYERS]
            data = packed(layers, goal, summary)
            # Only what can be unpacked again is archived.
            is_readable = unpacked(FORM, data, goal, summary) == layers
            if memory and memory.version == row["version"] and is_readable:
                parcels.append(Parcel(row["seq"], memory.id, memory.version, data, *distinct_terms(memory)))
        return parcels

    def take_back(self, ids: Sequence[str]) -> int:
        with self._database.transaction() as db:
            restored = 0
            for memory in self._memories.get(list(dict.fromkeys(ids))):
                [seq] = self._values("seq_of", (memory.id,))
                if is_archived(db, seq):
                    take_back(db, seq, memory)
                    restored += 1
            return restored

    def reindex(self, left_out: Callable[[str], None]) -> None:
        """Rebuild the index of the archive; call `left_out` with the id of each damaged memory.

        The new terms are collected in a temporary table while others work, and replace the old ones in one
        transaction. If the process is killed, the old index stays.
        """
        with self._database.transaction() as db:  # raises StorageError if nothing can be written
            db.execute(SQL["end_renewed"])
            db.execute(SQL["begin_renewed"])
        try:
            self._gather(left_out)
            with self._database.transaction() as db:
                self._gather(left_out)  # what was archived meanwhile
                db.execute(SQL["drop_all_archived_terms"])
                db.execute(SQL["note_no_archived_terms"])
                db.execute(SQL["put_renewed_terms"])
                db.execute(SQL["note_renewed_terms"])
        finally:
            self._database.connection.execute(SQL["end_renewed"])

    def _gather(self, left_out: Callable[[str], None]) -> None:
        last = -1
        while rows := self._rows("yet_to_renew", (last, _BATCH_SIZE)):
            ids = [row["id"] for row in rows]
            whole = {memory.id: memory for memory in self._memories.get(ids, ReadMode.SKIP_DAMAGED)}
            damaged = [memory_id for memory_id in ids if memory_id not in whole]
            headlines = {memory.id: memory for memory in self._memories.get(damaged, ReadMode.BEST_EFFORT)}
            for row in rows:
                last, memory_id = row["memory"], row["id"]
                if memory_id not in whole:
                    left_out(memory_id)
                made_by = terms.VERSION if memory_id in whole else HEADLINE
                own_terms = distinct_terms(whole.get(memory_id) or headlines[memory_id])
                values = (last, row["archived_at"], row["version"], *own_terms, made_by)
                self._database.connection.execute(SQL["renew_terms"], values)


def put_away(db: sqlite3.Connection, parcel: Parcel, now: int) -> bool:
    """Move a memory into the archive; False if it was changed, forgotten or archived meanwhile."""
    if not db.execute(SQL["is_live_as"], parcel[:3]).fetchone():
        return False
    seq = parcel.seq
    row = (seq, now, FORM, parcel.data, parcel.length, terms.VERSION)
    db.execute(SQL["archive_memory"], row)
    db.execute(SQL["set_layers"], (*([""] * len(LAYERS)), seq))
    db.execute(SQL["delete_text"], (seq,))
    db.execute(SQL["add_archived_terms"], (seq, parcel.terms))
    move_vectors(db, seq)
    db.execute(SQL["more_archived"], (1,))
    return True


def move_vectors(db: sqlite3.Connection, seq: int) -> None:
    """Move the vectors of an archived memory to a table of their own."""
    db.execute(SQL["archive_vectors"], (seq,))
    db.execute(SQL["drop_live_vectors"], (seq,))


class SqliteTrash(Table):
    """The forgotten and the pending items of one project."""

    def put(self, item: TrashItem) -> int:
        with self._database.transaction() as db:
            if item.number is not None:
                db.execute(SQL["replace_trash_data"], {"data": item.data, "number": item.number})
                return item.number
            number = db.execute(SQL["put_trash"], item._asdict()).lastrowid or 0
            db.executemany(SQL["put_trash_mark"], [(mark, number) for mark in item.marks])
            return number

    def find(self, name: str, kind: str | None = None, *, pending: bool = False) -> list[TrashItem]:
        rows = self._rows("trash_by_id", {"name": name, "kind": kind, "pending": pending})
        if not rows and (tail := tail_of(name)) is not None:
            rows = self._rows("trash_by_tail", {"name": tail, "kind": kind, "pending": pending})
        return [self._whole(row) for row in rows]

    def items(self, *, before: int | None = None, limit: int = -1, pending: bool = False) -> list[TrashItem]:
        wanted = {"before": before, "limit": limit, "pending": pending}
        return [_item(row) for row in self._rows("trash_items", wanted)]

    def get(self, numbers: Iterable[int]) -> list[TrashItem]:
        return [self._whole(row) for number in numbers for row in self._rows("trash_by_number", (number,))]

    def delete(self, numbers: Iterable[int], *, bury: int | None = None) -> int:
        with self._database.transaction() as db:
            deleted = 0
            for number in numbers:
                if bury is not None:
                    db.execute(SQL["bury_trash"], {"now": bury, "number": number})
                deleted += db.execute(SQL["delete_trash"], (number,)).rowcount
            return deleted

    def with_groups(self) -> list[TrashItem]:
        return [self._whole(row) for row in self._rows("trash_with_groups")]

    def count(self, *, pending: bool = False) -> dict[str, int]:
        return {row["kind"]: row["number"] for row in self._rows("count_trash", (pending,))}

    def note_review(self, kind: str, verdict: str, at: int) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["note_review"], (at, kind, verdict))

    def count_reviews(self, since: float = 0) -> dict[str, dict[str, int]]:
        counts: dict[str, dict[str, int]] = {}
        for row in self._rows("count_reviews", (since,)):
            counts.setdefault(row["verdict"], {})[row["kind"]] = row["number"]
        return counts

    def _whole(self, row: Row) -> TrashItem:
        return _item(row)._replace(marks=tuple(self._values("trash_marks", (row["number"],))))


def _item(row: Row) -> TrashItem:
    fields = {name: row[name] for name in TrashItem._fields if name not in ("marks", "imported", "pending")}
    return TrashItem(**fields, imported=bool(row["imported"]), pending=bool(row["pending"]))
