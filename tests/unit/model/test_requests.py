"""The arguments of a recall and their validation."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery
from rum.model.fields import parse, seconds
from rum.model.requests import RecallRequest


def question(**fields: Any) -> RecallRequest:
    return parse(fields, RecallRequest, "recall")


@pytest.mark.parametrize(
    "scope",
    [
        {"memory_id": "mem_1"},
        {"file": "a.py"},
        {"file": ["a.py", ""]},
        {"intent": "fix"},
        {"query": "fix"},
        {"task_type": "bug_fix"},
        {"agent_id": "agent_1"},
        {"session_id": "session_1"},
        {"success_only": True},
        {"failures_only": True},
        {"since": 0},
        {"before": 1},
        {"tags": ["a"]},
    ],
)
def test_one_scope_field_or_filter_is_enough(scope: dict[str, Any]) -> None:
    question(**scope).check()


@pytest.mark.parametrize(
    "nothing",
    [
        {},
        {"depth": "full", "limit": 3},
        {"file": ""},
        {"file": [""]},
        {"file": []},
        {"query": "  "},
        {"intent": "", "query": " "},
        {"tags": []},
        {"success_only": False},
        {"min_confidence": 0},
        {"include_superseded": True},
    ],
)
def test_a_question_for_nothing_is_refused(nothing: dict[str, Any]) -> None:
    with pytest.raises(InvalidQuery, match="at least one of query, file"):
        question(**nothing).check()


def test_successes_only_and_failures_only_exclude_each_other() -> None:
    with pytest.raises(InvalidQuery, match="exclude each other"):
        question(success_only=True, failures_only=True).check()


def test_the_defaults() -> None:
    asked = question(query="x")
    assert (asked.depth, asked.limit, asked.strategy) == ("summary", 5, "auto")
    assert (asked.min_confidence, asked.max_tokens) == (None, None)
    said = (asked.include_links, asked.include_superseded, asked.success_only, asked.failures_only)
    assert said == (False, False, False, False)


@pytest.mark.parametrize(
    ("given", "kept"), [(0, 0), (1705432800, 1705432800), (10**11, 10**11), (10**11 + 1, 10**8), (5.9, 5)]
)
def test_times_above_a_hundred_billion_are_milliseconds(given: float, kept: int) -> None:
    assert seconds(given) == kept
