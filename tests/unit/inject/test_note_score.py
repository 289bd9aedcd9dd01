"""The points of a note: every factor to the point."""

from __future__ import annotations

from typing import Any

import pytest

from rum.inject.note_score import Points, is_close_enough, is_important_enough, score, total
from rum.text.patterns import ALL_WORDS, LITERAL, SOME_WORDS, WILDCARD, Match, Text, content_words

HOUR = 3600


def points(**given: Any) -> Points:
    usual: dict[str, Any] = {
        "importance": "low",
        "age": None,
        "title_words": (),
        "tags": (),
        "discovered_by": "x",
    }
    return score(**(usual | {"task": Text("add a login page")} | given)).points


@pytest.mark.parametrize(
    ("importance", "expected"), [("critical", 30), ("high", 25), ("medium", 15), ("low", 5)]
)
def test_importance(importance: str, expected: float):
    assert points(importance=importance).importance == expected


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (0, 10),
        (24 * HOUR - 1, 10),
        (24 * HOUR, 5),
        (72 * HOUR - 1, 5),
        (72 * HOUR, 0),
        (None, 0),
        (-HOUR, 10),  # a clock that is a little wrong
        (-25 * HOUR, 0),
    ],
)
def test_recency(age: float | None, expected: float):
    assert points(age=age).recency == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Login Page", 20),
        ("The Login", 20),
        ("Login Module", 10),
        ("Login Module Structure", 6.67),
        ("Database Schema", 0),
        ("The", 0),
    ],
)
def test_keyword_match_is_the_share_of_the_titles_words_in_the_task(title: str, expected: float):
    assert points(title_words=content_words(title)).keywords == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [(["auth"], 15), (["AUTH", "api"], 7.5), (["auth", "developer", "x"], 10), (["x"], 0), ([], 0)],
)
def test_specialty_is_the_share_of_tags_that_are_the_agents(tags: list[str], expected: float):
    assert points(tags=tags, agent="Developer", specialties=["auth"]).specialty == expected


@pytest.mark.parametrize(("agent", "expected"), [("planner", 10), ("Planner", 10), ("tester", 0), (None, 0)])
def test_same_discoverer(agent: str | None, expected: float):
    assert points(agent=agent, discovered_by="planner").discoverer == expected


def test_points_add_up_and_are_explained():
    found = score(
        importance="critical",
        age=HOUR,
        title_words=content_words("Login Page"),
        tags=("auth", "planner"),
        discovered_by="planner",
        task=Text("add a login page"),
        agent="planner",
        specialties=("auth",),
    )
    assert found.points == (30, 10, 20, 15, 10)
    assert total(found.points) == 85
    assert found.why == [
        "30: importance critical",
        "10: discovered less than 24 hours ago",
        "20: 2 of 2 words of the title in the task",
        "15: 2 of 2 tags are the agent's",
        "10: discovered by the same agent",
    ]


@pytest.mark.parametrize(
    ("importance", "enough"),
    [
        ("low", {LITERAL}),
        ("medium", {LITERAL, WILDCARD, ALL_WORDS}),
        ("high", {LITERAL, WILDCARD, ALL_WORDS, SOME_WORDS}),
        ("critical", {LITERAL, WILDCARD, ALL_WORDS, SOME_WORDS}),
    ],
)
def test_the_less_a_note_matters_the_closer_it_must_match(importance: str, enough: set[str]):
    kinds = (LITERAL, WILDCARD, ALL_WORDS, SOME_WORDS)
    assert {kind for kind in kinds if is_close_enough(importance, Match(kind, ""))} == enough


def test_an_agent_may_want_important_notes_only():
    assert is_important_enough("medium", "medium")
    assert is_important_enough("critical", "high")
    assert not is_important_enough("low", "medium")
