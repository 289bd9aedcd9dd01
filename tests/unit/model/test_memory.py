"""Actions in the forms that callers write, and the one stored form."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery
from rum.model.memory import parse_draft
from rum.model.memory_layers import Action
from support.builders import make_draft

DETAILS = {
    "file_path": "a.py",
    "lines_affected": "4-5",
    "diff_hash": "9f",
    "diff_summary": "one line",
    "command": "make",
    "working_directory": "src",
    "query": "token",
    "scope": "src/",
}


def normalized(action: dict[str, Any]) -> Action:
    [given] = parse_draft(make_draft(actions=[action])).actions
    return given.normalized(1000)


def test_flat_and_nested_details_are_kept_alike() -> None:
    flat = normalized({"type": "file_edit", **DETAILS})
    nested = normalized({"type": "file_edit", "details": DETAILS})
    mixed = normalized({"type": "file_edit", "file_path": "a.py", "details": DETAILS})
    assert flat == nested == mixed
    assert {name: getattr(flat.details, name) for name in DETAILS} == DETAILS


def test_details_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InvalidQuery, match="`file_path` twice") as caught:
        normalized({"type": "file_edit", "file_path": "a.py", "details": {"file_path": "b.py"}})
    assert caught.value.details["field"] == "actions[].file_path"


def test_a_missing_time_is_when_it_was_stored_and_a_missing_result_is_null() -> None:
    action = normalized({"type": "search"})
    assert (action.timestamp, action.result) == (1000, None)


@pytest.mark.parametrize(("given", "kept"), [(1705432800, 1705432800), (1705432800.9, 1705432800)])
def test_a_time_in_seconds_is_kept(given: float, kept: int) -> None:
    assert normalized({"type": "search", "timestamp": given}).timestamp == kept


def test_a_time_in_milliseconds_becomes_seconds() -> None:
    assert normalized({"type": "search", "timestamp": 1705432800123}).timestamp == 1705432800


def test_a_result_is_kept_whole() -> None:
    result = {"success": False, "output_summary": "1 failed", "error": "E", "duration_ms": 1.5}
    kept = normalized({"type": "command_run", "result": result}).result
    assert kept is not None
    assert {name: getattr(kept, name) for name in result} == result


@pytest.mark.parametrize("one_or_more", ["mem_a", ["mem_a"]])
def test_a_link_may_name_one_memory_or_several(one_or_more: Any) -> None:
    draft = parse_draft(make_draft(links={"supersedes": one_or_more, "caused_by": one_or_more}))
    assert [(kind.value, target) for kind, target in draft.links.each()] == [
        ("caused_by", "mem_a"),
        ("supersedes", "mem_a"),
    ]
