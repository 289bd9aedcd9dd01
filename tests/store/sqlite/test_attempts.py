"""Attempt rows are written and updated with their memory, and rebuilt by reindexing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rum.model.errors import StorageError
from rum.store.base import Store
from rum.store.sqlite.readonly import ReadOnlyDatabase, ReadOnlyStore
from rum.store.sqlite.store import SqliteStore
from support.builders import add_memory, make_memory
from support.offers import failed_run, ran

PIP = failed_run("pip install psycopg2", "pg_config not found")


@pytest.fixture
def store(tmp_path: Path):
    store = SqliteStore(str(tmp_path))
    yield store
    store.close()


def tried(folder: Path, key: str = "$ pip install") -> list[tuple[Any, ...]]:
    return [(row.memory_id, row.worked) for row in ReadOnlyStore(str(folder)).attempts(key, 9)]


def test_rows_live_and_die_with_their_memory(store: Store, tmp_path: Path):
    add_memory(store, "mem_1", actions=[PIP])
    assert tried(tmp_path) == [("mem_1", 0)]
    store.memories.replace(make_memory("mem_1", actions=[ran("pip install psycopg2")]))
    assert tried(tmp_path) == [("mem_1", 1)]
    store.memories.delete("mem_1")
    assert tried(tmp_path) == []


def test_a_memory_that_is_not_kept_leaves_no_rows(store: Store, tmp_path: Path):
    add_memory(store, "mem_0")
    with pytest.raises(StorageError), store.transaction():
        _add_twice(store)
    assert tried(tmp_path) == []


def _add_twice(store: Store) -> None:
    for _ in range(2):
        add_memory(store, "mem_1", actions=[PIP])


def test_reindexing_reads_older_memories(store: Store, tmp_path: Path):
    add_memory(store, "mem_1", actions=[PIP])
    with closing(sqlite3.connect(tmp_path / "rum.db")) as db:
        db.execute("DELETE FROM attempts")
        db.execute("DELETE FROM derived WHERE name = 'attempts'")
        db.commit()
    assert any("Warnings do not know" in what for what, _ in store.upkeep.problems())
    store.upkeep.reindex(lambda _: None, lambda _: None)
    assert tried(tmp_path) == [("mem_1", 0)]
    assert store.upkeep.problems() == []


def test_rows_stay_where_their_memory_is_archived(store: Store, tmp_path: Path):
    memory = add_memory(store, "mem_1", actions=[PIP])
    store.archive.put(["mem_1"], memory.created_at)
    assert tried(tmp_path) == [("mem_1", 0)]
    with closing(sqlite3.connect(tmp_path / "rum.db")) as db:
        db.execute("DELETE FROM attempts")
        db.execute("DELETE FROM derived WHERE name = 'attempts'")
        db.commit()
    assert any("Warnings do not know" in what for what, _ in store.upkeep.problems())
    store.upkeep.reindex(lambda _: None, lambda _: None)
    assert tried(tmp_path) == [("mem_1", 0)]
    store.memories.delete("mem_1")
    assert tried(tmp_path) == []


def test_the_index_finds_them(store: Store, tmp_path: Path):
    plan = "EXPLAIN QUERY PLAN SELECT 1 FROM attempts WHERE key = ? ORDER BY at DESC LIMIT 5"
    ((*_, how),) = ReadOnlyDatabase(str(tmp_path), "rum").rows(plan, ("x",))
    assert "attempts_key" in how


@pytest.mark.parametrize("name", ["a%20b", "a?b#c", "ä b"])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str):
    store = SqliteStore(str(tmp_path / name))
    add_memory(store, "mem_1", actions=[PIP])
    store.close()
    assert tried(tmp_path / name) == [("mem_1", 0)]
