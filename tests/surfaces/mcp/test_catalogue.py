"""The list of tools matches the models and stays small."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from rum.app.calls import CALLS
from rum.model.memory import Draft
from rum.model.requests import RecallRequest
from rum.surfaces.mcp.catalogue import catalogue
from rum.surfaces.mcp.main import CORE, listing

MEMORY: dict[str, Any] = {
    "intent": {
        "goal": "Fix JWT expiry",
        "task_type": "bug_fix",
        "context": "logouts",
        "constraints": ["no downtime"],
    },
    "perception": {
        "observations": [
            {"what": "refresh missing", "where": "src/auth.ts:45", "significance": "root cause"}
        ],
        "relevant_files": [{"path": "src/auth.ts", "relevance": "all of it", "state_summary": "old"}],
        "patterns_noticed": ["retry"],
        "anomalies": ["ttl differs"],
    },
    "reasoning": {
        "approach_chosen": "interceptor",
        "why_chosen": "fits",
        "alternatives_considered": [{"approach": "longer ttl", "why_rejected": "unsafe"}],
        "assumptions": ["idempotent"],
        "risks_identified": ["loops"],
    },
    "actions": [
        {
            "type": "file_edit",
            "file_path": "src/auth.ts",
            "lines_affected": "45-89",
            "diff_summary": "refresh on 401",
            "command": "npm test",
            "result": {"success": True, "output_summary": "14 passed"},
        }
    ],
    "outcome": {
        "success": False,
        "summary": "partly",
        "learnings": ["check expiry"],
        "failure_reason": "race",
        "failure_category": "race_condition",
        "verified_by": {"type": "test", "command": "npm test", "result": "failed"},
        "follow_up_needed": ["monitoring"],
    },
    "links": {"caused_by": ["mem_a"], "related_to": ["mem_b"], "supersedes": "mem_c", "blocked_by": "mem_d"},
    "tags": ["auth"],
    "importance": 0.7,
}


def tool(name: str) -> dict[str, Any]:
    return next(one for one in catalogue() if one["name"] == name)


def tokens(tools: list[dict[str, Any]]) -> float:
    return len(json.dumps(tools)) / 4


def test_tools_json_equals_the_catalogue():
    assert listing("all").tools == json.loads(json.dumps(catalogue()))


def test_every_tool_can_be_called_and_every_call_is_a_tool():
    assert {one["name"] for one in catalogue()} == set(CALLS)


def test_the_list_stays_within_its_budget_of_tokens():
    assert tokens(listing("all").tools) <= 3800
    assert tokens(listing("core").tools) <= 1500
    assert [one["name"] for one in listing("core").tools] == list(CORE)


def test_every_schema_is_valid_json_schema():
    for one in catalogue():
        jsonschema.Draft202012Validator.check_schema(one["inputSchema"])
        if "outputSchema" in one:
            jsonschema.Draft202012Validator.check_schema(one["outputSchema"])


def test_a_memory_with_every_shown_field_fits_schema_and_model():
    schema = tool("store")["inputSchema"]
    jsonschema.validate(MEMORY, schema)
    msgspec.convert(MEMORY, Draft)
    assert fields(schema) == shape({**MEMORY, "target_agent_id": "agent_a"})


def test_every_field_of_recalls_schema_is_in_the_question():
    assert set(tool("recall")["inputSchema"]["properties"]) < set(RecallRequest.__struct_fields__)


def test_only_reading_tools_are_marked_read_only():
    reading = {one["name"] for one in catalogue() if one["annotations"].get("readOnlyHint")}
    assert reading == {"recall", "trace", "why", "list", "brief", "list_chapters", "recall_wisdom"}
    destroying = {one["name"] for one in catalogue() if one["annotations"].get("destructiveHint")}
    assert destroying == {"update_memory", "forget", "layers"}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_description_says_when_to_use_the_tool(name: str):
    text = tool(name)["description"]
    assert any(word in text for word in ("Use ", "when ", "Set your identity"))


def fields(schema: dict[str, Any]) -> Any:
    """The names in a schema, as nested sets."""
    if schema["type"] == "array":
        return fields(schema["items"])
    if schema["type"] != "object":
        return None
    return {name: fields(part) for name, part in schema["properties"].items()}


def shape(value: Any) -> Any:
    """The names in a value, as nested sets."""
    if isinstance(value, list):
        return shape(value[0])
    if not isinstance(value, dict):
        return None
    return {name: shape(part) for name, part in value.items()}
