"""Memories of the same subject come back as one, with a count."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from rum import Rum
from support.projects import Shop, edited, keep
from support.repositories import Repository


@pytest.fixture
def repository(shop: Shop) -> Repository:
    """Seven commits with one subject, and two others about the same word."""
    repository = Repository(shop.folder)
    for number in range(6):
        repository.commit("man: fix typo", {f"man/{number}.xml": f"word {number}\n"})
    repository.commit("man: Fix  typo.", {"man/6.xml": "word 6\n"})
    repository.commit("man: fix typo in the unit names", {"man/a.xml": "a\n"})
    repository.commit("tests: fix typo", {"test/b.c": "b\n"})
    return repository


def goals(rum: Rum, **question: object) -> list[str]:
    return [memory.intent.goal for memory in rum.recall(**question).memories]  # type: ignore[arg-type]


def test_commits_with_one_subject_are_one_line_with_a_count(repository: Repository, shop: Shop):
    with shop.open() as rum:
        rum.import_git()
        answer = rum.recall(query="man fix typo", limit=3, min_confidence=0)
        assert [memory.similar or 0 for memory in answer.memories] == [6, 0, 0]
        assert len({memory.intent.goal for memory in answer.memories}) == 3
        # Also by folder and by filter, where others come in their places.
        by_folder = rum.recall(file="man", limit=3).memories
        assert {(memory.intent.goal, memory.similar or 0) for memory in by_folder} == {
            ("man: Fix typo.", 6),
            ("man: fix typo in the unit names", 0),
        }
        assert len(rum.recall(since=0, limit=9).memories) == 3
        # All of them on request, and each by its id or its commit.
        everyone = rum.recall(query="man fix typo", limit=9, min_confidence=0, include_similar=True).memories
        assert len({memory.id for memory in everyone}) == 9
        assert {memory.similar for memory in everyone} == {UNSET}
        for memory in everyone:
            assert [one.id for one in rum.recall(memory_id=memory.id).memories] == [memory.id]
        assert goals(rum, query=repository.head()) == ["tests: fix typo"]


def test_the_count_does_not_depend_on_the_limit(repository: Repository, shop: Shop):
    with shop.open() as rum:
        rum.import_git()
        for limit in (1, 2, 5, 20):
            first = rum.recall(query="man fix typo", limit=limit).memories[0]
            assert (first.intent.goal.casefold().rstrip("."), first.similar) == ("man: fix typo", 6)


def test_work_that_turned_out_differently_is_not_folded(rum: Rum):
    for summary in ("It works", "It works", "It needed a lock"):
        keep(rum, "Fix the login", summary, actions=edited("login.py"))
    failed = {"success": False, "summary": "It works"}
    rum.store(intent={"goal": "Fix the login", "task_type": "bug_fix"}, outcome=failed)
    found = rum.recall(query="fix the login", limit=10).memories
    assert sorted((one.outcome.summary, one.outcome.success, one.similar or 0) for one in found) == [
        ("It needed a lock", True, 0),
        ("It works", False, 0),
        ("It works", True, 1),
    ]


def test_what_a_deeper_answer_tells_apart_is_not_folded(rum: Rum):
    for reason in ("It is simple", "It is fast"):
        keep(rum, "Fix the login", reasoning={"why_chosen": reason})
    assert [one.similar for one in rum.recall(query="fix the login").memories] == [1]
    deep = rum.recall(query="fix the login", depth="reasoning").memories
    assert {one.reasoning.why_chosen for one in deep if one.reasoning} == {"It is simple", "It is fast"}


def test_a_folded_answer_fits_into_its_tokens(rum: Rum):
    for _ in range(30):
        keep(rum, "Fix the login")
    answer = rum.recall(query="fix the login", max_tokens=120)
    assert answer.memories[0].similar == 29
    assert answer.token_estimate <= 120
