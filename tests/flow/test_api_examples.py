"""The calls in the documentation, and the fields of their results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rum import Rum
from support.projects import keep, open_shop

pytestmark = pytest.mark.both_stores

Json = dict[str, Any]

STORE: Json = {
    "intent": {
        "goal": "Fix JWT token expiry causing logout",
        "task_type": "bug_fix",
        "context": "Users reporting random logouts",
    },
    "perception": {
        "observations": [
            {
                "what": "Token refresh logic missing",
                "where": "src/auth/interceptor.ts",
                "significance": "Root cause of issue",
            }
        ]
    },
    "reasoning": {
        "approach_chosen": "Add refresh interceptor with retry queue",
        "why_chosen": "Handles concurrent requests, matches existing patterns",
        "alternatives_considered": [
            {"approach": "Increase token TTL", "why_rejected": "Security concern"},
        ],
    },
    "actions": [
        {
            "type": "file_edit",
            "file_path": "src/auth/interceptor.ts",
            "lines_affected": "45-89",
            "diff_summary": "Added refreshToken() on 401 with request queue",
        }
    ],
    "outcome": {
        "success": True,
        "summary": "JWT refresh now works correctly",
        "learnings": ["Always handle refresh token expiry too"],
    },
    "tags": ["auth", "jwt", "interceptor"],
}

UPDATES: list[Json] = [
    {
        "outcome": {"learnings": ["Token refresh also needs error boundary", "Consider retry limit"]},
        "tags": ["auth", "jwt", "retry-logic"],
    },
    {
        "outcome": {
            "failure_reason": "Race condition in token refresh, not expiry issue",
            "failure_category": "race_condition",
        }
    },
    {
        "reasoning": {
            "approach_chosen": "Implemented mutex lock for token refresh",
            "why_chosen": "Prevents concurrent refresh calls from causing 401 cascade",
            "alternatives_considered": [
                {
                    "approach": "Debounce refresh calls",
                    "why_rejected": "Still allows race window between check and refresh",
                }
            ],
        }
    },
]


@pytest.fixture
def rum(tmp_path: Path) -> Iterator[Rum]:
    with open_shop(tmp_path) as shop:
        yield shop.open()


def asked(rum: Rum, name: str, params: Json) -> Json:
    """The result of a call as JSON."""
    return msgspec.json.decode(msgspec.json.encode(rum.call(name, params)))


def has(answer: Json, **types: type | tuple[type, ...]) -> None:
    """Check that every field exists and has its type; a boolean is no number."""
    for name, kind in types.items():
        assert name in answer, f"{name} is missing in {sorted(answer)}"
        assert isinstance(answer[name], kind), f"{name} is {answer[name]!r}"
        assert not isinstance(answer[name], bool) or kind is bool


def has_a_retrieved_memory(memory: Json) -> None:
    has(memory, id=str, confidence=float, intent=dict, outcome=dict)
    has(memory["intent"], goal=str)
    has(memory["outcome"], success=bool, summary=str)
    assert 0 <= memory["confidence"] <= 1


def has_a_recall(answer: Json) -> None:
    has(answer, memories=list, query_strategy_used=str, confidence=float)
    has(answer, total_matches=int, token_estimate=int)
    for memory in answer["memories"]:
        has_a_retrieved_memory(memory)


def test_store_returns_id_time_and_files(rum: Rum) -> None:
    answer = asked(rum, "store", STORE)
    has(answer, memory_id=str, stored_at=int, indexed_files=list)
    assert answer["indexed_files"] == ["src/auth/interceptor.ts"]


def test_a_stored_memory_is_returned_complete(rum: Rum) -> None:
    stored = asked(rum, "store", STORE)
    [memory] = asked(rum, "recall", {"memory_id": stored["memory_id"], "depth": "complete"})["memories"]
    for layer in ("intent", "perception", "reasoning", "outcome", "tags"):
        assert memory[layer] == STORE[layer]
    given = dict(STORE["actions"][0])
    assert memory["actions"] == [
        {"type": given.pop("type"), "timestamp": stored["stored_at"], "details": given, "result": None}
    ]


@pytest.mark.parametrize("changes", UPDATES, ids=["more learnings", "a failure's reason", "reasoning"])
def test_update_memory_changes_the_passed_fields_and_returns_the_whole_memory(
    rum: Rum, changes: Json
) -> None:
    stored = asked(rum, "store", STORE)
    answer = asked(rum, "update_memory", {"memory_id": stored["memory_id"], **changes})
    has(answer, memory_id=str, updated_at=int, memory=dict)
    assert answer["memory_id"] == stored["memory_id"]
    has_a_retrieved_memory(answer["memory"])
    for layer in ("intent", "perception", "reasoning", "outcome", "tags"):
        before, change = STORE[layer], changes.get(layer, {})
        assert answer["memory"][layer] == (before | change if isinstance(before, dict) else change or before)
    assert answer["memory"]["created_at"] == stored["stored_at"]


def test_recall_by_file(rum: Rum) -> None:
    asked(rum, "store", STORE)
    answer = asked(rum, "recall", {"file": "src/auth/interceptor.ts", "depth": "outcome", "limit": 3})
    has_a_recall(answer)
    [memory] = answer["memories"]
    has(memory, agent_id=str, created_at=int)
    has(memory["intent"], goal=str, task_type=str)
    assert memory["outcome"]["learnings"] == STORE["outcome"]["learnings"]
    assert answer["query_strategy_used"] == "exact"
    assert answer["confidence"] == 1.0
    assert answer["total_matches"] == 1


def test_recall_by_intent_with_links(rum: Rum) -> None:
    old = keep(rum, "Investigate request floods", "Bots hammer the API")
    limiter = keep(
        rum,
        "Implement rate limiting for the API",
        "Token bucket per key",
        reasoning={"approach_chosen": "Token bucket", "why_chosen": "Bursts are allowed"},
        links={"caused_by": [old]},
    )
    answer = asked(
        rum, "recall", {"intent": "implement rate limiting", "depth": "reasoning", "include_links": True}
    )
    has_a_recall(answer)
    assert answer["memories"][0]["id"] == limiter
    assert answer["memories"][0]["reasoning"]["approach_chosen"] == "Token bucket"
    assert answer["memories"][0]["links"] == {"caused_by": [old]}


def test_recall_of_failures_on_a_file(rum: Rum) -> None:
    order = {"actions": [{"type": "file_edit", "file_path": "src/api/orders.ts"}]}
    keep(rum, "Speed up orders", "Cached", **order)
    failed = keep(rum, "Batch the orders", "Deadlock", outcome={"success": False, "summary": "Dead"}, **order)
    answer = asked(rum, "recall", {"file": "src/api/orders.ts", "failures_only": True, "depth": "full"})
    has_a_recall(answer)
    [memory] = answer["memories"]
    assert memory["id"] == failed
    assert memory["actions"][0]["details"]["file_path"] == "src/api/orders.ts"


def test_recall_of_an_agents_recent_work(rum: Rum) -> None:
    main = asked(rum, "identity", {"action": "register"})["agent_id"]
    sub = asked(rum, "identity", {"action": "register", "type": "subagent", "parent_id": main})["agent_id"]
    own = keep(rum)
    asked(rum, "identity", {"action": "resume", "agent_id": main})
    keep(rum, "Something else")
    answer = asked(rum, "recall", {"agent_id": sub, "since": 1705363200, "depth": "summary", "limit": 10})
    has_a_recall(answer)
    assert [memory["id"] for memory in answer["memories"]] == [own]
    assert answer["query_strategy_used"] == "structural"


def test_trace_of_what_led_to_a_memory(rum: Rum) -> None:
    asked_for = keep(rum, "Performance optimization requested", "Identified auth as bottleneck")
    cache = keep(rum, "Add caching to auth", "Caused race condition", links={"caused_by": [asked_for]})
    fix = keep(rum, "Fix race condition in auth", "Added mutex lock", links={"caused_by": [cache]})
    answer = asked(
        rum, "trace", {"memory_id": fix, "direction": "causes", "max_depth": 3, "depth": "outcome"}
    )
    has(answer, origin=dict, chain=list, total_nodes=int)
    has_a_retrieved_memory(answer["origin"])
    assert answer["origin"]["intent"]["goal"] == "Fix race condition in auth"
    for node in answer["chain"]:
        has(node, memory=dict, relationship=str, distance=int)
        has_a_retrieved_memory(node["memory"])
    steps = [(node["memory"]["id"], node["relationship"], node["distance"]) for node in answer["chain"]]
    assert steps == [(cache, "caused_by", 1), (asked_for, "caused_by", 2)]
    assert answer["total_nodes"] == 2


@pytest.mark.parametrize("params", [{"sort": "recent", "limit": 5}, {"sort": "importance"}, {"since": 1}, {}])
def test_list_returns_the_agents_own_memories(rum: Rum, params: Json) -> None:
    stored = asked(rum, "store", STORE)
    answer = asked(rum, "list", params)
    has(answer, memories=list, total=int)
    [line] = answer["memories"]
    has(line, id=str, created_at=int, intent_goal=str, outcome_success=bool, outcome_summary=str)
    has(line, importance=float, access_count=int)
    assert line["id"] == stored["memory_id"]


@pytest.mark.parametrize("kind", ["caused_by", "led_to", "related_to", "supersedes", "blocked_by"])
def test_link_of_every_kind(rum: Rum, kind: str) -> None:
    one, other = keep(rum, "One"), keep(rum, "Other")
    answer = asked(rum, "link", {"source_id": one, "target_id": other, "link_type": kind})
    has(answer, created=bool, link_id=str)
    assert answer["created"] is True


def test_identity_registers_resumes_and_informs(rum: Rum) -> None:
    main = asked(rum, "identity", {"action": "register", "type": "main"})
    sub = asked(rum, "identity", {"action": "register", "type": "subagent", "parent_id": main["agent_id"]})
    resumed = asked(rum, "identity", {"action": "resume", "agent_id": main["agent_id"]})
    informed = asked(rum, "identity", {"action": "info"})
    for answer in (main, sub, resumed, informed):
        has(answer, agent_id=str, type=str, created_at=int, memory_count=int, last_active=int)
    assert [main["type"], sub["type"]] == ["main", "subagent"]
    assert resumed["agent_id"] == informed["agent_id"] == main["agent_id"]
    assert informed["children"] == [sub["agent_id"]]


def test_a_query_without_results_returns_a_code_and_no_error(rum: Rum) -> None:
    asked(rum, "store", STORE)
    answer = asked(rum, "recall", {"query": "zebra crossing", "depth": "summary"})
    has_a_recall(answer)
    assert answer["memories"] == []
    assert answer["code"] == "NO_RESULTS"
    assert answer["confidence"] == 0.0
    has(answer, hint=str)
