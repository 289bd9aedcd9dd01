"""Which memories were made at which commit."""

from __future__ import annotations

from rum.store.base import Store
from support.builders import add_memory


def test_memories_tell_the_commits_they_were_made_at(store: Store):
    add_memory(store, "mem_a", commit="a" * 40)
    add_memory(store, "mem_b")
    add_memory(store, "mem_c", commit="c" * 40)
    assert sorted(store.memories.commits()) == [("mem_a", "a" * 40), ("mem_c", "c" * 40)]
