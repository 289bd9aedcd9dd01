"""Vectors in SQLite: a table of their own beside the memories, and a list of what has none yet."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rum.store.sqlite.archive_rows import is_archived, move_vectors
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL
from rum.store.vectors import Vector, VectorCounts


class SqliteVectors:
    """The vectors of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def _number(self, model: str) -> int | None:
        rows = self._rows("model_number", (model,))
        return rows[0][0] if rows else None

    def adopt(self, model: str, now: int, patience: float | None = None) -> None:
        """Note that a model is in use: from now on the store knows which memories it has yet to see."""
        with self._database.transaction(patience) as db:
            db.execute(SQL["use_model"], {"name": model, "now": now})
            # All of them for a new model; else what was written by a RUM that knew nothing of vectors.
            if sum(self.counts(model)) != self._rows("count_memories")[0][0]:
                db.execute(SQL["queue_missing"], (self._number(model),))

    def renew(self, model: str, now: int, before: int) -> None:
        """Note that a model is in use if that was last noted before then; nobody is waited for."""
        if self._rows("model_noted_before", (model, before)):
            with self._database.transaction(0) as db:
                db.execute(SQL["renew_model"], (now, model))

    def pending(self, model: str, most: int) -> list[str]:
        """Memories without a vector of a model, the one stored last first."""
        number = self._number(model)
        if number is None:
            return [one for (one,) in self._rows("newest_memories", (most,))]
        return [one for (one,) in self._rows("pending_vectors", {"model": number, "most": most})]

    def put(
        self, model: str, vectors: Iterable[tuple[str, int, bytes]], patience: float | None = None
    ) -> int:
        """Keep (memory id, version, data) for memories that still are of that version; how many were.

        Empty data says that the model cannot embed the memory.
        """
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

    def any(self, model: str) -> bool:
        """Whether any memory has a vector of a model."""
        number = self._number(model)
        return number is not None and bool(self._rows("any_vector", (number,)))

    def since(self, model: str, number: int, most: int) -> list[Vector]:
        """The vectors kept after that number, in order; a renewed one has a new number."""
        return self._rows("vectors_since", (number, self._number(model), most))

    def of(self, model: str, memories: Collection[int]) -> dict[int, bytes]:
        """The vectors of memories, by their numbers, as far as they have one; empty if none can be made."""
        # Its CROSS JOINs keep the order: from memories to their vectors, not through all those of the model.
        return dict(self._rows("vectors_of", self._wanted(model, memories)))

    def numbers(self, model: str, memories: Collection[int]) -> dict[int, int]:
        """The numbers of the vectors that live memories have now, by the memories' numbers."""
        return dict(self._rows("numbers_of_vectors", self._wanted(model, memories)))

    def waiting(self, model: str, memories: Collection[int]) -> set[int]:
        """Which of the memories, by their numbers, have yet to get a vector, or another one."""
        return {one for (one,) in self._rows("waiting_for_vectors", self._wanted(model, memories))}

    def _wanted(self, model: str, memories: Collection[int]) -> dict[str, object]:
        return {"memories": json.dumps(list(memories)), "model": self._number(model)}

    def owners(self, numbers: Sequence[int]) -> dict[int, int]:
        """The numbers of the memories these vectors are of; one that was replaced or went is left out."""
        return dict(self._rows("owners_of_vectors", (json.dumps(list(numbers)),)))

    def scale(self, model: str) -> tuple[float, float] | None:
        """What a model's cosines are multiplied by, and what is added; None while nobody measured it."""
        for (noted,) in self._rows("scale_of_model", (self._number(model),)):
            gain, shift = map(float, noted.split())
            return gain, shift
        return None

    def keep_scale(self, model: str, scale: tuple[float, float], patience: float | None = None) -> None:
        """Note what was measured of a model's cosines; it goes with its vectors."""
        with self._database.transaction(patience) as db:
            db.execute(SQL["note_scale"], (self._number(model), " ".join(map(repr, scale))))

    def counts(self, model: str) -> VectorCounts:
        """How many memories have a vector of a model, and how many have none."""
        number = self._number(model)
        if number is None:
            return VectorCounts(0, self._rows("count_memories")[0][0])
        return VectorCounts(*(self._rows(what, (number,))[0][0] for what in ("count_vectors", "count_queue")))

    def refused(self, model: str) -> int:
        """How many memories the model cannot embed."""
        return self._rows("count_refused", (self._number(model),))[0][0]

    def models(self) -> list[str]:
        """The models in use."""
        return [name for name, _ in self._rows("vector_models")]

    def drop_unused(self, kept: str, before: int) -> int:
        """Delete the vectors of other models that nobody used since then; how many."""
        dropped = 0
        with self._database.transaction() as db:
            for (number,) in self._rows("unused_models", {"kept": kept, "before": before}):
                dropped += db.execute(SQL["delete_vectors"], (number,)).rowcount
                dropped += db.execute(SQL["delete_archived_vectors"], (number,)).rowcount
                for statement in ("delete_queue", "delete_scale", "delete_model"):
                    db.execute(SQL[statement], (number,))
        return dropped

    def mend(self) -> None:
        """Find out anew which memories have no vector."""
        self._for_each_model("delete_queue", "queue_missing")

    def drop_all(self) -> None:
        """Delete every vector, so that all are made anew."""
        self._for_each_model("delete_vectors", "delete_archived_vectors", "delete_scale", "queue_missing")

    def _for_each_model(self, *statements: str) -> None:
        with self._database.transaction() as db:
            for _, number in self._rows("vector_models"):
                for statement in statements:
                    db.execute(SQL[statement], (number,))

    def origin(self) -> object:
        """A mark that changes when the whole store was exchanged, as by a backup: numbers start over."""
        return self._database.file
