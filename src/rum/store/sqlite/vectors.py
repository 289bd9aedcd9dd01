"""Vectors in SQLite: a table of their own beside the memories, read into memory to find the nearest."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rum.store.sqlite.archive_rows import is_archived, move_vectors
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL
from rum.store.sqlite.search import vector_state
from rum.store.vectors import Nearest, VectorCounts, VectorState

if TYPE_CHECKING:
    from rum.store.packed_vectors import Floats
    from rum.store.sqlite.vector_matrix import Matrix

Ranked = list[tuple[int, float]]  # Numbers of vectors with their cosines, nearest first

_SPARE = 16  # Vectors looked at beyond those asked for, as some may have gone with their memory
_BATCH = 8192
_FIRST_GROWTH = 1000


class SqliteVectors:
    """The vectors of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._live = _InMemory(database, "live")
        self._archived = _InMemory(database, "archived")

    def _rows(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def _number(self, model: str) -> int | None:
        rows = self._rows("model_number", (model,))
        return rows[0][0] if rows else None

    def adopt(self, model: str, now: int, patience: float | None = None) -> None:
        with self._database.transaction(patience) as db:
            db.execute(SQL["use_model"], {"name": model, "now": now})
            done, pending, _ = self.counts(model)
            # All of them for a new model; else what was written by a RUM that knew nothing of vectors.
            if done + pending != self._rows("count_memories")[0][0]:
                db.execute(SQL["queue_missing"], (self._number(model),))

    def record_use(self, model: str, now: int, before: int) -> None:
        if self._rows("model_noted_before", (model, before)):
            with self._database.transaction(0) as db:
                db.execute(SQL["renew_model"], (now, model))

    def pending(self, model: str, most: int, among: Collection[int] | None = None) -> list[str]:
        asked = {"model": model, "most": most}
        if among is None:
            return [one for (one,) in self._rows("pending_vectors", asked)]
        return [one for (one,) in self._rows("pending_among", {**asked, "keys": json.dumps(list(among))})]

    def put(
        self, model: str, vectors: Iterable[tuple[str, int, bytes]], patience: float | None = None
    ) -> int:
        kept = 0
        with self._database.transaction(patience) as db:
            number = self._number(model)
            for memory_id, version, data in vectors:
                for (seq,) in self._rows("seq_of_version", (memory_id, version)):
                    db.execute(SQL["insert_vector"], (seq, number, data))
                    db.execute(SQL["unqueue_memory"], (seq, number))
                    if is_archived(db, seq):
                        move_vectors(db, seq)
                    kept += 1
        return kept

    def state(self, model: str) -> VectorState:
        return vector_state(*self._rows("vector_state", (model,))[0])

    def nearest(self, model: str, vector: Floats, live: int, archived: int = 0) -> Nearest:
        first = self._live.ranked(model, vector, live), self._archived.ranked(model, vector, archived)
        live_owners, archived_owners = self._owners(*first)
        return Nearest(
            self._live.nearest(model, vector, live, first[0], live_owners),
            self._archived.nearest(model, vector, archived, first[1], archived_owners),
        )

    def _owners(self, live: Ranked, archived: Ranked) -> tuple[Owners, Owners]:
        numbers = {"live": live, "archived": archived}
        asked = {part: json.dumps([number for number, _ in ranked]) for part, ranked in numbers.items()}
        rows = self._rows("owners_of_vectors", asked)
        return _owners_in(rows, "live"), _owners_in(rows, "archived")

    def cosines(self, model: str, vector: Floats, keys: Collection[int]) -> dict[int, float]:
        from rum.store.packed_vectors import cosines  # noqa: PLC0415 (loads numpy)

        # A vector in memory may be of a memory's text as it was, so the table says which one is in force.
        rows = self._rows("vectors_of", {"keys": json.dumps(list(keys)), "model": model})
        own = {memory: number for memory, number, _ in rows if number is not None}
        read = self._live.cosines(model, vector, own.values())
        near = {memory: read[number] for memory, number in own.items() if number in read}
        return near | cosines(vector, {memory: data for memory, number, data in rows if number is None})

    def keep_scale(self, model: str, scale: tuple[float, float], patience: float | None = None) -> None:
        with self._database.transaction(patience) as db:
            db.execute(SQL["note_scale"], (self._number(model), " ".join(map(repr, scale))))

    def counts(self, model: str) -> VectorCounts:
        number = self._number(model)
        if number is None:
            return VectorCounts(0, self._rows("count_memories")[0][0], 0)
        counted = ("count_vectors", "count_queue", "count_refused")
        return VectorCounts(*(self._rows(what, (number,))[0][0] for what in counted))

    def models(self) -> list[str]:
        return [name for name, _ in self._rows("vector_models")]

    def drop_unused(self, kept: str, before: int) -> int:
        dropped = 0
        with self._database.transaction() as db:
            for (number,) in self._rows("unused_models", {"kept": kept, "before": before}):
                dropped += db.execute(SQL["delete_vectors"], (number,)).rowcount
                dropped += db.execute(SQL["delete_archived_vectors"], (number,)).rowcount
                for statement in ("delete_queue", "delete_scale", "delete_model"):
                    db.execute(SQL[statement], (number,))
        return dropped

    def requeue(self, *, drop: bool = False) -> None:
        dropped = ("delete_vectors", "delete_archived_vectors", "delete_scale")
        statements = (*dropped, "queue_missing") if drop else ("delete_queue", "queue_missing")
        with self._database.transaction() as db:
            for _, number in self._rows("vector_models"):
                for statement in statements:
                    db.execute(SQL[statement], (number,))


class Owners(NamedTuple):
    """The highest number of any vector, and the memories of some vectors by number."""

    last: int
    memories: dict[int, int]


def _owners_in(rows: list[Any], which: str) -> Owners:
    """What `owners_of_vectors` tells of the live or the archived ones."""
    own = [(number, memory) for part, number, memory in rows if part == which]
    return Owners(own[0][1], dict(own[1:]))


class _InMemory:
    """The vectors of one model, of the live memories or of the archived ones, as far as they were read.

    They are read on from the highest number seen: SQLite has one writer at a time, so that no vector appears
    below a number that was read.
    """

    def __init__(self, database: Database, which: str) -> None:
        self._database = database
        self._which = which
        self._matrix: Matrix | None = None
        self._file: object = None
        self._room = 0

    def _rows(self, statement: str, values: Mapping[str, object]) -> list[Any]:
        return self._database.connection.execute(SQL[f"{statement}_{self._which}"], values).fetchall()

    def __len__(self) -> int:
        return len(self._matrix or ())

    def cosines(self, model: str, question: Floats, numbers: Collection[int]) -> dict[int, float]:
        """How near the vectors with these numbers are to one."""
        matrix = self._opened(model, len(question))
        if any(number > matrix.last for number in numbers):
            self._read_on(model, matrix)
        return matrix.cosines(question, numbers)

    def ranked(self, model: str, question: Floats, most: int) -> Ranked:
        """The numbers of the nearest vectors with their cosines, a few more than asked for."""
        return self._opened(model, len(question)).nearest(question, most + _SPARE) if most else []

    def nearest(
        self, model: str, question: Floats, most: int, ranked: Ranked, owners: Owners
    ) -> list[tuple[int, float]]:
        """The memories nearest to a vector, from the vectors `ranked` before and their owners."""
        if not most:
            return []
        ranked, owned = self._current(model, question, most + _SPARE, ranked, owners)
        if len(owned) < min(most, len(ranked)):
            # More are gone than could be spared: what is in memory is too old.
            self._matrix = None
            ranked = self._opened(model, len(question)).nearest(question, most)
            ranked, owned = self._current(model, question, most, ranked, self._owners(ranked))
        return [(owned[number], cosine) for number, cosine in ranked if number in owned][:most]

    def _current(
        self, model: str, question: Floats, most: int, ranked: Ranked, owners: Owners
    ) -> tuple[Ranked, dict[int, int]]:
        """The nearest vectors, also of those written since, and the memories of those still there."""
        matrix = self._opened(model, len(question))
        if owners.last > matrix.last:
            self._read_on(model, matrix, owners.last)
            ranked = matrix.nearest(question, most)
            owners = self._owners(ranked)
        matrix.drop([number for number, _ in ranked if number not in owners.memories])
        return ranked, owners.memories

    def _owners(self, ranked: Ranked) -> Owners:
        numbers = json.dumps([number for number, _ in ranked])
        asked = {"live": "[]", "archived": "[]", self._which: numbers}
        rows = self._database.connection.execute(SQL["owners_of_vectors"], asked).fetchall()
        return _owners_in(rows, self._which)

    def _opened(self, model: str, dimensions: int) -> Matrix:
        """All vectors of the model that were there when they were last read."""
        from rum.store.sqlite.vector_matrix import Matrix  # noqa: PLC0415 (loads numpy)

        file, matrix = self._database.file, self._matrix
        if (
            matrix is None
            or file != self._file
            or matrix.dimensions != dimensions
            or matrix.model != model
            or len(matrix) > self._room
        ):
            # Replaced vectors stay in memory until it has grown by half; then all are read again.
            matrix, self._file = Matrix(dimensions, model=model), file
            self._read_on(model, matrix)
            self._room = len(matrix) * 3 // 2 + _FIRST_GROWTH
            self._matrix = matrix
        return matrix

    def _read_on(self, model: str, matrix: Matrix, last: int = 0) -> None:
        asked = {"model": model, "most": _BATCH}
        while rows := self._rows("vectors_since", {**asked, "number": matrix.last}):
            matrix.add(rows)
            if len(rows) < _BATCH:
                break
        matrix.last = max(matrix.last, last)  # the last ones may be of another model
