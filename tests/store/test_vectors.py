"""Vectors are stored by model and follow their memories; a process reads only new ones."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.store.base import Store
from support.backends import BACKENDS
from support.builders import NOON, add_memory, make_memory, make_outcome
from support.vectors import data, kept, near

A, B = "model-a", "model-b"


def fill(store: Store, *ids: str, model: str = A) -> None:
    """Keep these memories with a vector each."""
    store.vectors.adopt(model, NOON)
    for one in ids:
        add_memory(store, one)
        store.vectors.put(model, [(one, 1, data(one))])


def test_memories_are_pending_until_they_have_a_vector_the_newest_first(store: Store):
    store.vectors.adopt(A, NOON)
    for one in ("mem_a", "mem_b", "mem_c"):
        add_memory(store, one)
    assert store.vectors.pending(A, 2) == ["mem_c", "mem_b"]
    assert store.vectors.put(A, [("mem_c", 1, data("c")), ("mem_a", 1, data("a"))]) == 2
    assert store.vectors.pending(A, 9) == ["mem_b"]
    assert store.vectors.counts(A)[:2] == (2, 1)
    assert kept(store, A, mem_a="a", mem_b="b", mem_c="c") == {"mem_a": True, "mem_c": True}


def test_for_a_model_that_was_never_used_every_memory_is_pending(store: Store):
    for one in ("mem_a", "mem_b"):
        add_memory(store, one)
    assert store.vectors.pending(A, 9) == ["mem_b", "mem_a"]
    assert store.vectors.counts(A)[:2] == (0, 2)
    store.vectors.adopt(A, NOON)
    assert store.vectors.pending(A, 9) == ["mem_b", "mem_a"]
    assert store.vectors.models() == [A]


def test_a_vector_of_an_earlier_version_is_not_kept(store: Store):
    store.vectors.adopt(A, NOON)
    add_memory(store, "mem_a")
    store.memories.replace(make_memory("mem_a", "Other words", version=2))
    assert store.vectors.put(A, [("mem_a", 1, data("old"))]) == 0
    assert store.vectors.put(A, [("mem_gone", 1, data("x"))]) == 0
    assert store.vectors.pending(A, 9) == ["mem_a"]


def test_a_vector_goes_when_what_the_memory_means_changes_and_only_then(store: Store):
    fill(store, "mem_a")
    store.memories.replace(make_memory("mem_a", version=2, tags=["x"], importance=0.9, actions=[]))
    assert store.vectors.counts(A)[:2] == (1, 0)
    for version, changed in enumerate(
        (
            {"goal": "Something else"},
            {"goal": "Something else", "outcome": make_outcome("It broke")},
            {"goal": "Something else", "reasoning": {"why_chosen": "cheap"}},
        ),
        start=3,
    ):
        store.memories.replace(make_memory("mem_a", version=version, **changed))
        assert kept(store, A, mem_a="new") == {}
        assert store.vectors.pending(A, 9) == ["mem_a"]
        assert store.vectors.put(A, [("mem_a", version, data("new"))]) == 1
    assert store.upkeep.problems() == []


def test_a_vector_goes_with_its_memory(store: Store):
    fill(store, "mem_a", "mem_b")
    assert near(store, A, "mem_b") == ["mem_b", "mem_a"]
    store.memories.delete("mem_b")
    assert near(store, A, "mem_b") == ["mem_a"]
    assert store.vectors.counts(A)[:2] == (1, 0)
    assert store.upkeep.problems() == []


def test_vectors_stored_later_by_others_are_found_by_an_earlier_reader(store: Store, other: Store):
    fill(store, "mem_a", "mem_b")
    assert near(other, A, "mem_b") == ["mem_b", "mem_a"]
    fill(store, "mem_c")
    assert near(other, A, "mem_c")[0] == "mem_c"
    assert set(near(other, A, "mem_c")) == {"mem_a", "mem_b", "mem_c"}


def test_a_vector_that_came_in_place_of_the_last_one_is_found(store: Store, other: Store):
    fill(store, "mem_a")
    assert near(other, A, "mem_a") == ["mem_a"]
    store.memories.delete("mem_a")
    fill(store, "mem_b")
    assert near(other, A, "mem_a") == ["mem_b"]
    assert kept(other, A, mem_b="mem_b") == {"mem_b": True}


def test_a_replaced_vector_is_found_instead_of_the_old_one(store: Store, other: Store):
    fill(store, "mem_a")
    assert kept(other, A, mem_a="mem_a") == {"mem_a": True}
    store.memories.replace(make_memory("mem_a", "Other words", version=2))
    assert near(other, A, "mem_a") == []
    store.vectors.put(A, [("mem_a", 2, data("new"))])
    assert kept(other, A, mem_a="new") == {"mem_a": True}
    assert near(other, A, "mem_a") == ["mem_a"]


def test_if_two_processes_embed_a_memory_the_first_vector_is_kept(store: Store, other: Store):
    fill(store, "mem_a")
    assert other.vectors.put(A, [("mem_a", 1, data("again"))]) == 1
    assert kept(other, A, mem_a="mem_a") == {"mem_a": True}


def test_a_vector_of_another_length_is_not_compared(store: Store):
    fill(store, "mem_a")
    add_memory(store, "mem_b")
    store.vectors.put(A, [("mem_b", 1, data("mem_b")[:9])])
    assert near(store, A, "mem_b") == ["mem_a"]
    assert kept(store, A, mem_a="mem_a", mem_b="mem_b") == {"mem_a": True}


def test_models_do_not_see_each_others_vectors(store: Store):
    fill(store, "mem_a")
    assert (store.vectors.state(A).live, store.vectors.state(B).live) == (True, False)
    store.vectors.adopt(B, NOON)
    assert (store.vectors.counts(B)[:2], store.vectors.state(B).live) == ((0, 1), False)
    fill(store, "mem_b", model=B)
    assert store.vectors.state(B).live
    assert kept(store, A, mem_a="mem_a", mem_b="mem_b") == {"mem_a": True}
    assert near(store, B, "mem_b") == ["mem_b"]
    assert (store.vectors.pending(A, 9), store.vectors.pending(B, 9)) == (["mem_b"], ["mem_a"])
    assert store.vectors.models() == [A, B]


def test_vectors_nobody_used_for_long_are_dropped_but_never_the_present_models(store: Store):
    fill(store, "mem_a", "mem_b")
    store.vectors.adopt(B, NOON + 100)
    assert store.vectors.drop_unused(B, NOON) == 0
    assert store.vectors.drop_unused(A, NOON + 101) == 0  # B has no vectors to count
    assert store.vectors.models() == [A]
    store.vectors.adopt(B, NOON + 200)
    assert store.vectors.drop_unused(B, NOON + 1) == 2
    assert store.vectors.models() == [B]
    assert store.vectors.counts(B)[:2] == (0, 2)
    assert store.upkeep.problems() == []


def test_a_model_that_is_asked_for_is_not_dropped(store: Store):
    fill(store, "mem_a")
    store.vectors.adopt(B, NOON)
    store.vectors.record_use(A, NOON + 100, NOON)  # noted at noon, which is not before noon
    assert store.vectors.drop_unused(B, NOON + 1) == 1
    fill(store, "mem_b")
    store.vectors.record_use(A, NOON + 100, NOON + 1)
    assert store.vectors.drop_unused(B, NOON + 100) == 0
    store.vectors.record_use("model-c", NOON, NOON + 1)
    assert store.vectors.models() == [B, A]


def test_what_a_model_cannot_embed_is_neither_pending_nor_among_the_vectors(store: Store):
    add_memory(store, "mem_odd")
    store.vectors.adopt(A, NOON)
    assert store.vectors.put(A, [("mem_odd", 1, b"")]) == 1
    assert (store.vectors.counts(A)[:2], store.vectors.counts(A).refused) == ((1, 0), 1)
    assert (store.vectors.state(A).live, near(store, A, "mem_odd")) == (False, [])
    assert kept(store, A, mem_odd="mem_odd") == {}
    fill(store, "mem_a")
    assert (
        store.vectors.state(A).live,
        store.vectors.counts(A).refused,
        store.vectors.counts(B).refused,
    ) == (
        True,
        1,
        0,
    )
    assert near(store, A, "mem_a") == ["mem_a"]
    store.memories.replace(make_memory("mem_odd", "In other words", version=2))
    assert (store.vectors.counts(A).refused, store.vectors.pending(A, 9)) == (0, ["mem_odd"])


def test_dropping_all_makes_all_pending(store: Store):
    fill(store, "mem_a", "mem_b")
    store.upkeep.reindex(print, print, drop_vectors=True)
    assert store.vectors.counts(A)[:2] == (0, 2)
    assert store.vectors.pending(A, 9) == ["mem_b", "mem_a"]


def test_repairing_a_sound_list_changes_nothing(store: Store):
    fill(store, "mem_a")
    add_memory(store, "mem_b")
    store.upkeep.reindex(print, print)
    assert (store.vectors.counts(A)[:2], store.vectors.pending(A, 9)) == ((1, 1), ["mem_b"])


CHANGES = st.lists(
    st.tuples(st.sampled_from(["add", "reword", "tag", "delete", "embed", "adopt"]), st.integers(0, 4)),
    max_size=25,
)


@settings(max_examples=60)
@pytest.mark.parametrize("backend", BACKENDS)
@given(CHANGES)
def test_after_any_changes_each_memory_has_a_vector_or_is_pending(
    backend: str, changes: list[tuple[str, int]]
):
    with tempfile.TemporaryDirectory() as folder:
        store = BACKENDS[backend](Path(folder))
        try:
            for change, number in changes:
                apply(store, change, f"mem_{number}", A if number % 2 else B)
                for model in store.vectors.models():
                    done, pending = store.vectors.counts(model)[:2]
                    waiting = store.vectors.pending(model, 99)
                    assert done + pending == store.memories.count()
                    assert len(set(waiting)) == pending
                    assert not kept(store, model, **dict.fromkeys(waiting, "v"))
            assert store.upkeep.problems() == []
        finally:
            store.close()


def apply(store: Store, change: str, memory_id: str, model: str) -> None:
    if change == "adopt":
        store.vectors.adopt(model, NOON)
    present = store.memories.get([memory_id])
    if change == "add" and not present:
        add_memory(store, memory_id)
    for memory in present:
        following = {"version": memory.version + 1}
        if change == "reword":
            store.memories.replace(make_memory(memory_id, f"Goal {memory.version}", **following))
        elif change == "tag":
            store.memories.replace(make_memory(memory_id, memory.intent.goal, tags=["x"], **following))
        elif change == "delete":
            store.memories.delete(memory_id)
        elif change == "embed" and model in store.vectors.models():
            assert store.vectors.put(model, [(memory_id, memory.version, data("v"))]) == 1
