"""Find the nearest vectors: exactly in memory, and in large projects with an index of pgvector.

The index only chooses candidates. Their cosines are computed from the stored vectors, as always.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

import psycopg

from rum.store.tables.vectors import VectorTable
from rum.store.vectors import Nearest, packed_vectors

if TYPE_CHECKING:
    from rum.store.packed_vectors import Floats
    from rum.store.postgres.connect import Database

LARGE = 50_000  # Vectors from which on an index is made (benchmarks/team/vectors.py)
_SCALE = 4  # Bytes of the factor for all dimensions, before them
_TABLES = {"live": "memory_vectors", "archived": "archived_vectors"}
_LOOK_AGAIN = 60.0  # Seconds after which another process may have made an index
_MORE = 4  # How many more candidates than asked for the index considers
_MOST = 1000  # pgvector considers no more
_MEMORY = "512MB"  # For making an index


class PostgresVectors(VectorTable):
    """The vectors of one project."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._database = db
        self._known: dict[str, tuple[float, Indexes]] = {}

    def nearest(self, model: str, vector: Floats, live: int, archived: int = 0) -> Nearest:
        indexes = self._indexes(model, len(vector))
        found = {
            part: self._candidates(indexes, part, vector, limit)
            for part, limit in (("live", live), ("archived", archived))
            if limit and part in indexes.parts
        }
        rest = Nearest([], [])
        if len(found) < 2:
            rest = super().nearest(
                model, vector, 0 if "live" in found else live, 0 if "archived" in found else archived
            )
        return Nearest(found.get("live", rest.live), found.get("archived", rest.archived))

    def cosines(self, model: str, vector: Floats, keys: Collection[int]) -> dict[int, float]:
        if "live" not in self._indexes(model, len(vector)).parts:
            return super().cosines(model, vector, keys)
        rows = self._db.rows("packed_vectors_among", {"keys": self._db.array(keys), "model": model})
        return packed_vectors().cosines(vector, dict(map(tuple, rows)))

    def _candidates(self, indexes: Indexes, part: str, vector: Floats, limit: int) -> list[tuple[int, float]]:
        wanted = min(_MOST, _MORE * limit)
        with self._database.hold():
            # Set for the connection: an index considers no more candidates than this.
            self._db.rows("consider_candidates", (str(max(wanted, 40)),))
            rows = self._database.fetch(
                indexes.search(part, self._database.identity),
                {"question": f"[{','.join(map(repr, vector.tolist()))}]", "wanted": wanted},
            )
        numbers = {row["memory"]: row["number"] for row in rows}
        near: dict[int, float] = packed_vectors().cosines(
            vector, {row["memory"]: row["data"] for row in rows}
        )
        # Of equally near ones the newest first, as in memory.
        order = sorted(near, key=lambda memory: (-near[memory], -numbers[memory]))
        return [(memory, near[memory]) for memory in order if near[memory] > 0][:limit]

    def _indexes(self, model: str, dimensions: int) -> Indexes:
        looked_at, found = self._known.get(model, (0.0, NO_INDEXES))
        if not looked_at or time.monotonic() > looked_at + _LOOK_AGAIN:
            rows = self._db.rows("vector_indexes", {"model": model})
            number = rows[0]["model"] if rows else None
            found = NO_INDEXES
            if number is not None and rows[0]["place"]:
                names = {row["name"] for row in rows}
                parts = [part for part in _TABLES if _name(part, self._database.identity, number) in names]
                found = Indexes(rows[0]["place"], number, dimensions, frozenset(parts))
            self._known[model] = time.monotonic(), found
        return found

    def make_index(self) -> list[str]:
        """Make the indexes that are missing, for models with many vectors; their names.

        That takes minutes. Others go on reading and writing.
        """
        made: list[str] = []
        for row in self._db.rows("large_vectors", {"large": LARGE}):
            part, model, dimensions = row["part"], row["model"], row["bytes"] - _SCALE
            name = _name(part, self._database.identity, model)
            with self._database.alone() as connection:
                made += _make(connection, name, Indexes(row["place"], model, dimensions, frozenset()), part)
        if made:
            self._known.clear()
        return made


class Indexes:
    """The indexes of a model's vectors in one project, and the words with which pgvector is asked."""

    def __init__(self, place: str, model: int, dimensions: int, parts: frozenset[str]) -> None:
        """`place` is the schema in which pgvector is."""
        self.parts = parts
        self._model = model
        self._size = _SCALE + dimensions
        self.type = f"{place}.halfvec({dimensions})"
        self.operator = f"OPERATOR({place}.<=>)"
        self.kind = f"{place}.halfvec_cosine_ops"
        self.bare = f"{place}.halfvec"

    def condition(self, project: object) -> str:
        """Which rows the index has. Numbers are written out, else the planner would not recognise them."""
        return f"project = {project:d} AND model = {self._model:d} AND length(data) = {self._size:d}"

    def search(self, part: str, project: object) -> bytes:
        """The statement for the nearest `wanted` vectors to a `question`."""
        return (
            f"SELECT number, memory, data FROM {_TABLES[part]} WHERE {self.condition(project)} "
            f"ORDER BY (direction(data)::{self.type}) {self.operator} %(question)s::{self.type} "
            "LIMIT %(wanted)s::bigint"
        ).encode()


NO_INDEXES = Indexes("", 0, 0, frozenset())


def _name(part: str, project: object, model: int) -> str:
    return f"hnsw_{part}_{project}_{model}"


def _make(connection: psycopg.Connection, name: str, indexes: Indexes, part: str) -> list[str]:
    project = int(name.split("_")[2])
    connection.execute(f"SET statement_timeout = 0; SET maintenance_work_mem = '{_MEMORY}'".encode())
    # Its length does not matter for an angle, so the factor in the first bytes is left out.
    connection.execute(
        f"""
CREATE OR REPLACE FUNCTION direction(data bytea) RETURNS {indexes.bare}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_agg(((get_byte(data, place) + 128) % 256 - 128)::real ORDER BY place)::{indexes.bare}
  FROM generate_series({_SCALE}, length(data) - 1) AS place
$$""".encode()
    )
    found = connection.execute(
        "SELECT i.indisvalid FROM pg_index AS i WHERE i.indexrelid = to_regclass(%s)", (f"rum.{name}",)
    ).fetchone()
    if found and found[0]:
        return []
    if found:  # left by a process that was ended
        connection.execute(f"DROP INDEX CONCURRENTLY {name}".encode())
    with suppress(psycopg.errors.DuplicateTable):  # another process makes it
        connection.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON {_TABLES[part]} USING hnsw "
            f"((direction(data)::{indexes.type}) {indexes.kind}) WHERE {indexes.condition(project)}".encode()
        )
        return [name]
    return []
