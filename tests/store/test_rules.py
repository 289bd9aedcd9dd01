"""Rules are stored in order, and found by id, by the end of an id, or by their text."""

from __future__ import annotations

import pytest

from rum.model.errors import StorageError
from rum.store.base import Store
from rum.store.records import Revision
from support.builders import NOON
from support.facts import add_author, all_rules, make_rule


@pytest.fixture(autouse=True)
def author(store: Store) -> None:
    add_author(store)


@pytest.mark.parametrize("timestamp", [None, 0, 1_750_000_000_000, 0.5])
def test_a_rule_reads_back_as_it_was_written(store: Store, timestamp: float | None):
    rule = make_rule(
        "rule_a", "Wenn 😀\n", "tu's", timestamp=timestamp, imported_at=NOON, extra={"x": [None]}
    )
    store.rules.put(rule)
    assert store.rules.get(["rule_unknown", "rule_a"]) == [rule]
    assert all_rules(store) == [rule]


def test_rules_come_in_the_order_they_were_learned_and_the_latest_the_other_way(store: Store):
    for number in range(5):
        store.rules.put(make_rule(f"rule_{number}"))
    assert [len(batch) for batch in store.rules.pages(size=2)] == [2, 2, 1]
    assert [rule.id for rule in all_rules(store)] == [f"rule_{number}" for number in range(5)]
    assert [rule.id for rule in store.rules.latest(2)] == ["rule_4", "rule_3"]
    assert len(store.rules.latest(9)) == store.rules.count() == 5


def test_an_id_or_a_tail_names_a_rule(store: Store):
    store.rules.put(make_rule("rule_01jabcdefgh"))
    store.rules.put(make_rule("rule_02jabcdefgh"))
    assert store.rules.find_ids("rule_01jabcdefgh") == ["rule_01jabcdefgh"]
    assert store.rules.find_ids("1jabcdefgh") == ["rule_01jabcdefgh"]
    assert sorted(store.rules.find_ids("jabcdefgh")) == ["rule_01jabcdefgh", "rule_02jabcdefgh"]
    assert store.rules.find_ids("abcdefg") == store.rules.find_ids("%" * 8) == []


def test_rules_that_say_the_same_are_all_found(store: Store):
    store.rules.put(make_rule("rule_a", "deploy", "Ask first"))
    store.rules.put(make_rule("rule_b", "deploy", "Ask first"))
    store.rules.put(make_rule("rule_c", "deploy", "ask first"))
    assert [rule.id for rule in store.rules.with_texts("deploy", "Ask first")] == ["rule_a", "rule_b"]


def test_a_replaced_rule_keeps_its_place_and_its_earlier_text(store: Store):
    for name in "abc":
        store.rules.put(make_rule(f"rule_{name}"))
    store.history.add(
        "rule",
        "rule_b",
        Revision(
            1,
            NOON + 1,
            "agent_bob",
            (
                "auth|login",
                "Run the tests",
            ),
        ),
    )
    changed = make_rule("rule_b", "release", "Ask", updated_at=NOON + 1, version=2, extra={"x": 1})
    store.rules.put(changed)
    assert store.rules.get(["rule_b"]) == [changed]
    assert [rule.id for rule in all_rules(store)] == ["rule_a", "rule_b", "rule_c"]
    assert store.history.of("rule", ["rule_b"])["rule_b"] == [
        (1, NOON + 1, "agent_bob", ("auth|login", "Run the tests"))
    ]
    assert store.history.of("rule", ["rule_a"])["rule_a"] == []


def test_the_versions_of_a_rule_go_with_it(store: Store):
    store.rules.put(make_rule("rule_a"))
    store.history.add(
        "rule",
        "rule_a",
        Revision(
            1,
            NOON,
            "agent_ann",
            (
                "c",
                "a",
            ),
        ),
    )
    assert store.rules.delete(["rule_a"]) == 1
    assert store.history.of("rule", ["rule_a"])["rule_a"] == []
    store.rules.put(make_rule("rule_a"))
    assert store.history.of("rule", ["rule_a"])["rule_a"] == []
    assert store.upkeep.problems() == []


def test_deleting_takes_those_named_and_no_others(store: Store):
    for name in "abc":
        store.rules.put(make_rule(f"rule_{name}"))
    assert store.rules.delete(["rule_a", "rule_c", "rule_unknown"]) == 2
    assert [rule.id for rule in all_rules(store)] == ["rule_b"]


def test_an_id_belongs_to_one_rule_and_its_author_exists(store: Store):
    for condition in ("deploy", "other"):
        store.rules.put(make_rule("rule_a", condition))
    with pytest.raises(StorageError):
        store.rules.put(make_rule("rule_b", agent_id="agent_unknown"))
    assert [rule.condition for rule in all_rules(store)] == ["other"]
