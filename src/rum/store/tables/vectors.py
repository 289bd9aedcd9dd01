"""The tables of vectors, which are read into memory to find the nearest."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from rum.store.tables.statements import Row, Statements, Table
from rum.store.vectors import Nearest, VectorCounts, VectorState, packed_vectors

if TYPE_CHECKING:
    from rum.store.packed_vectors import Floats, Matrix

Ranked = list[tuple[int, float]]  # Numbers of vectors with their cosines, nearest first

_SPARE = 16  # Number of additional vectors compared, as some may have been deleted with their memory
_BATCH = 8192
_FIRST_GROWTH = 1000


class VectorTable(Table):
    """The vectors of one project."""

    def __init__(self, db: Statements) -> None:
        super().__init__(db)
        self._live = _InMemory(db, "live")
        self._archived = _InMemory(db, "archived")

    def _number(self, model: str) -> int | None:
        rows = self._db.rows("model_number", (model,))
        return rows[0][0] if rows else None

    def adopt(self, model: str, now: int) -> None:
        with self._db.transaction():
            self._db.run("use_model", {"name": model, "now": now})
            done, pending, _ = self.counts(model)
            # All memories for a new model; else those written by a version of RUM without vectors.
            if done + pending != self._db.rows("count_memories")[0][0]:
                self._db.run("queue_missing", (self._number(model),))

    def record_use(self, model: str, now: int, before: int) -> None:
        if self._db.rows("model_noted_before", (model, before)):
            with self._db.transaction(0):
                self._db.run("renew_model", (now, model))

    def pending(self, model: str, limit: int) -> list[str]:
        values = {"model": model, "most": limit}
        return [memory_id for (memory_id,) in self._db.rows("pending_vectors", values)]

    def put(self, model: str, vectors: Iterable[tuple[str, int, bytes]]) -> int:
        kept = 0
        with self._db.transaction():
            number = self._number(model)
            for memory_id, version, data in vectors:
                for (seq,) in self._db.rows("seq_of_version", (memory_id, version)):
                    self._db.run("insert_vector", (seq, number, data))
                    self._db.run("unqueue_memory", (seq, number))
                    if self._db.rows("is_archived", (seq,)):
                        move_vectors(self._db, seq)
                    kept += 1
        return kept

    def packed(self, memory_id: str) -> dict[str, bytes]:
        return {row[0]: row[1] for row in self._db.rows("packed_vectors_of", {"id": memory_id})}

    def state(self, model: str) -> VectorState:
        return vector_state(*self._db.rows("vector_state", (model,))[0])

    def nearest(self, model: str, vector: Floats, live: int, archived: int = 0) -> Nearest:
        first = self._live.ranked(model, vector, live), self._archived.ranked(model, vector, archived)
        live_owners, archived_owners = self._owners(*first)
        return Nearest(
            self._live.nearest(model, vector, live, first[0], live_owners),
            self._archived.nearest(model, vector, archived, first[1], archived_owners),
        )

    def _owners(self, live: Ranked, archived: Ranked) -> tuple[Owners, Owners]:
        numbers = {"live": live, "archived": archived}
        values = {part: self._db.array(number for number, _ in ranked) for part, ranked in numbers.items()}
        rows = self._db.rows("owners_of_vectors", values)
        return _owners_in(rows, "live"), _owners_in(rows, "archived")

    def cosines(self, model: str, vector: Floats, keys: Collection[int]) -> dict[int, float]:
        # The matrix may have the vector of an older version of a memory; the table has the current one.
        rows = self._db.rows("vectors_of", {"keys": self._db.array(keys), "model": model})
        numbers = {memory: number for memory, number, _ in rows if number is not None}
        by_number = self._live.cosines(model, vector, numbers.values())
        near = {memory: by_number[number] for memory, number in numbers.items() if number in by_number}
        return near | packed_vectors().cosines(
            vector, {memory: data for memory, number, data in rows if number is None}
        )

    def keep_scale(self, model: str, scale: tuple[float, float]) -> None:
        with self._db.transaction():
            self._db.run("note_scale", (self._number(model), " ".join(map(repr, scale))))

    def counts(self, model: str) -> VectorCounts:
        number = self._number(model)
        if number is None:
            return VectorCounts(0, self._db.rows("count_memories")[0][0], 0)
        counted = ("count_vectors", "count_queue", "count_refused")
        return VectorCounts(*(self._db.rows(what, (number,))[0][0] for what in counted))

    def models(self) -> list[str]:
        return [name for name, _ in self._db.rows("vector_models")]

    def drop_unused(self, kept: str, before: int) -> int:
        dropped = 0
        with self._db.transaction():
            for (number,) in self._db.rows("unused_models", {"kept": kept, "before": before}):
                dropped += self._db.run("delete_vectors", (number,))
                dropped += self._db.run("delete_archived_vectors", (number,))
                for statement in ("delete_queue", "delete_scale", "delete_model"):
                    self._db.run(statement, (number,))
        return dropped

    def requeue(self, *, drop: bool = False) -> None:
        dropped = ("delete_vectors", "delete_archived_vectors", "delete_scale")
        statements = (*dropped, "queue_missing") if drop else ("delete_queue", "queue_missing")
        with self._db.transaction():
            for _, number in self._db.rows("vector_models"):
                for statement in statements:
                    self._db.run(statement, (number,))


def move_vectors(db: Statements, seq: int) -> None:
    """Move the vectors of an archived memory to a table of their own."""
    db.run("archive_vectors", (seq,))
    db.run("drop_live_vectors", (seq,))


def vector_state(live: int, archived: int, pending: int, scale: str | None) -> VectorState:
    """The result of `vector_state` in `queries/memories.sql`."""
    try:
        gain, shift = map(float, (scale or "").split())
        measured = (gain, shift)
    except ValueError:  # not measured yet, or damaged: it is measured again
        measured = None
    return VectorState(bool(live), bool(archived), bool(pending), measured)


class Owners(NamedTuple):
    """The highest number of any vector, and the memories of some vectors by number."""

    last: int
    memories: dict[int, int]


def _owners_in(rows: list[Row], which: str) -> Owners:
    """The result of `owners_of_vectors` for the live or the archived vectors."""
    pairs = [(number, memory) for part, number, memory in rows if part == which]
    return Owners(pairs[0][1], dict(pairs[1:]))


class _InMemory:
    """The vectors of one model that were read so far, of the live or of the archived memories.

    Reading continues after the highest number read: there is one writer at a time, so no vector appears
    below it later.
    """

    def __init__(self, db: Statements, which: str) -> None:
        self._db = db
        self._which = which
        self._matrix: Matrix | None = None
        self._file: object = None
        self._room = 0

    def __len__(self) -> int:
        return len(self._matrix or ())

    def cosines(self, model: str, question: Floats, numbers: Collection[int]) -> dict[int, float]:
        """The cosines of the vectors with these numbers."""
        matrix = self._opened(model, len(question))
        if any(number > matrix.last for number in numbers):
            self._read_on(model, matrix)
        return matrix.cosines(question, numbers)

    def ranked(self, model: str, question: Floats, limit: int) -> Ranked:
        """The numbers of the nearest vectors with their cosines, a few more than `limit`."""
        return self._opened(model, len(question)).nearest(question, limit + _SPARE) if limit else []

    def nearest(
        self, model: str, question: Floats, limit: int, ranked: Ranked, owners: Owners
    ) -> list[tuple[int, float]]:
        """The memories nearest to a vector, from the vectors `ranked` before and their owners."""
        if not limit:
            return []
        ranked, owned = self._current(model, question, limit + _SPARE, ranked, owners)
        if len(owned) < min(limit, len(ranked)):
            # More vectors were deleted than the spare ones: the matrix is out of date.
            self._matrix = None
            ranked = self._opened(model, len(question)).nearest(question, limit)
            ranked, owned = self._current(model, question, limit, ranked, self._owners(ranked))
        return [(owned[number], cosine) for number, cosine in ranked if number in owned][:limit]

    def _current(
        self, model: str, question: Floats, limit: int, ranked: Ranked, owners: Owners
    ) -> tuple[Ranked, dict[int, int]]:
        """The nearest vectors, including new ones, and the memories of those that still exist."""
        matrix = self._opened(model, len(question))
        if owners.last > matrix.last:
            self._read_on(model, matrix, owners.last)
            ranked = matrix.nearest(question, limit)
            owners = self._owners(ranked)
        matrix.drop([number for number, _ in ranked if number not in owners.memories])
        return ranked, owners.memories

    def _owners(self, ranked: Ranked) -> Owners:
        numbers = self._db.array(number for number, _ in ranked)
        values = {"live": self._db.array(()), "archived": self._db.array(()), self._which: numbers}
        rows = self._db.rows("owners_of_vectors", values)
        return _owners_in(rows, self._which)

    def _opened(self, model: str, dimensions: int) -> Matrix:
        """The matrix of the model's vectors, as of the last reading."""
        file, matrix = self._db.identity, self._matrix
        if (
            matrix is None
            or file != self._file
            or matrix.dimensions != dimensions
            or matrix.model != model
            or len(matrix) > self._room
        ):
            # Replaced vectors stay in the matrix until it has grown by half; then all are read again.
            matrix, self._file = packed_vectors().Matrix(dimensions, model=model), file
            self._read_on(model, matrix)
            self._room = len(matrix) * 3 // 2 + _FIRST_GROWTH
            self._matrix = matrix
        return matrix

    def _read_on(self, model: str, matrix: Matrix, last: int = 0) -> None:
        values = {"model": model, "most": _BATCH}
        while rows := self._db.rows(f"vectors_since_{self._which}", {**values, "number": matrix.last}):
            matrix.add([(row[0], row[1]) for row in rows])
            if len(rows) < _BATCH:
                break
        matrix.last = max(matrix.last, last)  # the last ones may be of another model
