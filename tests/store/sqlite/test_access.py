"""A store notices new, missing and replaced files, and reports why it cannot write."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rum.model.errors import StorageError
from rum.store.sqlite.store import SqliteStore
from support.builders import add_memory


def test_where_no_folder_can_be_made_reading_finds_nothing_and_writing_says_so(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with closing(SqliteStore(str(tmp_path / "file" / "project"))) as store:
        assert store.upkeep.status()["access"] == "none"
        assert store.memories.count() == 0
        assert store.agents.all() == []
        with pytest.raises(StorageError, match="RUM_HOME"):
            add_memory(store, "mem_a")
        assert not store.activity.add_uses({"mem_a": 1}, 1)


def test_a_store_created_later_is_noticed(tmp_path: Path):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    with closing(SqliteStore(str(blocker / "project"))) as early:
        blocker.unlink()
        with closing(SqliteStore(str(blocker / "project"))) as other:
            add_memory(other, "mem_a")
            early.refresh()
            assert early.memories.count() == 1
            add_memory(early, "mem_b")
            assert other.memories.count() == 2


def test_a_store_that_could_not_be_made_is_made_when_it_can_be(tmp_path: Path):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    with closing(SqliteStore(str(blocker / "project"))) as store:
        with pytest.raises(StorageError):
            add_memory(store, "mem_a")
        blocker.unlink()
        add_memory(store, "mem_a")
        assert store.memories.count() == 1


@pytest.mark.skipif("sys.platform == 'win32'", reason="Windows keeps open files in their place")
def test_a_replaced_file_is_opened_again(store: SqliteStore, folder: Path, tmp_path: Path):
    add_memory(store, "mem_old")
    store.local_upkeep.backup(str(tmp_path / "copy.db"))
    add_memory(store, "mem_lost")
    shutil.rmtree(folder)
    folder.mkdir()
    shutil.copy(tmp_path / "copy.db", folder / "rum.db")
    store.refresh()
    assert store.memories.count() == 1
    add_memory(store, "mem_new")
    with closing(SqliteStore(str(folder))) as other:
        assert [memory.id for memory in other.memories.get(["mem_old", "mem_new"])] == ["mem_old", "mem_new"]


@pytest.mark.skipif("sys.platform == 'win32'", reason="Windows keeps open files in their place")
def test_nothing_is_written_into_a_file_that_was_deleted(store: SqliteStore, folder: Path):
    add_memory(store, "mem_old")
    shutil.rmtree(folder)
    store.refresh()
    add_memory(store, "mem_new")
    with closing(SqliteStore(str(folder))) as other:
        assert [memory.id for memory in other.memories.get(["mem_old", "mem_new"])] == ["mem_new"]


def test_a_lock_held_too_long_gives_a_clear_error(folder: Path):
    with closing(SqliteStore(str(folder), patience=0.1)) as store:
        add_memory(store, "mem_a")
        with closing(sqlite3.connect(folder / "rum.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageError, match="locked by other processes"):
                add_memory(store, "mem_b")
            other.execute("ROLLBACK")
        add_memory(store, "mem_b")


def test_a_path_may_hold_anything(tmp_path: Path):
    for name in ("50%25 ?mode=ro&x#y", "naïve 記憶 🧠", 'it\'s "quoted"', "file:x", " "):
        folder = tmp_path / name
        with closing(SqliteStore(str(folder))) as store:
            add_memory(store, "mem_a")
        assert (folder / "rum.db").stat().st_size > 0
        with closing(SqliteStore(str(folder))) as store:
            assert store.memories.count() == 1


@pytest.mark.skipif("sys.platform != 'linux'", reason="elsewhere paths are Unicode")
def test_a_path_need_not_be_unicode(tmp_path: Path):
    folder = f"{tmp_path}/b\udcffd"
    with closing(SqliteStore(folder)) as store:
        add_memory(store, "mem_a")
        assert store.upkeep.problems() == []


def test_nothing_is_created_beside_a_memory_that_another_process_is_creating(tmp_path: Path):
    with closing(SqliteStore(str(tmp_path), before_create=lambda: None)) as store:
        (tmp_path / "rum.db").touch()
        store.refresh()
        assert not (tmp_path / "activity.db").exists()
        with closing(SqliteStore(str(tmp_path), before_create=lambda: None)) as other:
            assert other.memories.count() == 0
            add_memory(other, "mem_a")
        store.refresh()
        assert store.memories.count() == 1
        assert (tmp_path / "activity.db").exists()
