"""What an empty answer proposes: near names, and wider questions that do find something."""

from __future__ import annotations

from typing import Any

import pytest

from making import make_outcome
from opening import Shop, edited, keep
from rum import Rum


def hint(rum: Rum, **question: Any) -> str:
    answer = rum.recall(**question)
    assert (answer.memories, answer.code) == ([], "NO_RESULTS")
    assert isinstance(answer.hint, str)
    return answer.hint


def test_an_empty_project_says_so(rum: Rum) -> None:
    assert "no memories yet" in hint(rum, query="login")


def test_an_unknown_tag_gets_the_nearest_one(rum: Rum) -> None:
    keep(rum, tags=["auth", "jwt"])
    for wrong in ("auht", "Auth", "auths"):
        assert f"`auth` instead of the unknown tag `{wrong}`" in hint(rum, tags=[wrong])
    assert "unknown tag `auth`" not in hint(rum, tags=["auth", "nope"])


def test_an_unknown_tag_like_no_other_gets_the_usual_ones(rum: Rum) -> None:
    keep(rum, tags=["auth", "jwt"])
    keep(rum, "More", tags=["jwt"])
    assert "one of jwt, auth instead of the unknown tag `zebra`" in hint(rum, tags=["zebra"])


def test_tags_that_no_memory_has_together_are_proposed_apart(rum: Rum) -> None:
    keep(rum, tags=["auth", "jwt"])
    keep(rum, "More", tags=["ui"])
    assert "without tag `ui` (1 found)" in hint(rum, tags=["auth", "ui", "jwt"])
    assert "without tag `auth`" not in hint(rum, tags=["auth", "ui", "jwt"])


def test_an_unknown_file_gets_the_nearest_one_or_its_folder(rum: Rum) -> None:
    keep(rum, actions=edited("src/auth/interceptor.ts", "docs/guide.md"))
    assert "file src/auth/interceptor.ts" in hint(rum, file="src/auth/intercepter.ts")
    assert "file docs/" in hint(rum, file="docs/zzz.rst")


def test_an_unknown_agent_gets_the_known_ones(rum: Rum, shop: Shop) -> None:
    keep(shop.open(agent="developer"))
    assert "developer" in hint(rum, agent_id="develper")


@pytest.mark.parametrize(
    ("question", "proposed"),
    [
        ({"query": "login", "tags": ["auth"], "failures_only": True}, "without failures_only (1 found)"),
        ({"file": "a.py", "since": 10**11}, "without since (1 found)"),
        ({"file": "a.py", "before": 1}, "without before (1 found)"),
        ({"query": "login", "task_type": "refactor"}, "without task_type (1 found)"),
        ({"query": "login", "session_id": "other"}, "without session_id (1 found)"),
        ({"query": "login", "session_id": "other", "before": 1}, "without filters (1 found)"),
        ({"query": "login", "strategy": "exact"}, "strategy auto (1 found)"),
        ({"query": "login", "strategy": "semantic"}, "strategy auto (1 found)"),
        ({"file": "a.py", "strategy": "semantic"}, "strategy auto (1 found)"),
        ({"query": "login", "min_confidence": 1}, "min_confidence 0 for weak matches (1 found)"),
    ],
)
def test_a_wider_question_is_proposed_when_it_finds_something(rum: Rum, question: Any, proposed: str) -> None:
    keep(rum, tags=["auth"], actions=edited("a.py"))
    assert proposed in hint(rum, **question)


def test_what_finds_nothing_is_not_proposed(rum: Rum) -> None:
    keep(rum, tags=["auth"])
    assert hint(rum, query="zebra", failures_only=True) == "Nothing fits. Try: other words."
    assert hint(rum, file="unknown.xyz") == "Nothing fits. Try: another file."
    assert hint(rum, failures_only=True) == "Nothing fits. Try: other filters."


def test_replaced_memories_are_proposed_when_there_are_any(rum: Rum) -> None:
    old = keep(rum, "Fix the login", tags=["old"])
    keep(rum, "Rewrite the sign-in", links={"supersedes": old})
    assert "include_superseded (1 found)" in hint(rum, tags=["old"])
    assert "include_superseded" not in hint(rum, query="zebra")


def test_a_memory_that_another_condition_excludes_is_there_all_the_same(rum: Rum) -> None:
    kept = keep(rum, outcome=make_outcome(success=False))
    assert "is there" in hint(rum, memory_id=kept, success_only=True)


def test_hints_stay_short(rum: Rum) -> None:
    for number in range(300):
        keep(rum, f"Work {number}", tags=[f"tag-{number}"], actions=edited(f"src/file_{number}.py"))
    wrong = {"tags": [f"x{n}" for n in range(5)], "file": [f"src/fiel_{n}.py" for n in range(20)]}
    assert len(hint(rum, **wrong, query="nothing", before=1)) < 800
