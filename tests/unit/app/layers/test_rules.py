"""Rules: what to do when, found by the task they are for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, NotFound, PermissionDenied, Rum
from support.builders import NOON
from support.projects import Shop


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


def test_any_agent_corrects_a_rule_and_who_did_is_known(shop: Shop) -> None:
    ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
    rule = ann.rules.add("deploy", "Ask first")
    ann.rules.add("deploy", "Run the tests")
    shop.clock.forward(60)
    corrected = bob.rules.set(rule.id[-8:], "deploy|release", "Ask twice")
    assert (corrected.id, corrected.version, corrected.updated_at) == (rule.id, 2, NOON + 60)
    assert corrected.timestamp == (NOON + 60) * 1000
    assert [one.action for one in ann.rules.match("a release")] == ["Ask twice"]
    told = [
        (one.version, one.condition, one.action, one.changed_at, one.changed_by, one.current)
        for one in ann.rules.history(rule.id)
    ]
    assert told == [
        (1, "deploy", "Ask first", NOON, ann.identity("info").agent_id, False),
        (2, "deploy|release", "Ask twice", NOON + 60, bob.identity("info").agent_id, True),
    ]
    assert [one.action for one in ann.rules.list()] == ["Run the tests", "Ask twice"]


def test_setting_a_rule_to_what_it_says_already_says_that_it_still_holds(shop: Shop) -> None:
    rule = shop.open(agent="ann").rules.add("deploy", "Ask first")
    shop.clock.forward(60)
    bob = shop.open(agent="bob")
    again = bob.rules.set(rule.id, "deploy", "Ask first")
    assert (again.version, again.updated_at) == (1, NOON + 60)
    assert len(bob.rules.history(rule.id)) == 1


def test_correcting_a_rule_gives_no_right_to_forget_it(shop: Shop) -> None:
    rule = shop.open(agent="ann").rules.add("deploy", "Ask first")
    bob = shop.open(agent="bob")
    bob.rules.set(rule.id, "deploy", "Ask twice")
    for change in (
        lambda: bob.rules.forget(rule.id),
        lambda: bob.forget(rule.id, dry_run=True),
        lambda: bob.layers.clear("procedural"),
        lambda: bob.layers.compact("procedural", keep_last=0),
    ):
        with pytest.raises(PermissionDenied, match="belongs to"):
            change()
    assert shop.open(agent="ann").rules.forget(rule.id).removed == {"rules": 1, "versions": 1}
    assert bob.rules.list() == []


def test_only_a_rule_that_is_here_can_be_set(shop: Shop) -> None:
    rum = shop.open(agent="ann")
    with pytest.raises(NotFound, match="No rule"):
        rum.rules.set("rule_unknown000", "deploy", "Ask first")
    assert rum.rules.list() == []


def test_a_rule_with_its_history_goes_elsewhere(shop: Shop) -> None:
    rum = shop.open(agent="ann")
    rule = rum.rules.add("deploy", "Ask first")
    shop.clock.forward(60)
    rum.rules.set(rule.id, "deploy", "Ask twice")
    exported = list(rum.export())
    elsewhere = shop.open(home=shop.home.parent / "elsewhere")
    for _ in range(2):
        elsewhere.import_lines(exported)
        assert elsewhere.rules.history(rule.id) == rum.rules.history(rule.id)
    assert elsewhere.doctor().problems == []


def test_no_version_of_a_forgotten_rule_comes_back(shop: Shop) -> None:
    rum = shop.open()
    rule = rum.rules.add("deploy", "Ask first")
    before = list(rum.export())
    rum.rules.set(rule.id, "deploy", "Ask twice")
    rum.rules.forget(rule.id)
    rum.import_lines(before)
    assert rum.rules.list() == []


@pytest.mark.parametrize("condition", ["x" * 501, "deploy " * 100])
def test_a_condition_is_no_longer_than_a_notes_pattern(rum: Rum, condition: str) -> None:
    with pytest.raises(InvalidQuery, match="500"):
        rum.rules.add(condition, "Ask first")
    with pytest.raises(InvalidQuery, match="500"):
        rum.layers.append("procedural", {"content": "Ask first", "metadata": {"condition": condition}})
    assert rum.rules.list() == []


@pytest.mark.parametrize("condition", ["|", " | | "])
def test_a_condition_that_no_task_can_meet_is_refused(rum: Rum, condition: str) -> None:
    with pytest.raises(InvalidQuery, match="no task"):
        rum.rules.add(condition, "Ask first")
    assert rum.rules.list() == []


def test_a_condition_from_a_file_that_is_too_long_is_kept_but_met_by_no_task(
    shop: Shop, tmp_path: Path
) -> None:
    long = "deploy " * 100
    (tmp_path / "procedural.json").write_text(json.dumps([{"condition": long, "action": "Ask first"}]))
    rum = shop.open()
    rum.import_layers(tmp_path)
    assert rum.rules.match(long) == []
    assert "500 characters" in str(rum.doctor().remarks)


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
    assert rum.forget(rule.id, dry_run=True).removed == {"rules": 1, "versions": 0}
    result = (rum.rules.forget if way == "rules" else rum.forget)(rule.id[-8:])
    assert (result.id, result.removed) == (rule.id, {"rules": 1, "versions": 0})
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


@pytest.mark.parametrize("said", ["run `pnpm test:auth`", "Run: pnpm test:auth."])
def test_a_forgotten_rule_is_known_by_its_words_whatever_the_signs_between_them(
    shop: Shop, tmp_path: Path, said: str
) -> None:
    rum = shop.open()
    rum.rules.forget(rum.rules.add("When adding an interceptor", "Run `pnpm test:auth`!").id)
    for action, added in ((said, 0), ("Never run `pnpm test:auth`", 1)):
        rule = {"condition": "adding an interceptor", "action": action}
        (tmp_path / "procedural.json").write_text(json.dumps([rule]))
        assert rum.import_layers(tmp_path).added == added
