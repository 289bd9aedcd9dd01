"""Facts are stored by key in order, with their earlier values."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rum.model.errors import StorageError
from rum.store.base import Store
from rum.store.records import Revision
from support.builders import NOON
from support.facts import add_author, all_facts, make_fact


@pytest.fixture(autouse=True)
def author(store: Store) -> None:
    add_author(store)


@pytest.mark.parametrize("timestamp", [None, 0, -5, 1_750_000_000_000, 1_750_000_000_000.5, 1.0])
def test_a_fact_reads_back_as_it_was_written(store: Store, timestamp: float | None):
    fact = make_fact(
        "naïve 記憶",
        'with "quotes", \n lines and 😀',
        timestamp=timestamp,
        updated_at=NOON + 5,
        version=3,
        imported_at=NOON + 1,
        extra={"source": {"a": [1, None, 2.5]}, "key": "another"},
    )
    store.facts.put(fact)
    assert store.facts.get(["naïve 記憶"]) == [fact]
    assert type(all_facts(store)[0].timestamp) is type(timestamp)
    assert store.facts.get(["unknown"]) == []


def test_facts_come_in_the_order_they_were_learned_a_batch_at_a_time(store: Store):
    for number in range(7):
        store.facts.put(make_fact(f"key-{number}"))
    assert [[fact.key for fact in batch] for batch in store.facts.pages(size=3)] == [
        ["key-0", "key-1", "key-2"],
        ["key-3", "key-4", "key-5"],
        ["key-6"],
    ]
    assert store.facts.count() == 7


def test_a_fact_under_a_known_key_takes_its_place(store: Store):
    for key in ("a", "b", "c"):
        store.facts.put(make_fact(key))
    store.facts.put(make_fact("b", "otherwise", version=2))
    assert [(fact.key, fact.value) for fact in all_facts(store)] == [
        ("a", "CSV"),
        ("b", "otherwise"),
        ("c", "CSV"),
    ]


def test_the_latest_are_those_changed_last_whose_keys_begin_so(store: Store):
    store.facts.put(make_fact("db.host", created_at=NOON + 1))
    store.facts.put(make_fact("db.port", created_at=NOON, updated_at=NOON + 9))
    store.facts.put(make_fact("db.name", created_at=NOON + 1))
    store.facts.put(make_fact("ci", created_at=NOON + 99))
    assert [fact.key for fact in store.facts.latest(9, "db.")[0]] == ["db.port", "db.name", "db.host"]
    assert [fact.key for fact in store.facts.latest(1)[0]] == ["ci"]
    assert store.facts.latest(2, "db.")[1] == store.facts.latest(9, "db.")[1] == 3


@pytest.mark.parametrize("prefix", ["%", "_", "DB", "'", "\\"])
def test_a_prefix_is_taken_literally(store: Store, prefix: str):
    store.facts.put(make_fact("db.host"))
    assert store.facts.latest(9, prefix) == ([], 0)
    store.facts.put(make_fact(f"{prefix}x"))
    assert [fact.key for fact in store.facts.latest(9, prefix)[0]] == [f"{prefix}x"]
    assert store.facts.latest(1, prefix)[1] == 1


def test_versions_stay_when_the_fact_is_replaced_and_go_with_it(store: Store):
    store.facts.put(make_fact("a", "one"))
    for number, value in enumerate(["one", "two"], start=1):
        store.history.add("fact", "a", Revision(number, NOON + number, "agent_ann", (value,)))
        store.facts.put(make_fact("a", "later", version=number + 1))
    assert store.history.of("fact", ["a"])["a"] == [
        (1, NOON + 1, "agent_ann", ("one",)),
        (2, NOON + 2, "agent_ann", ("two",)),
    ]
    assert store.history.of("fact", ["unknown"])["unknown"] == []
    assert store.facts.delete(["a"]) == 1
    assert store.history.of("fact", ["a"])["a"] == []
    assert store.facts.delete(["a"]) == 0
    store.facts.put(make_fact("a"))
    assert store.history.of("fact", ["a"])["a"] == []


def test_author_and_import_read_back(store: Store):
    add_author(store, "agent_bob")
    store.facts.put(make_fact("a"))
    store.facts.put(make_fact("c", imported_at=NOON))
    store.facts.put(make_fact("d", agent_id="agent_bob"))
    assert [(fact.agent_id, fact.imported_at) for fact in all_facts(store)] == [
        ("agent_ann", None),
        ("agent_ann", NOON),
        ("agent_bob", None),
    ]


def test_clearing_takes_all_facts_with_their_versions(store: Store):
    store.facts.put(make_fact("a"))
    store.history.add("fact", "a", Revision(1, NOON, "agent_ann", ("before",)))
    store.facts.put(make_fact("b"))
    assert store.facts.delete() == 2
    assert (store.facts.count(), all_facts(store), store.history.of("fact", ["a"])["a"]) == (0, [], [])
    assert store.upkeep.problems() == []


def test_a_fact_needs_an_author_that_exists(store: Store):
    with pytest.raises(StorageError):
        store.facts.put(make_fact("a", agent_id="agent_unknown"))
    assert store.facts.count() == 0


def test_what_one_learns_another_knows(store: Store, other: Store):
    fact = make_fact("a")
    store.facts.put(fact)
    assert other.facts.get(["a"]) == [fact]
    other.facts.put(replace(fact, value="otherwise", version=2))
    assert store.facts.get(["a"]) == [replace(fact, value="otherwise", version=2)]
