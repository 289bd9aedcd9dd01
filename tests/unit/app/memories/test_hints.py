"""The hints of an empty answer: similar names, and wider queries that find something."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery, Rum
from support.builders import make_outcome
from support.embedders import Endpoint
from support.projects import Shop, edited, keep
from support.repositories import Repository


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


def test_an_unknown_agent_gets_the_nearest_names_then_the_busiest(rum: Rum, shop: Shop) -> None:
    for name, memories in (("David Lord", 1), ("Ann", 2), ("Bob", 3), ("Cid", 1), ("Dan", 1), ("Eve", 1)):
        by = shop.open(agent=name)
        for number in range(memories):
            keep(by, f"Work {number} of {name}")
    told = hint(rum, agent_id="david lrod")
    assert "one of the agents David Lord, Bob, Ann, " in told
    assert "instead of the unknown `david lrod`" in told
    assert "one of the agents Bob, Ann, " in hint(rum, agent_id="zzz")


def test_an_agent_named_in_a_question_is_proposed_as_the_one_to_ask_for(rum: Rum, shop: Shop) -> None:
    keep(shop.open(agent="pgjones"), "Add types to the views")
    keep(shop.open(agent="David Lord"), "Paint the fence")
    told = hint(rum, query="what did PGJones do about types?", min_confidence=0.99)
    assert "agent_id pgjones (1 found)" in told or "agent_id pgjones with other words" in told
    assert 'agent_id "David Lord"' in hint(rum, query="zebras by David Lord")
    assert "agent_id" not in hint(rum, query="zebras by David Lording")


@pytest.mark.parametrize("asked", ["#5004", "issue 5004", "gh-5004"])
def test_a_hint_says_that_no_memory_names_the_issue(rum: Rum, asked: str) -> None:
    keep(rum, "Pass the error to the 500 handler (#500)")
    assert hint(rum, query=asked) == "No memory names #5004. Try: what it is about, in words."


def test_a_word_that_was_taken_for_a_typing_error_is_proposed_as_it_is_spelt(rum: Rum) -> None:
    for number in range(60):
        keep(rum, f"Register blueprints, part {number}")
    assert "`blueprints` instead of `blueprnits`" in hint(rum, query="blueprnits", min_confidence=0.9)


def test_another_spelling_that_finds_nothing_either_is_not_proposed(rum: Rum) -> None:
    keep(rum, "Trace switching")
    told = hint(rum, query="graphql schema federation gateway stitching resolver directive")
    assert "switching" not in told


def test_parts_of_a_name_are_not_corrected(rum: Rum) -> None:
    keep(rum, "Paint the tokens")
    assert "instead of" not in hint(rum, query="refreshTokns", min_confidence=0.9)


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
    ],
)
def test_a_wider_question_is_proposed_when_it_finds_something(rum: Rum, question: Any, proposed: str) -> None:
    keep(rum, tags=["auth"], actions=edited("a.py"))
    assert proposed in hint(rum, **question)


def test_less_confidence_is_proposed_where_something_came_near(rum: Rum) -> None:
    keep(rum)
    sure = rum.recall(query="login", min_confidence=0).confidence
    asked = min(1.0, 1.5 * sure)
    assert f"Try: min_confidence {asked / 2:.2f} (1 found)" in hint(rum, query="login", min_confidence=asked)


def test_filler_is_not_proposed(rum: Rum) -> None:
    for number in range(20):
        keep(rum, f"Paint the fence, part {number}")
    question = {"query": "fence parsers of zebras"}
    assert rum.recall(**question, min_confidence=0).confidence < 0.2
    assert hint(rum, **question, min_confidence=0.5) == "No matches. Try: other words."


def test_more_than_the_limit_is_not_counted_as_the_limit(rum: Rum) -> None:
    for number in range(7):
        keep(rum, f"Fix the login, part {number}", tags=["auth"], actions=edited("a.py"))
    assert "without since (7 found)" in hint(rum, file="a.py", since=10**11, limit=5)
    assert "without since (5 or more found)" in hint(rum, query="login", since=10**11, limit=5)


def test_a_file_that_is_known_gets_no_other_one(rum: Rum) -> None:
    keep(rum, actions=edited("src/app.py", "src/apps.py"))
    assert hint(rum, file="src/app.py", failures_only=True) == (
        "No matches. Try: without failures_only (1 found)."
    )


def test_each_interface_uses_its_own_names(shop: Shop) -> None:
    rum = shop.open(spell=lambda parameter: parameter.upper())
    kept = keep(rum, "Fix the login", tags=["old"])
    keep(rum, "Rewrite the sign-in", links={"supersedes": kept})
    assert "Try: INCLUDE_SUPERSEDED (1 found)" in hint(rum, tags=["old"])
    assert "without BEFORE (1 found)" in hint(rum, query="sign-in", before=1)
    assert "STRATEGY auto (1 found)" in hint(rum, query="sign-in", strategy="exact")
    keep(rum, "Fix the door", actions=edited("src/door.py"))
    assert "Try: FILE src/door.py" in hint(rum, file="src/dor.py")
    assert "ask for MEMORY_ID alone" in hint(rum, memory_id=kept, failures_only=True)
    assert "Found, but nothing fits in MAX_TOKENS 1" in hint(rum, query="sign-in", max_tokens=1)


def test_without_an_embedder_meaning_finds_nothing_and_says_what_to_set(rum: Rum) -> None:
    keep(rum)
    told = hint(rum, query="login", strategy="semantic")
    assert "the setting embedder is none" in told
    assert "RUM_EMBEDDER" in told
    assert "builtin" in told
    assert "strategy auto (1 found)" in told
    assert "embedder" not in hint(rum, query="zebra")


def test_an_embedder_that_fails_is_named(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUM_EMBEDDER", "endpoint")
    rum = shop.open()
    keep(rum)
    rum.tidy()
    told = hint(rum, query="login", strategy="semantic")
    assert "the embedder fails: " in told
    assert "embedder_url" in told
    assert "strategy auto (1 found)" in told


def test_memories_without_a_vector_are_named(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint().serving() as endpoint:
        for name, value in endpoint.settings().items():
            monkeypatch.setenv(name, value)
        rum = shop.open()
        keep(rum)
        told = hint(rum, query="login", strategy="semantic")
        assert "1 memory has no vector yet; run `rum tidy`" in told
        rum.tidy()
        assert "vector" not in hint(rum, query="zebra", strategy="semantic", min_confidence=1)


def test_meaning_without_words_asks_for_some(rum: Rum) -> None:
    keep(rum, actions=edited("a.py"))
    told = hint(rum, file="a.py", strategy="semantic")
    assert "words" in told
    assert "embedder" not in told


def test_what_finds_nothing_is_not_proposed(rum: Rum) -> None:
    keep(rum, tags=["auth"])
    assert hint(rum, query="zebra", failures_only=True) == "No matches. Try: other words."
    assert hint(rum, file="unknown.xyz") == "No matches for the file `unknown.xyz`. Try: another file."
    assert hint(rum, failures_only=True) == "No matches. Try: other filters."


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


def test_a_commit_that_git_knows_says_why_no_memory_is_of_it(shop: Shop) -> None:
    repository = Repository(shop.folder)
    first = repository.commit("Begin", {"a.py": "1\n"})
    repository.git("checkout", "-q", "-b", "side", first)
    repository.commit("Add b", {"b.py": "1\n"})
    repository.git("checkout", "-q", "-")
    repository.commit("Add c", {"c.py": "1\n"})
    merge = repository.merge("side")
    rum = shop.open()
    rum.import_git()
    assert f"Commit {merge[:10]} is a merge, which is not imported" in hint(rum, query=merge)
    later = repository.commit("Add d", {"d.py": "1\n"})
    assert f"Commit {later[:10]} is in git, but not in the memory" in hint(rum, query=later[:12])
    assert "Commit" not in hint(rum, query="1234567890abcdef")
    assert rum.recall(query=first).memories[0].intent.goal == "Begin"


def test_an_unknown_file_is_named(rum: Rum) -> None:
    keep(rum, actions=edited("src/auth/interceptor.ts"))
    told = hint(rum, file="src/auth/intercepter.ts")
    assert told == "No matches for the file `src/auth/intercepter.ts`. Try: file src/auth/interceptor.ts."


def test_a_word_that_is_not_allowed_gets_the_nearest(rum: Rum) -> None:
    with pytest.raises(InvalidQuery, match="Did you mean `bug_fix`"):
        rum.recall(task_type="bugfix")
