"""An answer that may cost only so much: the best memories in depth, the rest in less, the last left out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rum import Rum
from rum.model.answers import RecallResult
from rum.text.tokens import estimate_tokens
from support.builders import make_outcome
from support.projects import Shop, keep

ORDER = ("complete", "full", "reasoning", "outcome", "summary")
LOGIN: dict[str, Any] = {"query": "fix the login", "min_confidence": 0}
SIGNS = {"session_id": "complete", "perception": "full", "reasoning": "reasoning", "agent_id": "outcome"}


def depths(answer: RecallResult) -> list[str]:
    """The depth each memory of an answer was given at."""
    return [
        next((depth for field, depth in SIGNS.items() if getattr(memory, field)), "summary")
        for memory in answer.memories
    ]


@pytest.fixture
def ranked(shop: Shop) -> list[str]:
    """Five memories about the login, each of a session of its own, the newest first.

    A newer one is a little shorter: if an older one fits at some depth, so does it.
    """
    ids: list[str] = []
    for number in range(5):
        shop.clock.forward(86400 * 30)
        reasoning = {"approach_chosen": "A mutex around the refresh " * 4, "why_chosen": "It is simple " * 6}
        outcome = make_outcome("It works", learnings=["Take the lock before the check " * (7 - number)])
        perception = {"anomalies": ["The clock of the server runs ahead " * 5]}
        more = {"reasoning": reasoning, "outcome": outcome, "perception": perception}
        ids.append(keep(shop.open(), f"Fix the login, round {number}", **more))
    return ids[::-1]


@pytest.mark.parametrize("max_tokens", [100, 130, 200, 300, 400, 500, 700, 900, 1100, 1300, 2000])
def test_the_answer_keeps_to_its_tokens(rum: Rum, ranked: list[str], max_tokens: int) -> None:
    answer = rum.recall(**LOGIN, depth="full", max_tokens=max_tokens)
    assert estimate_tokens(msgspec.json.encode(answer).decode()) <= max_tokens
    assert answer.token_estimate <= max_tokens


def test_the_best_memories_are_given_in_more_depth_than_the_rest(rum: Rum, ranked: list[str]) -> None:
    for max_tokens in range(150, 1500, 50):
        answer = rum.recall(**LOGIN, depth="full", max_tokens=max_tokens)
        assert [memory.id for memory in answer.memories] == ranked[: len(answer.memories)]
        if len(answer.memories) == len(ranked):
            given = depths(answer)
            assert ORDER.index(given[0]) == min(map(ORDER.index, given))
        else:
            assert depths(answer).count("summary") >= len(answer.memories) - 1


def test_omitted_and_shortened_memories_are_reported(rum: Rum, ranked: list[str]) -> None:
    for max_tokens in (130, 250, 450, 700, 1000):
        answer = rum.recall(**LOGIN, depth="full", max_tokens=max_tokens)
        assert answer.left_out
        assert answer.left_out.memories == 5 - len(answer.memories)
        assert answer.left_out.shortened == sum(depth != "full" for depth in depths(answer))
        assert answer.total_matches == 5


def test_an_answer_with_enough_room_is_the_answer_without_a_limit(rum: Rum, ranked: list[str]) -> None:
    whole = rum.recall(**LOGIN, depth="reasoning")
    assert rum.recall(**LOGIN, depth="reasoning", max_tokens=5000) == whole
    assert rum.recall(**LOGIN, depth="reasoning", max_tokens=whole.token_estimate + 10) == whole


def test_without_room_for_one_the_answer_says_what_is_needed(rum: Rum, ranked: list[str]) -> None:
    answer = rum.recall(**LOGIN, max_tokens=20)
    assert (answer.memories, answer.code, answer.total_matches) == ([], "NO_RESULTS", 5)
    assert answer.left_out
    assert answer.left_out.memories == 5
    assert isinstance(answer.hint, str)
    needed = int(answer.hint.rstrip(".").rpartition(" ")[2])
    assert rum.recall(**LOGIN, max_tokens=needed).memories


def test_a_memory_too_long_to_be_given_does_not_hide_the_others(rum: Rum, shop: Shop) -> None:
    short = keep(rum, "Fix the login")
    shop.clock.forward(60)
    keep(rum, "Fix the login", "It works " * 500)
    answer = rum.recall(**LOGIN, max_tokens=200)
    assert [memory.id for memory in answer.memories] == [short]
    assert answer.left_out
    assert answer.left_out.memories == 1


def test_links_count_too(rum: Rum) -> None:
    hub = keep(rum, "Fix the login hub")
    for number in range(10):
        rum.link(hub, keep(rum, f"Other {number}"), "related_to")
    answer = rum.recall(query="login hub", include_links=True, max_tokens=150)
    assert estimate_tokens(msgspec.json.encode(answer).decode()) <= 150
