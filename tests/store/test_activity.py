"""How memories are used is counted apart from the memories."""

from __future__ import annotations

from rum.model.memory import Usage
from rum.store.base import Store
from support.builders import NOON, add_memory


def test_uses_add_up_and_the_last_time_stands(store: Store):
    assert store.activity.add_uses({"mem_a": 2, "mem_b": 1}, NOON)
    assert store.activity.add_uses({"mem_a": 3}, NOON - 60)
    assert store.activity.uses(["mem_a", "mem_b", "mem_c"]) == {
        "mem_a": Usage(5, NOON),
        "mem_b": Usage(1, NOON),
    }
    assert store.activity.uses([]) == {}


def test_the_most_used_comes_first(store: Store):
    store.activity.add_uses({"mem_a": 1, "mem_b": 4, "mem_c": 1}, NOON)
    assert [(one, use.times) for one, use in store.activity.uses().items()] == [
        ("mem_b", 4),
        ("mem_c", 1),
        ("mem_a", 1),
    ]


def test_a_count_from_elsewhere_stands_if_it_is_larger(store: Store):
    store.activity.add_uses({"mem_a": 5}, NOON)
    store.activity.set_use("mem_a", Usage(3, NOON + 60))
    store.activity.set_use("mem_b", Usage(7, None))
    uses = store.activity.uses(["mem_a", "mem_b"])
    assert uses["mem_a"] == Usage(5, NOON + 60)
    assert uses["mem_b"].times == 7
    store.activity.set_use("mem_a", Usage(9, NOON))
    assert store.activity.uses(["mem_a"])["mem_a"] == Usage(9, NOON + 60)


def test_a_forgotten_memory_leaves_no_count(store: Store):
    store.activity.add_uses({"mem_a": 5, "mem_b": 1}, NOON)
    store.activity.delete("mem_a")
    store.activity.delete("mem_unknown")
    assert store.activity.uses() == {"mem_b": Usage(1, NOON)}


def test_counting_changes_no_memory(store: Store):
    kept = add_memory(store, "mem_a")
    store.activity.add_uses({"mem_a": 1}, NOON + 60)
    assert store.memories.get(["mem_a"]) == [kept]


def test_two_who_count_at_once_both_count(store: Store, other: Store):
    for _ in range(5):
        assert store.activity.add_uses({"mem_a": 1}, NOON)
        assert other.activity.add_uses({"mem_a": 1}, NOON)
    assert store.activity.uses(["mem_a"]) == {"mem_a": Usage(10, NOON)}


def test_counting_does_not_wait_for_a_memory_that_is_being_written(store: Store, other: Store):
    with store.transaction():
        add_memory(store, "mem_a")
        assert other.activity.add_uses({"mem_a": 1}, NOON)
    assert store.activity.uses(["mem_a"]) == {"mem_a": Usage(1, NOON)}


def test_a_failure_is_known_to_all_until_the_part_works_again(store: Store, other: Store):
    assert other.activity.failure("endpoint") is None
    store.activity.set_failure("endpoint", "refused", 5)
    store.activity.set_failure("endpoint", "timed out", 9)
    store.activity.set_failure("disk", "full", 7)
    assert other.activity.failure("endpoint") == (9, "timed out")
    other.activity.set_failure("endpoint", None, 10)
    assert (store.activity.failure("endpoint"), store.activity.failure("disk")) == (None, (7, "full"))
