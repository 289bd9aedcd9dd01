"""What only a file can show of vectors: damage to their list, a file exchanged, and no byte left behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory
from support.vectors import data, near

MODEL = "model-a"
DATA = b"a vector that is not to be found again" * 9


def keep(store: SqliteStore, memory_id: str) -> None:
    add_memory(store, memory_id)
    store.vectors.adopt(MODEL, NOON)
    assert store.vectors.put(MODEL, [(memory_id, 1, DATA)]) == 1


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "rum.db")) as db:
        db.execute(statement)
        db.commit()


def test_a_memory_written_by_a_program_that_knew_no_vectors_is_found_by_the_next_who_embeds(
    store: SqliteStore, folder: Path
):
    keep(store, "mem_a")
    add_memory(store, "mem_b")
    change(folder, "DELETE FROM unembedded")
    assert any("without a vector" in what for what, _ in store.upkeep.problems())
    store.vectors.adopt(MODEL, NOON)
    assert store.vectors.pending(MODEL, 9) == ["mem_b"]
    assert store.upkeep.problems() == []


def test_a_wrong_list_is_repaired(store: SqliteStore, folder: Path):
    keep(store, "mem_a")
    add_memory(store, "mem_b")
    change(folder, "UPDATE unembedded SET memory = (SELECT seq FROM memories WHERE id = 'mem_a')")
    store.upkeep.reindex(print, print)
    assert store.vectors.pending(MODEL, 9) == ["mem_b"]


def test_after_purging_no_file_holds_the_vector_of_what_was_forgotten(store: SqliteStore, folder: Path):
    keep(store, "mem_a")
    keep(store, "mem_b")
    store.memories.delete("mem_a")
    store.memories.delete("mem_b")
    assert store.local_upkeep.shrink() is None
    store.close()
    for path in folder.iterdir():
        assert DATA not in path.read_bytes(), path


def test_after_a_backup_was_put_in_place_its_vectors_are_found(
    store: SqliteStore, folder: Path, tmp_path: Path
):
    store.vectors.adopt(MODEL, NOON)
    add_memory(store, "mem_a")
    store.vectors.put(MODEL, [("mem_a", 1, data("cows"))])
    copy = tmp_path / "copy.db"
    store.local_upkeep.backup(str(copy))
    for name in ("mem_b", "mem_c"):
        add_memory(store, name)
        store.vectors.put(MODEL, [(name, 1, data("dogs"))])
    store.refresh()
    assert near(store, MODEL, "dogs") == ["mem_c", "mem_b", "mem_a"]
    store.local_upkeep.shrink()
    shutil.copy(copy, tmp_path / "other.db")
    os.replace(tmp_path / "other.db", folder / "rum.db")
    for side in ("rum.db-wal", "rum.db-shm"):
        (folder / side).unlink(missing_ok=True)
    store.refresh()
    assert near(store, MODEL, "dogs") == ["mem_a"]
