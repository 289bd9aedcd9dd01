"""Search by meaning in one project: all vectors in memory, and with an index of pgvector.

    .venv/bin/python benchmarks/team/vectors.py FOLDER --sizes 10000 50000 200000

The vectors are of 384 dimensions around 500 random centres, as those of texts gather around subjects. For
each size: the first search of a process, which reads all vectors; the next ones; the same with the index; how
many of the ten nearest the index finds; how long the index takes, and an insert with it. The floor is one
select by key.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psycopg
from bulk import start

from rum.store.packed_vectors import Floats, pack
from rum.store.postgres import vectors
from rum.store.postgres.store import PostgresStore
from rum.store.vectors import Nearest

MODEL, SIZE, CENTRES, QUESTIONS = "bench/1", 384, 500, 30


def points(rng: np.random.Generator, centres: Floats, count: int) -> Floats:
    """Unit vectors near the centres."""
    found = centres[rng.integers(0, CENTRES, count)] + 0.6 * rng.normal(size=(count, SIZE)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def median(work: Callable[[int], object]) -> float:
    """The median milliseconds of a search."""
    times: list[float] = []
    for number in range(QUESTIONS):
        started = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - started)
    return round(1000 * statistics.median(times), 2)


def measure(dsn: str, superuser: str, size: int) -> dict[str, object]:
    """Fill one project and search it in both ways."""
    rng, name = np.random.default_rng(size), f"vectors {size} {time.time()}"
    centres = rng.normal(size=(CENTRES, SIZE)).astype(np.float32)
    store = PostgresStore(dsn, name)
    store.vectors.adopt(MODEL, 0)
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET search_path = rum; SET session_replication_role = replica")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        number = store._db.identity
        copy = "COPY memory_vectors (project, memory, model, data) FROM STDIN"
        with connection.cursor().copy(copy) as rows:
            for first in range(0, size, 5000):
                for place, point in enumerate(points(rng, centres, min(5000, size - first))):
                    rows.write_row((number, first + place + 1, 1, pack(point)))
        connection.execute("ANALYZE memory_vectors")
        asked = points(rng, centres, QUESTIONS)
        floor = median(
            lambda at: connection.execute(
                "SELECT data FROM memory_vectors WHERE project = %s AND memory = %s", (number, at + 1)
            ).fetchone()
        )
    started = time.perf_counter()
    exact = [store.vectors.nearest(MODEL, asked[0], 50)]
    first_search = time.perf_counter() - started
    in_memory = median(lambda at: exact.append(store.vectors.nearest(MODEL, asked[at], 50)))
    store.close()
    vectors.LARGE = 1
    store = PostgresStore(dsn, name)
    started = time.perf_counter()
    made = store.upkeep.merge_index()
    took = time.perf_counter() - started
    started = time.perf_counter()
    store.vectors.nearest(MODEL, asked[0], 50)
    first_indexed = time.perf_counter() - started
    indexed: list[Nearest] = []
    with_index = median(lambda at: indexed.append(store.vectors.nearest(MODEL, asked[at], 50)))
    same = [
        len({key for key, _ in one.live[:10]} & {key for key, _ in other.live[:10]}) / 10
        for one, other in zip(exact[1:], indexed, strict=True)
    ]
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET search_path = rum; SET session_replication_role = replica")
        more = [pack(one) for one in points(rng, centres, QUESTIONS)]
        insert = "INSERT INTO memory_vectors (project, memory, model, data) VALUES (%s, %s, 1, %s)"
        inserted = median(lambda at: connection.execute(insert, (number, size + at + 1, more[at])))
        connection.execute(f"DELETE FROM memory_vectors WHERE project = {number}".encode())
        connection.execute(f"DROP INDEX IF EXISTS hnsw_live_{number}_1".encode())
    store.close()
    return {
        "vectors": size,
        "floor_select_ms": floor,
        "in_memory": {"first_ms": round(1000 * first_search), "next_ms": in_memory, "bytes": 388 * size},
        "index": {
            "made": made,
            "seconds": round(took, 1),
            "first_ms": round(1000 * first_indexed, 1),
            "next_ms": with_index,
            "found_of_ten": round(statistics.mean(same), 3),
            "insert_ms": inserted,
        },
    }


def main() -> None:
    """Measure each size, one line each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000, 200_000])
    given = parser.parse_args()
    dsn, superuser, _ = start(given.folder.resolve())
    for size in given.sizes:
        print(json.dumps(measure(dsn, superuser, size)), flush=True)


if __name__ == "__main__":
    main()
