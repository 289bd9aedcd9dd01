"""Rules: what to do when, found by the task they are for."""

from __future__ import annotations

from typing import Any

import pytest

from making import NOON
from opening import Shop
from rum import InvalidQuery, NotFound, PermissionDenied, Rum


def test_a_rule_is_kept_under_an_id_of_its_own(shop: Shop) -> None:
    rum = shop.open(agent="ann")
    rule = rum.rules.add("auth|login", "Run the session tests")
    assert rule.id.startswith("rule_")
    assert (rule.condition, rule.action, rule.created_at) == ("auth|login", "Run the session tests", NOON)
    assert shop.open(agent="bob").rules.show(rule.id[-8:]) == rule
    with pytest.raises(NotFound, match="No rule"):
        rum.rules.show("rule_unknown000")


def test_the_same_rule_is_kept_once(shop: Shop) -> None:
    rum = shop.open()
    one = rum.rules.add("deploy", "Ask first")
    assert shop.open(agent="bob").rules.add("deploy", "Ask first") == one
    assert rum.rules.add("deploy", "Ask twice") != one
    assert [rule.action for rule in rum.rules.list()] == ["Ask twice", "Ask first"]
    assert [rule.action for rule in rum.rules.list(limit=1)] == ["Ask twice"]


@pytest.mark.parametrize(
    ("condition", "task", "plan", "matches"),
    [
        ("auth|login", "Fix the LOGIN page", "", True),
        ("auth|login", "Fix the cart", "touch auth.py", True),
        ("auth|login", "Fix the cart", "", False),
        ("migrat*schema", "Migrate the old schema", "", True),
        ("migrat*schema", "The schema migrates", "", False),
        ("*", "Anything", "", True),
        ("when the task mentions database migrations", "Write a migration for the database", "", True),
        ("when the task mentions database migrations", "Write the README", "", False),
        ("(a+)+$", "a" * 100_000, "", False),
        ("(a+)+$", "literally (a+)+$", "", True),
    ],
)
def test_a_rule_is_for_the_tasks_its_condition_speaks_of(
    rum: Rum, condition: str, task: str, plan: str, matches: bool
) -> None:
    rule = rum.rules.add(condition, "Do it")
    assert rum.rules.match(task, plan) == ([rule] if matches else [])


def test_rules_for_a_task_come_newest_first(rum: Rum) -> None:
    for action in ("one", "two"):
        rum.rules.add("deploy", action)
    assert [rule.action for rule in rum.rules.match("deploy it")] == ["two", "one"]


@pytest.mark.parametrize(("condition", "action"), [("", "x"), (" ", "x"), ("x", ""), (5, "x"), ("x", None)])
def test_what_is_no_rule_is_refused(rum: Rum, condition: Any, action: Any) -> None:
    with pytest.raises(InvalidQuery):
        rum.rules.add(condition, action)
    assert rum.rules.list() == []


@pytest.mark.parametrize("way", ["rules", "forget"])
def test_a_forgotten_rule_does_not_come_back_under_its_id_or_another(shop: Shop, way: str) -> None:
    rum = shop.open()
    rule = rum.rules.add("deploy", "Ask first")
    exported = list(rum.export())
    assert rum.forget(rule.id, dry_run=True).removed == {"rules": 1}
    result = (rum.rules.forget if way == "rules" else rum.forget)(rule.id[-8:])
    assert (result.id, result.removed) == (rule.id, {"rules": 1})
    for lines in (exported, [line.replace(rule.id.encode(), b"rule_other") for line in exported]):
        layers = rum.import_lines(lines).layers
        assert layers
        assert (layers.added, layers.forgotten) == (0, 1)
    assert rum.rules.list() == []


def test_another_agents_rule_is_not_forgotten(shop: Shop) -> None:
    rule = shop.open(agent="ann").rules.add("deploy", "Ask first")
    with pytest.raises(PermissionDenied):
        shop.open(agent="bob").rules.forget(rule.id)
    assert shop.open(owner=True).rules.forget(rule.id).forgotten


def test_secrets_are_cut_out_of_rules(rum: Rum) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    rule = rum.rules.add(f"token {secret}", f"use {secret}")
    assert secret not in rule.condition + rule.action
