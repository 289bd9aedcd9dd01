"""A query about a file also finds work under its earlier names."""

from __future__ import annotations

from typing import Any

import pytest

from rum import Rum
from rum.recall.limits import EARLIER_NAME
from support.projects import Shop, edited, keep


@pytest.fixture
def moved(shop: Shop) -> tuple[Rum, str, str, str]:
    """A file that was worked on, renamed, and worked on again."""
    rum, made = shop.open(), list[str]()
    for goal, actions in (
        ("Begin the parser", edited("src/old.py")),
        ("Move the parser", [{"type": "command_run", "command": "git mv src/old.py src/new.py"}]),
        ("Mend the parser", edited("src/new.py")),
        ("Begin another", edited("src/old.py")),
    ):
        made.append(keep(rum, goal, actions=actions))
        shop.clock.forward(60)
    before, move, after, _ = made
    return rum, before, move, after


def answer(rum: Rum, **asked: Any) -> list[tuple[str, float]]:
    return [(one.id, one.confidence) for one in rum.recall(**asked).memories]


def test_earlier_names_come_after_the_present_one(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    assert answer(rum, file="src/new.py") == [(after, 1.0), (before, EARLIER_NAME)]
    told = rum.recall(file="src/new.py", explain=True)
    assert (told.total_matches, told.query_strategy_used) == (2, "exact")
    assert [one.why for one in told.memories] == [
        ["exact match"],
        ["touched the file when it had another name"],
    ]


def test_the_earlier_name_finds_what_bore_it(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    found = dict(answer(rum, file="src/old.py"))
    assert found[before] == 1.0
    assert after not in found


def test_several_files_and_a_limit_keep_the_order(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    assert answer(rum, file=["src/new.py", "src/none.py"]) == [(after, 1.0), (before, EARLIER_NAME)]
    assert answer(rum, file="src/new.py", limit=1) == [(after, 1.0)]


def test_a_file_that_has_no_memory_of_its_own_is_found_by_its_earlier_name(shop: Shop):
    rum = shop.open()
    before = keep(rum, "Begin", actions=edited("old.py"))
    shop.clock.forward(60)
    keep(rum, "Move", actions=[{"type": "command_run", "command": "mv old.py new.py"}])
    assert answer(rum, file="new.py") == [(before, EARLIER_NAME)]
    assert [one for one, _ in answer(rum, file="new.py", query="begin")] == [before]


def test_with_words_the_earlier_work_counts_as_work_on_the_file(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    found = [one for one, _ in answer(rum, file="src/new.py", query="parser", min_confidence=0)]
    assert {before, after} <= set(found)
    signals = {
        one.id: " ".join(one.why)
        for one in rum.recall(file="src/new.py", query="begin the parser", explain=True).memories
    }
    assert "touched the requested files" in signals[before]
