"""The trash holds items whole; their marks count as tombstones until they are restored."""

from __future__ import annotations

from typing import Any

import pytest

from rum.store.base import Store
from rum.store.trash import TrashItem
from support.builders import NOON, add_memory
from support.vectors import data

MODEL = "model-a"


def make_item(item_id: str = "mem_01jabcdefgh", kind: str = "memory", **more: Any) -> TrashItem:
    fields = {"label": "Fix it", "author": "agent_ann", "imported": False, "forgotten_at": NOON, **more}
    return TrashItem(kind, item_id, forgotten_by="owner", **fields)


def test_an_item_reads_back_as_it_was_put(store: Store, other: Store):
    item = make_item(marks=("a", "b"), data=b"\x00{}", imported=True)
    number = store.trash.put(item)
    assert other.trash.get([number + 1, number]) == [item._replace(number=number)]
    assert other.trash.items() == [item._replace(number=number, marks=(), data=b"")]


def test_an_item_is_found_by_its_id_or_the_end_of_it_the_last_forgotten_first(store: Store):
    first, second = (store.trash.put(make_item(label=label)) for label in ("one", "two"))
    fact = store.trash.put(make_item("mem_01jabcdefgh", "fact"))
    assert [one.number for one in store.trash.find("mem_01jabcdefgh")] == [fact, second, first]
    assert [one.number for one in store.trash.find("jabcdefgh", "memory")] == [second, first]
    assert store.trash.find("abcdefg") == store.trash.find("mem_01jabcdefgx") == []


def test_items_are_listed_the_last_forgotten_first_within_a_limit_or_before_a_time(store: Store):
    old, *new = (store.trash.put(make_item(f"mem_{n}", forgotten_at=NOON + n)) for n in range(3))
    assert [one.number for one in store.trash.items()] == [*reversed(new), old]
    assert [one.number for one in store.trash.items(limit=1)] == [new[-1]]
    assert [one.number for one in store.trash.items(before=NOON + 1)] == [old]


def test_the_data_of_an_item_can_be_replaced(store: Store):
    number = store.trash.put(make_item(marks=("a",), data=b"old"))
    [item] = store.trash.get([number])
    assert store.trash.put(item._replace(data=b"new")) == number
    assert store.trash.get([number]) == [item._replace(data=b"new")]


def test_marks_are_tombstones_until_their_item_is_deleted(store: Store):
    number = store.trash.put(make_item(marks=("a", "b")))
    assert store.memories.tombstones(["a", "b", "c"]) == {"a", "b"}
    assert store.memories.all_tombstones() == {}
    assert store.trash.delete([number, number + 1]) == 1
    assert store.memories.tombstones(["a", "b"]) == set()


def test_a_mark_of_two_items_counts_until_both_are_deleted(store: Store):
    first, second = (store.trash.put(make_item(marks=("a",))) for _ in range(2))
    store.trash.delete([first])
    assert store.memories.tombstones(["a"]) == {"a"}
    store.trash.delete([second])
    assert store.memories.tombstones(["a"]) == set()


def test_a_buried_item_leaves_tombstones_of_its_kind(store: Store):
    store.memories.add_tombstones(["a"], "rule", NOON)
    number = store.trash.put(make_item(kind="fact", marks=("a", "b")))
    assert store.trash.delete([number], bury=NOON + 1) == 1
    assert store.trash.items() == []
    assert store.memories.all_tombstones() == {"rule": ["a"], "fact": ["b"]}


def test_tombstones_can_be_deleted_but_not_the_marks_of_the_trash(store: Store):
    store.memories.add_tombstones(["a", "b"], "memory", NOON)
    store.trash.put(make_item(marks=("b", "c")))
    store.memories.delete_tombstones(["a", "b", "c"])
    assert store.memories.tombstones(["a", "b", "c"]) == {"b", "c"}


def test_nothing_of_a_transaction_that_fails_is_kept(store: Store):
    number = store.trash.put(make_item(marks=("a",)))

    def fail() -> None:
        with store.transaction():
            store.trash.put(make_item("mem_b", marks=("b",)))
            store.trash.delete([number], bury=NOON)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [one.number for one in store.trash.items()] == [number]
    assert store.memories.tombstones(["a", "b"]) == {"a"}


def test_vectors_and_renames_of_a_memory_can_be_read_to_keep_them(store: Store):
    memory = add_memory(store, "mem_a")
    store.memories.note_renames("mem_a", [("old.py", "new.py"), ("a.py", "b.py")])
    store.vectors.adopt(MODEL, NOON)
    store.vectors.adopt("model-b", NOON)
    store.vectors.put(MODEL, [("mem_a", memory.version, data("login"))])
    assert store.vectors.packed("mem_a") == {MODEL: data("login")}
    assert store.memories.renames("mem_a") == [("a.py", "b.py"), ("old.py", "new.py")]
    store.archive.put(["mem_a"], NOON)
    assert store.vectors.packed("mem_a") == {MODEL: data("login")}
    assert (store.vectors.packed("mem_x"), store.memories.renames("mem_x")) == ({}, [])


def test_deleting_only_the_texts_of_offers_keeps_uses_and_feedback(store: Store):
    store.activity.add_uses({"mem_a": 2}, NOON)
    store.activity.add_feedback("mem_a", "owner", NOON, useful=True)
    store.activity.delete("mem_a", texts_only=True)
    assert store.activity.uses(["mem_a"])["mem_a"].times == 2
    assert store.activity.usefulness(["mem_a"])
    store.activity.delete("mem_a")
    assert store.activity.uses(["mem_a"]) == store.activity.usefulness(["mem_a"]) == {}


def test_pending_items_are_apart_from_forgotten_ones(store: Store, other: Store):
    forgotten = store.trash.put(make_item(marks=("a",)))
    pending = store.trash.put(make_item(marks=("b",), pending=True, data=b"{}"))
    assert [one.number for one in other.trash.items()] == [forgotten]
    assert [one.number for one in other.trash.items(before=NOON + 9)] == [forgotten]
    assert [one.number for one in other.trash.items(pending=True)] == [pending]
    assert [one.number for one in other.trash.find("mem_01jabcdefgh")] == [forgotten]
    assert [one.number for one in other.trash.find("jabcdefgh", pending=True)] == [pending]
    assert other.trash.get([pending])[0].pending
    assert (other.trash.count(), other.trash.count(pending=True)) == ({"memory": 1}, {"memory": 1})


def test_the_marks_of_a_pending_item_are_tombstones_and_stay_when_it_is_buried(store: Store):
    number = store.trash.put(make_item(marks=("a",), pending=True))
    assert store.memories.tombstones(["a"]) == {"a"}
    assert store.memories.tombstones(["a"], pending=False) == set()
    store.trash.delete([number], bury=NOON)
    assert store.memories.tombstones(["a"], pending=False) == {"a"}
    assert store.memories.tombstones(["a"]) == {"a"}
    assert store.trash.count(pending=True) == {}


def test_reviews_are_counted_by_verdict_and_kind_since_a_time(store: Store, other: Store):
    for at, kind, verdict in ((0, "memory", "accepted"), (5, "memory", "accepted"), (5, "rule", "rejected")):
        store.trash.note_review(kind, verdict, NOON + at)
    assert other.trash.count_reviews() == {"accepted": {"memory": 2}, "rejected": {"rule": 1}}
    assert other.trash.count_reviews(NOON + 1) == {"accepted": {"memory": 1}, "rejected": {"rule": 1}}
