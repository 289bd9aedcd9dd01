"""A store can be checked, reindexed, copied and purged while others use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum.model.errors import StorageError
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import add_memory, make_memory
from support.finding import newest_with


def test_a_fresh_store_is_healthy(store: Store):
    assert store.upkeep.problems() == []
    assert store.upkeep.status()["memories"] == 0


def test_a_used_store_is_healthy(store: Store):
    for number in range(5):
        add_memory(store, f"mem_{number}")
    store.memories.replace(make_memory("mem_1", "Other words"))
    store.memories.delete("mem_2")
    assert store.upkeep.problems() == []
    assert store.upkeep.status()["memories"] == 4


def test_a_store_that_another_is_writing_to_is_healthy(store: Store, other: Store):
    add_memory(store, "mem_a")
    for number in range(3):
        add_memory(other, f"mem_{number}")
        assert store.upkeep.problems() == []


def test_rebuilding_a_sound_index_changes_nothing(store: Store):
    add_memory(store, "mem_a", "Refresh the token")
    assert store.upkeep.reindex(lambda _: None, lambda _: None) == 1
    assert [row[0] for row in newest_with(store, ["token"], False, Filters(), 9)] == ["mem_a"]
    assert store.upkeep.problems() == []


def test_a_backup_into_a_missing_folder_is_refused(store: Store, tmp_path: Path):
    missing = tmp_path / "nowhere" / "copy"
    with pytest.raises(StorageError, match="nowhere"):
        store.local_upkeep.backup(str(missing))


def test_a_backup_does_not_overwrite(store: Store, tmp_path: Path):
    taken = tmp_path / "taken"
    taken.write_text("precious")
    with pytest.raises(StorageError, match="taken"):
        store.local_upkeep.backup(str(taken))
    assert taken.read_text() == "precious"


def test_purging_keeps_what_was_not_forgotten(store: Store, other: Store):
    kept = [add_memory(store, f"mem_{number}", f"Goal word{number}") for number in range(4)]
    store.memories.delete("mem_3")
    assert store.local_upkeep.shrink() is None
    assert store.memories.get([memory.id for memory in kept]) == kept[:3]
    assert [row[0] for row in newest_with(other, ["word1"], False, Filters(), 9)] == ["mem_1"]
    assert store.upkeep.problems() == []
