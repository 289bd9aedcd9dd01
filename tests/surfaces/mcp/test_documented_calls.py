"""The calls of the TypeScript RUM's documentation work unchanged over MCP, but for the ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flow.test_api_examples import STORE, UPDATES
from surfaces.mcp.test_rum_server import answer, ask, initialize, tool

Json = dict[str, Any]

# All five layers of a memory, with every field that its schema names.
WHOLE: Json = {
    "intent": {
        "goal": "Stop the nightly export from timing out",
        "task_type": "optimization",
        "context": "Reports arrive after nine",
        "constraints": ["Keep the CSV columns", "No new service"],
    },
    "perception": {
        "observations": [
            {
                "what": "Each row is fetched alone",
                "where": "src/export.ts:88",
                "significance": "10,000 queries",
            }
        ],
        "relevant_files": [
            {"path": "src/export.ts", "relevance": "Runs the export", "state_summary": "One query per row"}
        ],
        "patterns_noticed": ["Other jobs read in pages"],
        "anomalies": ["The pool has 2 connections"],
    },
    "reasoning": {
        "approach_chosen": "Read pages of 500 rows",
        "why_chosen": "As the other jobs do",
        "alternatives_considered": [{"approach": "A bigger pool", "why_rejected": "Still one query per row"}],
        "assumptions": ["Rows do not change at night"],
        "risks_identified": ["Memory grows with the page"],
    },
    "actions": [
        {
            "type": "file_edit",
            "timestamp": 1705432800,
            "details": {"file_path": "src/export.ts", "lines_affected": "88-120", "diff_hash": "ab12"},
            "result": {"success": True, "duration_ms": 150},
        },
        {"type": "search", "query": "fetchRow", "scope": "src", "result": {"success": True}},
        {
            "type": "command_run",
            "command": "npm run export",
            "working_directory": ".",
            "result": {"success": False, "output_summary": "12 s", "error": "1 warning"},
        },
    ],
    "outcome": {
        "success": True,
        "summary": "The export takes 12 seconds",
        "learnings": ["Read in pages"],
        "verified_by": {"type": "test", "command": "npm test", "result": "14 passed"},
        "follow_up_needed": ["Alert when it takes a minute"],
    },
    "tags": ["export"],
    "importance": 0.7,
}


def call_all(folder: Path, *calls: tuple[str, Json]) -> list[Json]:
    """The answers of one server to some calls, none of which is an error."""
    replies = ask(folder, initialize("original"), *(tool(name, params) for name, params in calls))[1:]
    for (name, params), reply in zip(calls, replies, strict=True):
        assert "error" not in reply, (name, params, reply)
        assert not reply["result"].get("isError"), (name, params, reply)
    return [answer(reply) for reply in replies]


def test_every_field_of_a_memory_is_returned(tmp_path: Path):
    [stored] = call_all(tmp_path, ("store", WHOLE))
    [recalled] = call_all(tmp_path, ("recall", {"memory_id": stored["memory_id"], "depth": "complete"}))
    [memory] = recalled["memories"]
    for layer in ("intent", "perception", "reasoning", "outcome", "tags", "importance"):
        assert memory[layer] == WHOLE[layer]
    edit, search, command = memory["actions"]
    assert edit == WHOLE["actions"][0]
    assert search["details"] == {"query": "fetchRow", "scope": "src"}
    assert command["details"] == {"command": "npm run export", "working_directory": "."}
    assert command["result"] == WHOLE["actions"][2]["result"]


def test_calls_about_memories(tmp_path: Path):
    main, sub, cause, first, second, third = call_all(
        tmp_path,
        ("identity", {"action": "register", "type": "main"}),
        ("identity", {"action": "info"}),
        ("store", WHOLE),
        *[("store", STORE)] * 3,
    )
    assert main["agent_id"] == sub["agent_id"]
    ids = [one["memory_id"] for one in (first, second, third)]
    linked = {"caused_by": [cause["memory_id"]], "related_to": [ids[0]], "supersedes": ids[1]}
    results = call_all(
        tmp_path,
        ("identity", {"action": "resume", "agent_id": main["agent_id"]}),
        *[("update_memory", {"memory_id": one, **change}) for one, change in zip(ids, UPDATES, strict=True)],
        ("store", {**STORE, "links": linked}),
        ("recall", {"file": "src/auth/interceptor.ts", "depth": "outcome", "limit": 3}),
        ("recall", {"intent": "implement rate limiting", "depth": "reasoning", "include_links": True}),
        ("recall", {"file": "src/api/orders.ts", "failures_only": True, "depth": "full"}),
        ("recall", {"agent_id": main["agent_id"], "since": 1705363200, "depth": "summary", "limit": 10}),
        ("recall", {"query": "token refresh", "strategy": "semantic", "depth": "complete", "tags": ["jwt"]}),
        ("recall", {"task_type": "bug_fix", "success_only": True, "depth": "summary", "strategy": "exact"}),
        ("list", {"sort": "recent", "limit": 5}),
        ("list", {"sort": "access_count", "since": 1705363200}),
        ("link", {"source_id": ids[2], "target_id": ids[0], "link_type": "blocked_by"}),
        ("identity", {"action": "register", "type": "subagent", "parent_id": main["agent_id"]}),
    )
    update, last = results[1], results[4]["memory_id"]
    assert update["memory"]["tags"] == UPDATES[0]["tags"]
    assert len(results[5]["memories"]) == 3
    assert results[7]["code"] == "NO_RESULTS"
    assert results[8]["total_matches"] == 4  # without the superseded one
    assert results[11]["total"] == 5
    assert results[13]["created"] is True
    assert results[14]["type"] == "subagent"
    causes = {"memory_id": last, "direction": "causes", "max_depth": 3, "depth": "outcome"}
    [traced] = call_all(tmp_path, ("trace", causes))
    assert [node["memory"]["id"] for node in traced["chain"]] == [cause["memory_id"]]


def test_calls_about_chapters_and_wisdom(tmp_path: Path):
    tags = (
        ["auth", "jwt"],
        ["auth", "jwt", "security"],
        ["auth", "jwt"],
        ["authentication"],
        ["authentication"],
    )
    stored = call_all(tmp_path, *(("store", {**WHOLE, "tags": one}) for one in tags))
    ids = [one["memory_id"] for one in stored]
    by_hand, by_tags, *_ = call_all(
        tmp_path,
        ("create_chapter", {"memory_ids": ids[:2], "title": "JWT Authentication Overhaul"}),
        ("create_chapter", {"tags": ["auth", "jwt"], "min_memories": 3}),
        *[("create_chapter", {"memory_ids": [one], "tags": ["authentication"]}) for one in ids[2:]],
    )
    chapters = [by_hand["chapter_id"], by_tags["chapter_id"]]
    assert (by_hand["origin"], by_tags["origin"]) == ("manual", "auto")
    listed, by_ids, by_topic = call_all(
        tmp_path,
        ("list_chapters", {"tags": ["auth"], "since": 1705363200, "limit": 5}),
        ("synthesize", {"chapter_ids": chapters}),
        ("synthesize", {"tags": ["authentication"], "min_chapters": 3}),
    )
    assert {by_hand["chapter_id"], by_tags["chapter_id"]} <= {one["id"] for one in listed["chapters"]}
    assert (by_ids["chapter_count"], by_topic["chapter_count"]) == (2, 3)
    direct, by_tag, members = call_all(
        tmp_path,
        ("recall_wisdom", {"wisdom_id": by_ids["wisdom_id"]}),
        ("recall_wisdom", {"tags": ["security"], "include_chapters": True, "limit": 3}),
        ("list_chapters", {"chapter_ids": chapters}),
    )
    assert direct["wisdom"][0]["id"] == by_tag["wisdom"][0]["id"] == by_ids["wisdom_id"]
    assert set(by_tag["wisdom"][0]["chapter_ids"]) == set(chapters)
    assert members["chapters"][0]["memory_ids"] == ids[:2]


@pytest.mark.parametrize(
    ("name", "params", "code"),
    [
        ("recall", {"memory_id": "mem_abc123", "depth": "full"}, "NOT_FOUND"),
        ("recall", {"depth": "full"}, "INVALID_QUERY"),
        ("store", {"intent": {"goal": "x"}, "outcome": {}}, "INVALID_QUERY"),
        ("trace", {"memory_id": "mem_abc123", "direction": "sideways", "depth": "summary"}, "INVALID_QUERY"),
    ],
)
def test_errors_have_a_code_a_message_and_details(tmp_path: Path, name: str, params: Json, code: str):
    [reply] = ask(tmp_path, tool(name, params))
    error = answer(reply)
    assert (reply["result"]["isError"], error["code"]) == (True, code)
    assert error["message"]
    assert isinstance(error.get("details", {}), dict)
