"""Anchors of memories: kept, replaced, deleted with their memory, and found missing."""

from __future__ import annotations

from rum.model.memory import Edge, LinkType, Origin, OriginKind
from rum.store.anchors import TextAnchors
from rum.store.base import Store
from support.builders import NOON, add_memory, make_outcome


def test_anchors_are_kept_by_memory(store: Store):
    for name in ("mem_a", "mem_b", "mem_c"):
        add_memory(store, name)
    store.anchors.put({"mem_a": b"one\n\x00\xff", "mem_b": b"", "mem_unknown": b"x"})
    assert store.anchors.of(["mem_a", "mem_b", "mem_c", "mem_unknown"]) == {
        "mem_a": b"one\n\x00\xff",
        "mem_b": b"",
    }
    store.anchors.put({"mem_a": b"two"})
    assert store.anchors.of(["mem_a"]) == {"mem_a": b"two"}
    assert store.anchors.of([]) == {}


def test_an_update_keeps_anchors_and_a_deletion_drops_them(store: Store):
    memory = add_memory(store, "mem_a")
    store.anchors.put({"mem_a": b"one"})
    store.memories.replace(memory)
    assert store.anchors.of(["mem_a"]) == {"mem_a": b"one"}
    store.memories.delete("mem_a")
    add_memory(store, "mem_a")
    assert store.anchors.of(["mem_a"]) == {}


def test_memories_of_commits_without_anchors_are_listed_the_newest_first(store: Store):
    for number in range(4):
        add_memory(store, f"mem_{number}", created_at=NOON + number, commit="c0ffee" if number else None)
    store.anchors.put({"mem_2": b""})
    assert store.anchors.missing(9) == ["mem_3", "mem_1"]
    assert store.anchors.missing(1) == ["mem_3"]


def test_claims_are_neither_commits_nor_failures_nor_superseded(store: Store):
    add_memory(store, "mem_claim", created_at=NOON)
    add_memory(store, "mem_newer", created_at=NOON + 1)
    add_memory(store, "mem_commit", origin=Origin(OriginKind.COMMIT, "c0ffee"))
    add_memory(store, "mem_failure", outcome=make_outcome(success=False))
    add_memory(store, "mem_old")
    add_memory(store, "mem_bare")
    store.links.add(Edge("mem_newer", "mem_old", LinkType.SUPERSEDES), NOON)
    store.anchors.put(dict.fromkeys(("mem_claim", "mem_newer", "mem_commit", "mem_failure", "mem_old"), b"x"))
    assert store.anchors.claims(9) == ["mem_newer", "mem_claim"]
    assert store.anchors.claims(1) == ["mem_newer"]


def test_a_file_is_followed_to_its_later_names(store: Store):
    add_memory(store, "mem_a", created_at=NOON)
    add_memory(store, "mem_b", created_at=NOON + 1)
    store.memories.note_renames("mem_a", [("a.py", "b.py"), ("x.py", "y.py")])
    store.memories.note_renames("mem_b", [("a.py", "c.py")])
    assert store.anchors.later_names(["a.py", "b.py"]) == {"a.py": ["c.py", "b.py"]}


def test_anchors_of_texts_are_kept_by_name(store: Store):
    one, two = TextAnchors("m1", b"[1]\n\x00"), TextAnchors("m2", b"")
    store.anchors.put_texts({"fact:port": one, "note:gate": two})
    assert store.anchors.of_texts(["fact:port", "rule_1"]) == {"fact:port": one}
    assert store.anchors.of_texts() == {"fact:port": one, "note:gate": two}
    store.anchors.put_texts({"fact:port": two})
    store.anchors.delete_texts(["note:gate", "rule_1"])
    assert store.anchors.of_texts() == {"fact:port": two}
