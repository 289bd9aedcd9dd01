"""The number of matches does not depend on the limit."""

from __future__ import annotations

import pytest

from rum import Rum
from rum.recall import levels, limits
from support.projects import Shop, edited, keep


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
