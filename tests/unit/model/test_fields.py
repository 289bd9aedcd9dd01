"""Errors name the field, its allowed values and the most similar name."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery
from rum.model.fields import nearest, parse
from rum.model.memory import Draft, LinkType
from rum.model.memory_layers import ActionType, FailureCategory, TaskType, VerificationType
from rum.model.requests import (
    Depth,
    ForgetRequest,
    IdentityRequest,
    LinkRequest,
    ListRequest,
    RecallRequest,
    TraceRequest,
)
from rum.model.runs import FinishedRun
from support.builders import make_draft, make_intent, make_outcome


def refused(data: object, model: type = Draft) -> InvalidQuery:
    with pytest.raises(InvalidQuery) as caught:
        parse(data, model, "store")
    return caught.value


@pytest.mark.parametrize(
    ("data", "field", "near"),
    [
        (make_draft(intnet={}), "intnet", "intent"),
        ({"intent": make_intent(gaol="x"), "outcome": make_outcome()}, "intent.gaol", "goal"),
        ({"intent": make_intent(), "outcome": make_outcome(lernings=[])}, "outcome.lernings", "learnings"),
        (make_draft(reasoning={"assumption": []}), "reasoning.assumption", "assumptions"),
        (make_draft(perception={"observation": []}), "perception.observation", "observations"),
        (
            make_draft(perception={"observations": [{"what": "x", "were": "y"}]}),
            "perception.observations[0].were",
            "where",
        ),
        (make_draft(actions=[{"type": "search", "comand": "x"}]), "actions[0].comand", "command"),
        (make_draft(links={"cause_by": []}), "links.cause_by", "caused_by"),
    ],
)
def test_an_unknown_field_is_named_with_the_nearest_right_one(data: Any, field: str, near: str) -> None:
    error = refused(data)
    assert error.details["field"] == field
    assert error.details["nearest"] == near
    assert f"`{field}`" in error.message
    assert f"`{near}`" in error.message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"agentOutptu": "x"}, "there is no field `agentOutptu`. Did you mean `agentOutput`?"),
        ({"agent": "a", "task": "b", "result": "success"}, "`agentOutput` is required"),
        (
            {"agent": "a", "task": "b", "agentOutput": "c", "result": "good"},
            "`result` must be one of success",
        ),
        ({"agent": "a", "existingMemories": [{"content": 1}]}, "`existingMemories[0].content`"),
    ],
)
def test_a_field_is_named_as_it_is_written_and_not_as_python_calls_it(data: Any, message: str) -> None:
    assert message in refused(data, FinishedRun).message


@pytest.mark.parametrize(
    ("given", "model", "near"),
    [({"memory_id": "x"}, ForgetRequest, "id"), ({"id": "x"}, TraceRequest, "memory_id")],
)
def test_an_id_by_another_name_gets_the_right_one(given: Any, model: type, near: str) -> None:
    error = refused(given, model)
    assert error.message.endswith(f"Did you mean `{near}`?")


def test_an_id_that_may_be_one_of_several_gets_all_of_them() -> None:
    assert "source_id, target_id" in refused({"id": "x"}, LinkRequest).message


def test_an_unknown_field_like_no_other_gets_all_the_allowed_ones() -> None:
    error = refused(make_draft(zzzzzz=1))
    assert "nearest" not in error.details
    assert error.details["allowed"] == sorted(Draft.__struct_fields__)
    assert "tags" in error.message


@pytest.mark.parametrize(
    ("data", "model", "field", "allowed"),
    [
        (make_draft() | {"intent": make_intent(task_type="bugfix")}, Draft, "intent.task_type", TaskType),
        (make_draft(actions=[{"type": "edit"}]), Draft, "actions[0].type", ActionType),
        (
            make_draft() | {"outcome": make_outcome(failure_category="bug")},
            Draft,
            "outcome.failure_category",
            FailureCategory,
        ),
        (
            make_draft() | {"outcome": make_outcome(verified_by={"type": "eyes"})},
            Draft,
            "outcome.verified_by.type",
            VerificationType,
        ),
        ({"depth": "deep"}, RecallRequest, "depth", Depth),
        ({"task_type": "x"}, RecallRequest, "task_type", TaskType),
        ({"strategy": "x"}, RecallRequest, "strategy", ["exact", "semantic", "auto"]),
        ({"memory_id": "m", "direction": "up"}, TraceRequest, "direction", ["causes", "effects", "both"]),
        ({"memory_id": "m", "depth": "full"}, TraceRequest, "depth", ["summary", "outcome", "reasoning"]),
        ({"sort": "size"}, ListRequest, "sort", ["recent", "importance", "access_count"]),
        ({"source_id": "a", "target_id": "b", "link_type": "x"}, LinkRequest, "link_type", LinkType),
        ({"action": "x"}, IdentityRequest, "action", ["register", "resume", "info"]),
        ({"action": "register", "type": "x"}, IdentityRequest, "type", ["main", "subagent"]),
    ],
)
def test_a_wrong_word_gets_the_whole_closed_set(data: Any, model: type, field: str, allowed: Any) -> None:
    error = refused(data, model)
    assert error.details == {"field": field, "allowed": [str(word) for word in allowed]}
    assert all(str(word) in error.message for word in allowed)


def test_a_word_that_stands_alone_is_named_by_what_it_is_for() -> None:
    with pytest.raises(InvalidQuery, match=r"^depth must be one of summary") as caught:
        parse("deep", Depth, "depth")
    assert caught.value.details["field"] == "depth"


@pytest.mark.parametrize("field", ["intent", "outcome"])
def test_a_missing_field_is_named(field: str) -> None:
    draft = make_draft()
    del draft[field]
    error = refused(draft)
    assert error.details == {"field": field}
    assert "required" in error.message


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_a_goal_must_say_something(blank: str) -> None:
    assert refused(make_draft() | {"intent": make_intent(blank)}).details["field"] == "intent.goal"


@pytest.mark.parametrize(
    ("data", "model", "field"),
    [
        (make_draft(importance=1.5), Draft, "importance"),
        (make_draft(importance=-0.1), Draft, "importance"),
        (make_draft(tags="auth"), Draft, "tags"),
        (make_draft(tags=[1]), Draft, "tags[0]"),
        ({"limit": 0}, RecallRequest, "limit"),
        ({"limit": 101}, RecallRequest, "limit"),
        ({"limit": 1.5}, RecallRequest, "limit"),
        ({"min_confidence": 2}, RecallRequest, "min_confidence"),
        ({"max_tokens": 0}, RecallRequest, "max_tokens"),
        ({"since": -1}, RecallRequest, "since"),
        ({"since": float("nan")}, RecallRequest, "since"),
        ({"before": float("inf")}, RecallRequest, "before"),
        ({"since": 10**30}, RecallRequest, "since"),
        ({"since": "yesterday"}, RecallRequest, "since"),
        ({"memory_id": "m", "max_depth": 0}, TraceRequest, "max_depth"),
        ({"memory_id": "m", "max_depth": 21}, TraceRequest, "max_depth"),
        ({"action": "register", "name": " "}, IdentityRequest, "name"),
    ],
)
def test_a_value_out_of_bounds_or_of_the_wrong_type_is_named(data: Any, model: type, field: str) -> None:
    assert refused(data, model).details["field"] == field


def test_the_nearest_word_must_be_like_it() -> None:
    assert nearest("Intnet", ["intent", "outcome"]) == "intent"
    assert nearest("banana", ["intent", "outcome"]) is None
