"""`learn`: facts and rules set, got and listed in one call."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rum import InvalidQuery, Rum
from support.builders import NOON
from support.projects import Shop


def learn(rum: Rum, **asked: Any) -> dict[str, Any]:
    return msgspec.to_builtins(rum.call("learn", asked))


def test_a_fact_is_set_and_got(rum: Rum) -> None:
    told = learn(rum, action="set", fact={"key": "format", "value": "CSV"})
    me = rum.identity("info").agent_id
    assert told == {
        "facts": [{"key": "format", "value": "CSV", "updated_at": NOON, "version": 1, "set_by": me}]
    }
    assert learn(rum, action="get", key="format") == told


def test_a_rule_is_set_and_got_by_its_task(rum: Rum) -> None:
    told = learn(rum, action="set", rule={"condition": "deploy", "action": "Ask first"})
    [rule] = told["rules"]
    assert (rule["condition"], rule["action"], rule["id"][:5]) == ("deploy", "Ask first", "rule_")
    assert learn(rum, action="get", task="Deploy the shop") == told


def test_what_another_agent_set_is_corrected_and_says_by_whom(shop: Shop) -> None:
    ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
    learn(ann, action="set", fact={"key": "format", "value": "CSV"})
    [rule] = learn(ann, action="set", rule={"condition": "deploy", "action": "Ask first"})["rules"]
    shop.clock.forward(60)
    corrected = {"id": rule["id"][-8:], "condition": "deploy|release", "action": "Ask twice"}
    told = learn(bob, action="set", fact={"key": "format", "value": "JSON"}, rule=corrected)
    by = bob.identity("info").agent_id
    assert told["facts"] == [
        {"key": "format", "value": "JSON", "updated_at": NOON + 60, "version": 2, "set_by": by}
    ]
    assert told["rules"] == [{**corrected, "id": rule["id"], "version": 2, "set_by": by}]
    listed = learn(ann, action="list")
    assert (listed["facts"], listed["rules"]) == (told["facts"], told["rules"])


def test_a_rule_that_few_tasks_would_meet_is_set_with_a_word_about_it(rum: Rum) -> None:
    told = learn(rum, action="set", rule={"condition": "when it is for the", "action": "Ask first"})
    assert len(told["rules"]) == 1
    assert "only stop words" in told["hint"]
    assert "code" not in told


def test_a_fact_and_a_rule_are_set_together_or_not_at_all(rum: Rum) -> None:
    fact, rule = {"key": "format", "value": "CSV"}, {"condition": "deploy", "action": "Ask first"}
    assert set(learn(rum, action="set", fact=fact, rule=rule)) == {"facts", "rules"}
    with pytest.raises(InvalidQuery):
        learn(rum, action="set", fact={"key": "other", "value": "x"}, rule={"condition": " ", "action": "x"})
    assert rum.facts.get("other") is None


def test_what_is_not_known_is_no_error_and_comes_with_a_hint(rum: Rum) -> None:
    learn(rum, action="set", fact={"key": "format", "value": "CSV"})
    assert learn(rum, action="get", key="formta") == {
        "facts": [],
        "code": "NO_RESULTS",
        "hint": "Did you mean the key `format`?",
    }
    assert learn(rum, action="get", task="anything")["code"] == "NO_RESULTS"


def test_all_are_listed_newest_first_with_how_many_there_are(rum: Rum) -> None:
    assert learn(rum, action="list")["hint"] == "Nothing was learned yet."
    for number in range(3):
        learn(rum, action="set", fact={"key": f"k{number}", "value": "v"})
        learn(rum, action="set", rule={"condition": f"c{number}", "action": "a"})
    told = learn(rum, action="list", limit=2)
    assert [fact["key"] for fact in told["facts"]] == ["k2", "k1"]
    assert [rule["condition"] for rule in told["rules"]] == ["c2", "c1"]
    assert (told["total_facts"], told["total_rules"]) == (3, 3)
    of_one = learn(rum, action="list", key="k1")
    assert ([fact["key"] for fact in of_one["facts"]], of_one["total_facts"]) == (["k1"], 1)
    assert "rules" not in of_one


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "`action` is required"),
        ({"action": "forget"}, "set, get, list"),
        ({"action": "set"}, "give `fact`"),
        ({"action": "get"}, "give the `key`"),
        ({"action": "set", "fact": {"key": "a"}}, "`fact.value` is required"),
        ({"action": "set", "fact": {"key": "a", "valu": "x"}}, "Did you mean `value`"),
        ({"action": "set", "rule": {"condition": "a"}}, "`rule.action` is required"),
        ({"action": "list", "limit": 0}, "limit"),
        ({"action": "get", "keys": "a"}, "Did you mean `key`"),
    ],
)
def test_what_is_no_question_is_refused_with_what_is_allowed(
    rum: Rum, asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidQuery) as caught:
        learn(rum, **asked)
    assert said in caught.value.message
