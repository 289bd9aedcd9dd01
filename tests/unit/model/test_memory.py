"""Actions in the forms that callers write, the one stored form, and updates of single fields."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rum import InvalidQuery
from rum.model.memory import REQUIRED, Draft, RevertLink, add_revert, apply_patch, merge, parse_draft
from rum.model.memory_layers import Action
from support.builders import make_draft, make_memory

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
    result = {"success": False, "output_summary": "1 failed", "error": "E", "duration_ms": 150}
    kept = normalized({"type": "command_run", "result": result}).result
    assert kept is not None
    assert {name: getattr(kept, name) for name in result} == result


@pytest.mark.parametrize(("given", "kept"), [(150, 150), (150.0, 150), (12.7, 13)])
def test_a_duration_is_a_whole_number(given: float, kept: int) -> None:
    result = normalized({"type": "search", "result": {"success": True, "duration_ms": given}}).result
    assert msgspec.json.encode(result) == b'{"success":true,"duration_ms":%d}' % kept


@pytest.mark.parametrize("one_or_more", ["mem_a", ["mem_a"]])
def test_a_link_may_name_one_memory_or_several(one_or_more: Any) -> None:
    draft = parse_draft(make_draft(links={"supersedes": one_or_more, "caused_by": one_or_more}))
    assert [(kind.value, target) for kind, target in draft.links.each()] == [
        ("caused_by", "mem_a"),
        ("supersedes", "mem_a"),
    ]


Json = dict[str, Any]

FULL: Json = {
    "perception": {"patterns_noticed": ["a"], "observations": [{"what": "seen", "where": "x.py"}]},
    "reasoning": {"approach_chosen": "mutex", "assumptions": ["one", "two"]},
    "actions": [{"type": "search", "timestamp": 1, "details": {"query": "q"}}],
    "outcome": {
        "success": False,
        "summary": "no",
        "learnings": ["old"],
        "failure_reason": "because",
        "failure_category": "type_error",
        "verified_by": {"type": "test", "command": "make test", "result": "red"},
    },
    "tags": ["a", "b"],
    "importance": 0.9,
}


def after(patch: Json) -> Draft:
    return apply_patch(make_memory("mem_1", **FULL), patch)


def test_an_object_keeps_the_fields_that_are_not_given() -> None:
    outcome = after({"outcome": {"summary": "yes"}}).outcome
    assert (outcome.success, outcome.summary, outcome.learnings) == (False, "yes", ("old",))


def test_an_object_inside_an_object_is_merged_too() -> None:
    verified = after({"outcome": {"verified_by": {"result": "green"}}}).outcome.verified_by
    assert verified is not None
    assert (verified.type, verified.command, verified.result) == ("test", "make test", "green")


@pytest.mark.parametrize(
    ("patch", "read", "expected"),
    [
        ({"tags": ["c"]}, lambda d: d.tags, ("c",)),
        ({"tags": []}, lambda d: d.tags, ()),
        ({"reasoning": {"assumptions": ["three"]}}, lambda d: d.reasoning.assumptions, ("three",)),
        ({"perception": {"observations": []}}, lambda d: d.perception.observations, ()),
        ({"actions": [{"type": "file_read"}]}, lambda d: [a.type for a in d.actions], ["file_read"]),
    ],
)
def test_an_array_is_replaced(patch: Json, read: Any, expected: Any) -> None:
    assert read(after(patch)) == expected


@pytest.mark.parametrize(
    ("patch", "read", "expected"),
    [
        ({"outcome": {"failure_reason": None}}, lambda d: d.outcome.failure_reason, None),
        ({"outcome": {"learnings": None}}, lambda d: d.outcome.learnings, ()),
        ({"outcome": {"verified_by": None}}, lambda d: d.outcome.verified_by, None),
        ({"outcome": {"verified_by": {"command": None}}}, lambda d: d.outcome.verified_by.command, None),
        ({"reasoning": None}, lambda d: d.reasoning.approach_chosen, ""),
        ({"perception": None}, lambda d: d.perception.patterns_noticed, ()),
        ({"actions": None}, lambda d: d.actions, ()),
        ({"tags": None}, lambda d: d.tags, ()),
        ({"importance": None}, lambda d: d.importance, 0.5),
        ({"links": None}, lambda d: list(d.links.each()), []),
        ({"links": {"caused_by": None}}, lambda d: list(d.links.each()), []),
    ],
)
def test_null_clears_what_is_optional(patch: Json, read: Any, expected: Any) -> None:
    assert read(after(patch)) == expected


@pytest.mark.parametrize("field", sorted(REQUIRED))
def test_null_for_what_is_required_is_refused(field: str) -> None:
    patch: Any = None
    for name in reversed(field.split(".")):
        patch = {name: patch}
    with pytest.raises(InvalidQuery) as caught:
        after(patch)
    assert caught.value.details["field"] == field


@pytest.mark.parametrize(
    ("patch", "near"),
    [
        ({"tagz": None}, "tags"),
        ({"outcome": {"lernings": None}}, "learnings"),
        ({"links": {"x": None}}, None),
    ],
)
def test_null_for_what_does_not_exist_is_refused(patch: Json, near: str | None) -> None:
    with pytest.raises(InvalidQuery) as caught:
        after(patch)
    assert caught.value.details.get("nearest") == near


def test_neither_side_of_a_merge_is_changed() -> None:
    current, patch = {"outcome": {"success": True}}, {"outcome": {"summary": "new", "learnings": None}}
    merged = merge(current, patch, "update_memory")
    assert merged == {"outcome": {"success": True, "summary": "new"}}
    assert current == {"outcome": {"success": True}}
    assert patch == {"outcome": {"summary": "new", "learnings": None}}


def test_null_in_a_new_memory_says_no_more_than_leaving_it_out() -> None:
    said: Json = {
        "intent": {"goal": "g", "task_type": "other"},
        "outcome": {"success": True, "summary": "s", "verified_by": {"type": "test"}},
    }
    nulls: Json = {
        "intent": said["intent"] | {"context": None, "constraints": None},
        "outcome": said["outcome"]
        | {"learnings": None, "verified_by": {"type": "test", "command": None, "result": None}},
        "perception": None,
        "reasoning": {"approach_chosen": None},
        "tags": None,
        "importance": None,
    }
    assert parse_draft(nulls) == parse_draft(said)


def test_a_new_memory_needs_its_required_fields() -> None:
    with pytest.raises(InvalidQuery, match=r"store: `intent\.goal` is required"):
        parse_draft(
            {"intent": {"goal": None, "task_type": "other"}, "outcome": {"success": True, "summary": "s"}}
        )


@pytest.mark.parametrize("summary", ["Mend the checkout", "Mend the checkout."])
def test_a_revert_follows_a_summary_without_its_full_stop(summary: str):
    link = RevertLink(f"mem_{'0' * 26}", commit="1234567890abcdef")
    assert add_revert(summary, link) == "Mend the checkout; reverted by 1234567890"
