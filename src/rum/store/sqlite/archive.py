"""The archive in SQLite: which memories may go there, how they go and come back, and how they are found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rum.store.archive import Weighed
from rum.store.sqlite.archive_rows import (
    HEADLINE,
    Parcel,
    distinct_terms,
    drop_all_terms,
    put_away,
    take_back,
)
from rum.store.sqlite.connect import Database
from rum.store.sqlite.fts_lookup import apart, distinct
from rum.store.sqlite.layer_blobs import FORM, packed, unpacked
from rum.store.sqlite.memories import SqliteMemories
from rum.store.sqlite.queries import SQL
from rum.store.vectors import Vector
from rum.text import terms

_AT_ONCE = 1000


class SqliteArchive:
    """The archived memories of one project."""

    def __init__(self, database: Database, memories: SqliteMemories) -> None:
        self._database = database
        self._memories = memories
        self.vectors = SqliteArchivedVectors(database)

    def _rows(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def _numbers(self, statement: str, values: Sequence[object]) -> list[int]:
        # As one text, which Python reads in half the time.
        found = f"SELECT json_group_array(seq) FROM ({statement})"  # noqa: S608 statements of ours
        return json.loads(self._database.connection.execute(found, values).fetchone()[0])

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
                if self.among([seq]):
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
            whole = {memory.id: memory for memory in self._memories.readable(ids)}
            best = {
                memory.id: memory for memory in self._memories.best([one for one in ids if one not in whole])
            }
            for last, one, *state in rows:
                if one not in whole:
                    left_out(one)
                made_by = terms.VERSION if one in whole else HEADLINE
                held = distinct_terms(whole.get(one) or best[one])
                self._database.connection.execute(SQL["renew_terms"], (last, *state, *held, made_by))

    def among(self, numbers: Iterable[int]) -> set[int]:
        """Which of the memories with these numbers are archived."""
        return set(self._numbers(SQL["archived_among"], (distinct(numbers),)))

    def existing(self, terms: Iterable[str]) -> list[str]:
        """Which of the terms the index of the archive holds."""
        found = "SELECT t.term FROM json_each(?) AS wanted JOIN archived_terms AS t ON t.term = wanted.value"
        return [term for (term,) in self._database.connection.execute(found, (distinct(terms),))]

    def holders(self, term: str, cap: int) -> list[int]:
        """The numbers of the archived memories that hold a term, the one stored last first."""
        return self._matching(apart(term), cap)

    def holders_beside(self, term: str, others: Iterable[str]) -> list[int]:
        """The numbers of the archived memories that hold a term and any of the others."""
        return self._matching(f"{apart(term)} AND ({' OR '.join(f'({apart(one)})' for one in others)})", -1)

    def newest_with(self, terms: Iterable[str], cap: int) -> list[int]:
        """The numbers of the archived memories with every term, the one stored last first."""
        return self._matching(" AND ".join(map(apart, terms)) or apart(""), cap)

    def _matching(self, query: str, cap: int) -> list[int]:
        newest = (
            "SELECT rowid AS seq FROM archived_text WHERE archived_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        )
        return self._numbers(newest, (query, cap))


class SqliteArchivedVectors:
    """The vectors of archived memories."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Sequence[object]) -> list[Any]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def _number(self, model: str) -> int | None:
        rows = self._rows("model_number", (model,))
        return rows[0][0] if rows else None

    def any(self, model: str) -> bool:
        """Whether any archived memory has a vector of a model."""
        return bool(self._rows("any_archived_vector", (self._number(model),)))

    def since(self, model: str, number: int, most: int) -> list[Vector]:
        """The vectors that came after that number, in order."""
        return self._rows("archived_vectors_since", (number, self._number(model), most))

    def owners(self, numbers: Sequence[int]) -> dict[int, int]:
        """The numbers of the memories whose vectors these are; one that went is left out."""
        return dict(self._rows("owners_of_archived_vectors", (json.dumps(list(numbers)),)))

    def origin(self) -> object:
        """A mark that changes when the whole store was exchanged, as by a backup: numbers start over."""
        return self._database.file
