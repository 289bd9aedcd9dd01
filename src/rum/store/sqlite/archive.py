"""The archive in SQLite: which memories may go there, how they go and come back, and how they are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rum.store.base import ReadMode
from rum.store.sqlite.archive_rows import (
    HEADLINE,
    Parcel,
    distinct_terms,
    drop_all_terms,
    is_archived,
    put_away,
    take_back,
)
from rum.store.sqlite.connect import Database
from rum.store.sqlite.fts_query import distinct
from rum.store.sqlite.layer_blobs import FORM, packed, unpacked
from rum.store.sqlite.memories import SqliteMemories
from rum.store.sqlite.queries import SQL
from rum.store.upkeep import Weighed
from rum.text import terms

_AT_ONCE = 1000


class SqliteArchive:
    """The archived memories of one project."""

    def __init__(self, database: Database, memories: SqliteMemories) -> None:
        self._database = database
        self._memories = memories

    def _rows(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def count(self) -> int:
        """How many there are, as it was counted when they came and went."""
        rows = self._rows("get_derived", ("archived",))
        return int(rows[0][0]) if rows else 0

    def weigh(self, before: int, importance: float) -> Iterator[list[Weighed]]:
        """Every live memory with what speaks against archiving it, oldest first, in batches."""
        asked = {"before": before, "importance": importance, "at": -1, "id": "", "most": _AT_ONCE}
        while rows := self._rows("weigh_live", asked):
            yield [Weighed(one, bool(superseded), against) for _, one, superseded, against in rows]
            asked |= {"at": rows[-1][0], "id": rows[-1][1]}

    def put(self, ids: Sequence[str], now: int) -> int:
        """Archive memories, all in one transaction; how many still were live."""
        parcels = self._parcels(ids)  # before others have to wait
        with self._database.transaction() as db:
            return sum([put_away(db, parcel, now) for parcel in parcels])

    def _parcels(self, ids: Sequence[str]) -> list[Parcel]:
        memories = {memory.id: memory for memory in self._memories.get(ids)}
        parcels: list[Parcel] = []
        for seq, one, version, goal, summary, *layers in self._rows("layers_of_live", (distinct(ids),)):
            memory, data = memories.get(one), packed(layers, goal, summary)
            # Nothing goes before it is sure that it comes back.
            if memory and memory.version == version and unpacked(FORM, data, goal, summary) == layers:
                parcels.append(Parcel(seq, one, version, data, *distinct_terms(memory)))
        return parcels

    def take_back(self, ids: Sequence[str]) -> int:
        """Make archived memories live again, in one transaction; how many were archived."""
        with self._database.transaction() as db:
            back = 0
            for memory in self._memories.get(list(dict.fromkeys(ids))):
                (seq,) = db.execute(SQL["seq_of"], (memory.id,)).fetchone()
                if is_archived(db, seq):
                    take_back(db, seq, memory)
                    back += 1
            return back

    def reindex(self, left_out: Callable[[str], None]) -> None:
        """Make the index of the archive anew; `left_out` is told of each memory that cannot be read.

        The terms are gathered beside it while others go on. It is exchanged in one transaction, so that
        whoever is killed leaves the old one.
        """
        with self._database.transaction() as db:  # where nothing can be written, this says so
            db.execute(SQL["end_renewed"])
            db.execute(SQL["begin_renewed"])
        try:
            self._gather(left_out)
            with self._database.transaction() as db:
                self._gather(left_out)  # what was archived meanwhile
                drop_all_terms(db)
                db.execute(SQL["put_renewed_terms"])
                db.execute(SQL["note_renewed_terms"])
        finally:
            self._database.connection.execute(SQL["end_renewed"])

    def _gather(self, left_out: Callable[[str], None]) -> None:
        last = -1
        while rows := self._rows("yet_to_renew", (last, _AT_ONCE)):
            ids = [one for _, one, *_ in rows]
            whole = {memory.id: memory for memory in self._memories.get(ids, ReadMode.SKIP_DAMAGED)}
            best = {
                memory.id: memory
                for memory in self._memories.get(
                    [one for one in ids if one not in whole], ReadMode.BEST_EFFORT
                )
            }
            for last, one, *state in rows:
                if one not in whole:
                    left_out(one)
                made_by = terms.VERSION if one in whole else HEADLINE
                held = distinct_terms(whole.get(one) or best[one])
                self._database.connection.execute(SQL["renew_terms"], (last, *state, *held, made_by))
