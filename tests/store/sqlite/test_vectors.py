"""What only a file can show of vectors: damage to their list, a file exchanged, and no byte left behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory

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


def test_a_wrong_list_is_mended(store: SqliteStore, folder: Path):
    keep(store, "mem_a")
    add_memory(store, "mem_b")
    change(folder, "UPDATE unembedded SET memory = (SELECT seq FROM memories WHERE id = 'mem_a')")
    store.vectors.mend()
    assert store.vectors.pending(MODEL, 9) == ["mem_b"]


def test_after_purging_no_file_holds_the_vector_of_what_was_forgotten(store: SqliteStore, folder: Path):
    keep(store, "mem_a")
    keep(store, "mem_b")
    store.memories.delete("mem_a")
    store.memories.delete("mem_b")
    assert store.local_upkeep.purge()
    store.close()
    for path in folder.iterdir():
        assert DATA not in path.read_bytes(), path


def test_a_backup_put_in_place_is_another_origin(store: SqliteStore, folder: Path, tmp_path: Path):
    keep(store, "mem_a")
    before = store.vectors.origin()
    add_memory(store, "mem_b")
    store.refresh()
    assert store.vectors.origin() == before
    copy = tmp_path / "copy.db"
    store.local_upkeep.backup(str(copy))
    store.close()
    shutil.copy(copy, tmp_path / "other.db")
    os.replace(tmp_path / "other.db", folder / "rum.db")
    with closing(SqliteStore(str(folder))) as again:
        assert again.vectors.origin() != before
