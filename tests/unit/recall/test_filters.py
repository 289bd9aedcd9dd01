"""What excludes a memory from an answer, alone and together, and the number of matches."""

from __future__ import annotations

from typing import Any

import pytest

from rum import Rum
from rum.recall import levels, limits
from support.builders import NOON, make_intent, make_outcome
from support.projects import Shop, edited, keep


@pytest.fixture
def memories(rum: Rum, shop: Shop) -> dict[str, str]:
    """Four memories, an hour apart, of two agents in two sessions: id -> name."""
    named: dict[str, str] = {}
    bob = shop.open(agent="bob", session="session-b")
    for name, who, kind, success, tags in (
        ("first", rum, "bug_fix", True, ["auth"]),
        ("second", rum, "refactor", False, ["auth", "jwt"]),
        ("third", bob, "bug_fix", False, ["jwt"]),
        ("fourth", bob, "refactor", True, ["auth", "jwt", "ui"]),
    ):
        draft: dict[str, Any] = {"intent": make_intent(f"Work on the login, {name}", task_type=kind)}
        draft |= {"outcome": make_outcome(success=success), "tags": tags, "actions": edited("login.py")}
        named[who.store(**draft).memory_id] = name
        shop.clock.forward(3600)
    return named


FILTERS: list[tuple[dict[str, Any], str]] = [
    ({"task_type": "bug_fix"}, "first third"),
    ({"success_only": True}, "first fourth"),
    ({"failures_only": True}, "second third"),
    ({"tags": ["auth"]}, "first second fourth"),
    ({"tags": ["auth", "jwt"]}, "second fourth"),
    ({"tags": ["jwt", "auth", "ui"]}, "fourth"),
    ({"tags": ["AUTH"]}, ""),
    ({"agent_id": "bob"}, "third fourth"),
    ({"agent_id": "nobody"}, ""),
    ({"session_id": "session-b"}, "third fourth"),
    ({"since": NOON + 3600}, "second third fourth"),
    ({"since": NOON + 3601}, "third fourth"),
    ({"before": NOON + 3600}, "first"),
    ({"before": NOON + 3601}, "first second"),
    ({"since": NOON + 3600, "before": NOON + 7200}, "second"),
    ({"since": (NOON + 3600) * 1000}, "second third fourth"),
    ({"before": (NOON + 3600) * 1000}, "first"),
    ({"since": NOON + 3600.5}, "second third fourth"),
    ({"task_type": "refactor", "tags": ["jwt"], "failures_only": True}, "second"),
    ({"task_type": "refactor", "agent_id": "bob", "since": NOON, "success_only": True}, "fourth"),
    ({"task_type": "bug_fix", "tags": ["ui"]}, ""),
]
SCOPES: list[dict[str, Any]] = [
    {},
    {"file": "login.py"},
    {"query": "login"},
    {"intent": "work on the login"},
    {"file": "*.py", "query": "login"},
]


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: "+".join(scope) or "alone")
def test_filters_exclude_whatever_else_is_asked(rum: Rum, memories: dict[str, str], scope: Any) -> None:
    for filters, expected in FILTERS:
        answer = rum.recall(**scope, **filters, limit=10)
        names = sorted(memories[memory.id] for memory in answer.memories)
        assert names == sorted(expected.split()), filters
        if answer.total_exact is not False and expected:
            assert answer.total_matches == len(names), filters


def test_filters_exclude_a_memory_asked_for_by_id_too(rum: Rum, memories: dict[str, str]) -> None:
    for filters, expected in FILTERS:
        given = [name for one, name in memories.items() if rum.recall(memory_id=one, **filters).memories]
        assert sorted(given) == sorted(expected.split()), filters


def test_an_agent_may_be_named_by_its_id_or_a_tail_of_it(rum: Rum, memories: dict[str, str]) -> None:
    bob = rum.identity("info", agent_id="bob").agent_id
    for name in (bob, bob[-8:], "bob"):
        assert len(rum.recall(agent_id=name).memories) == 2


def test_the_newest_come_first_and_the_limit_cuts_the_rest(rum: Rum, memories: dict[str, str]) -> None:
    answer = rum.recall(since=0, limit=2)
    assert [memories[memory.id] for memory in answer.memories] == ["fourth", "third"]
    assert answer.total_matches == 4


@pytest.mark.parametrize(
    "question", [{"file": "login.py"}, {"query": "login"}, {"since": 0}, {"task_type": "bug_fix"}]
)
def test_superseded_memories_are_left_out_unless_requested(rum: Rum, question: dict[str, Any]) -> None:
    old = keep(rum, "Fix the login", actions=edited("login.py"))
    new = keep(rum, "Fix the login properly", actions=edited("login.py"), links={"supersedes": old})
    assert [memory.id for memory in rum.recall(**question).memories] == [new]
    both = rum.recall(**question, include_superseded=True).memories
    assert {memory.id: memory.superseded_by for memory in both if memory.superseded_by} == {old: (new,)}
    assert {memory.id for memory in both} == {old, new}


def test_a_superseded_memory_is_returned_by_id_and_marked(rum: Rum) -> None:
    old = keep(rum)
    newer = [keep(rum, f"Better {n}", links={"supersedes": old}) for n in range(2)]
    [memory] = rum.recall(memory_id=old).memories
    assert memory.superseded_by == tuple(sorted(newer))
    assert rum.show(old, "summary").superseded_by == tuple(sorted(newer))


def test_one_of_a_few_common_words_finds_all_and_counts_them(rum: Rum) -> None:
    for number in range(30):
        keep(rum, f"Fix bug {number}")
    answer = rum.recall(query="bug", limit=3, min_confidence=0)
    assert (len(answer.memories), answer.total_matches) == (3, 30)
    assert answer.total_exact is not False


def test_each_memory_is_counted_once(rum: Rum) -> None:
    keep(rum, "Fix login", actions=edited("a.py", "b.py"))
    keep(rum, "Fix login again", actions=edited("a.py"))
    assert rum.recall(file=["a.py", "b.py"]).total_matches == 2
    assert rum.recall(file=["a.py", "*.py"], limit=1).total_matches == 2
    assert rum.recall(file="a.py", query="login").total_matches == 2


def test_neighbours_of_a_match_are_no_matches(rum: Rum) -> None:
    for number in range(12):
        keep(rum, f"Work on thing{number} today")
    assert rum.recall(query="thing7").total_matches == 1


def test_filters_count_what_passes_them(rum: Rum) -> None:
    for number in range(50):
        keep(rum, f"Fix bug {number}", tags=["even"] if number % 2 == 0 else [], actions=edited("a.py"))
    assert rum.recall(query="bug", tags=["even"], limit=3, min_confidence=0).total_matches == 25
    assert rum.recall(query="bug", file="a.py", limit=3, min_confidence=0).total_matches == 50


def test_a_count_behind_a_filter_is_right_or_says_that_it_may_not_be(
    rum: Rum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "STEP", 45)
    for number in range(60):
        keep(rum, f"Fix bug {number}", tags=["x"])
    answer = rum.recall(query="bug", tags=["x"], limit=3, min_confidence=0)
    assert answer.total_matches == 60 or answer.total_exact is False


def test_a_count_of_common_words_says_that_it_may_be_wrong(
    rum: Rum, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        keep(rum, f"Fix bug {number}")
    monkeypatch.setattr(limits, "COMMON", 20)
    assert rum.recall(query="bug", limit=3, min_confidence=0).total_exact is False
    assert rum.recall(query="zebra bug", limit=3, min_confidence=0).total_exact is False
