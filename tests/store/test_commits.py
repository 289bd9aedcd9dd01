"""Which memories are of which commit."""

from __future__ import annotations

from rum.model.memory import Origin, OriginKind
from rum.store.base import Store
from support.builders import add_memory


def test_memories_of_commits_are_listed_by_commit(store: Store):
    for name, at in (("a", 100), ("c", 300)):
        origin = Origin(OriginKind.COMMIT, name * 40)
        add_memory(store, f"mem_{name}", created_at=at, commit=name * 40, origin=origin)
    add_memory(store, "mem_b", commit="b" * 40)
    assert store.memories.commits() == {"a" * 40: "mem_a", "c" * 40: "mem_c"}
    assert list(store.memories.commits(200)) == ["c" * 40]
