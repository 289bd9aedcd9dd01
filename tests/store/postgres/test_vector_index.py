"""In large projects an index chooses the candidates; what is found is the same as without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest

from rum.store.packed_vectors import pack
from rum.store.postgres import vectors
from rum.store.postgres.store import PostgresStore, check_database
from support import postgres
from support.builders import NOON, add_memory

MODEL = "test/1"
SIZE = 120


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    with postgres.another_database() as address:
        yield address


def add_vectors(store: PostgresStore, first: int, count: int) -> None:
    rng = np.random.default_rng(first)
    rows: list[tuple[str, int, bytes]] = []
    for number in range(first, first + count):
        memory = add_memory(store, f"mem_{number}", f"Goal {number}")
        rows.append((memory.id, memory.version, pack(rng.normal(size=384).astype(np.float32))))
    store.vectors.put(MODEL, rows)


def question() -> np.ndarray:
    vector = np.random.default_rng(99).normal(size=384).astype(np.float32)
    return vector / np.linalg.norm(vector)


def with_extension(database: str) -> None:
    admin = database.replace(f"{postgres.ROLE}@", "postgres@")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")


@pytest.fixture
def store(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresStore]:
    monkeypatch.setattr(vectors, "LARGE", SIZE)
    store = PostgresStore(database, f"project of {tmp_path}", patience=5)
    store.vectors.adopt(MODEL, NOON)
    yield store
    store.close()


def test_an_indexed_project_gives_the_same_answers(
    store: PostgresStore, database: str, monkeypatch: pytest.MonkeyPatch
):
    with_extension(database)
    monkeypatch.setattr(vectors, "_LOOK_AGAIN", -1.0)
    add_vectors(store, 0, SIZE)
    for number in range(0, SIZE, 10):
        store.archive.put([f"mem_{number}"], NOON)
    before = store.vectors.nearest(MODEL, question(), 20, 5)
    keys = [key for key, _ in (*before.live, *before.archived)]
    cosines = store.vectors.cosines(MODEL, question(), keys)
    monkeypatch.setattr(vectors, "LARGE", 10)
    assert store.upkeep.merge_index()
    assert not store.upkeep.merge_index()
    assert set(store.vectors._indexes(MODEL, 384).parts) == {"live", "archived"}
    fresh = PostgresStore(database, store._db._project.id, patience=5)
    assert fresh.vectors.nearest(MODEL, question(), 20, 5) == before
    assert fresh.vectors.cosines(MODEL, question(), keys) == cosines
    assert fresh.vectors._live._matrix is None  # nothing was read into memory
    # What is written later is found, and what is forgotten is not.
    [(nearest, _)] = before.live[:1]
    gone = next(memory.id for memory in store.memories.get([f"mem_{nearest - 1}"]))
    store.memories.delete(gone)
    rows = [(add_memory(store, "mem_new").id, 1, pack(question()))]
    store.vectors.put(MODEL, rows)
    found = fresh.vectors.nearest(MODEL, question(), 20)
    assert found.live[0][1] == pytest.approx(1, abs=0.01)
    assert nearest not in [key for key, _ in found.live]
    fresh.close()


def test_the_search_uses_the_index(store: PostgresStore, database: str):
    with_extension(database)
    add_vectors(store, 0, SIZE)
    assert store.upkeep.merge_index()
    statement = store.vectors._indexes(MODEL, 384).search("live", store._db.identity)
    with store.errors():
        connection = store._db._link().connection
        connection.execute("SET enable_seqscan = off; SET enable_sort = off")
        given = {"question": f"[{','.join(map(str, question()))}]", "wanted": 5}
        plan = "\n".join(row[0] for row in connection.execute(b"EXPLAIN " + statement, given))
        connection.execute("RESET enable_seqscan; RESET enable_sort")
    assert "Index Scan using hnsw_live_" in plan


def test_an_index_that_was_interrupted_is_made_again(store: PostgresStore, database: str):
    with_extension(database)
    add_vectors(store, 0, SIZE)
    assert store.upkeep.merge_index()
    admin = database.replace(f"{postgres.ROLE}@", "postgres@")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE '%hnsw_live%'"
        )
    assert store.upkeep.merge_index()
    assert store.vectors._indexes(MODEL, 384).parts == {"live"}


def test_without_the_extension_all_is_compared_in_memory(store: PostgresStore, database: str):
    add_vectors(store, 0, SIZE)
    assert not store.upkeep.merge_index()
    assert len(store.vectors.nearest(MODEL, question(), 20).live) == 20
    assert not check_database(database)
    with_extension(database)
    assert check_database(database)
