"""The content of each depth, its cost in tokens, and the accuracy of the estimate in the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rs_bpe.bpe import openai

from rum import Rum
from support.projects import keep, open_shop

pytestmark = pytest.mark.both_stores

Json = dict[str, Any]
DEPTHS = ("summary", "outcome", "reasoning", "full", "complete")
BUDGETS = {"summary": 45, "outcome": 100, "reasoning": 250, "full": 500}

JWT: Json = {
    "intent": {
        "goal": "Fix JWT token expiry causing logout",
        "task_type": "bug_fix",
        "context": "Users reporting random logouts after 1 hour",
        "constraints": ["Don't break existing sessions", "Must be backwards compatible"],
    },
    "perception": {
        "observations": [
            {
                "what": "Token refresh logic missing from auth interceptor",
                "where": "src/auth/interceptor.ts",
                "significance": "Causes 401 on token expiry instead of refresh",
            },
            {
                "what": "Refresh endpoint exists but unused",
                "where": "src/api/auth.ts:45",
                "significance": "Infrastructure exists, just not wired up",
            },
        ],
        "relevant_files": [
            {
                "path": "src/auth/interceptor.ts",
                "relevance": "Main auth handling",
                "state_summary": "Axios interceptor, no refresh logic",
            }
        ],
        "patterns_noticed": ["Other interceptors use retry pattern"],
        "anomalies": ["Token TTL is 1hr but refresh TTL is 7d - mismatch"],
    },
    "reasoning": {
        "approach_chosen": "Add refresh interceptor with retry queue",
        "why_chosen": "Handles concurrent requests during refresh, matches existing patterns",
        "alternatives_considered": [
            {
                "approach": "Increase token TTL to 24hr",
                "why_rejected": "Security concern, doesn't fix root cause",
            },
            {
                "approach": "Proactive refresh before expiry",
                "why_rejected": "Complex timer management, race conditions",
            },
        ],
        "assumptions": [
            "Refresh endpoint is idempotent",
            "401 always means token expiry (might need refinement)",
        ],
        "risks_identified": [
            "Refresh token could also be expired",
            "Infinite retry loop if refresh consistently fails",
        ],
    },
    "actions": [
        {
            "type": "file_edit",
            "timestamp": 1705432800,
            "details": {
                "file_path": "src/auth/interceptor.ts",
                "lines_affected": "45-89",
                "diff_hash": "9c1e7ab2",
                "diff_summary": "Added refreshToken() call on 401, with request queue",
            },
            "result": {
                "success": True,
                "output_summary": "1 file changed",
                "error": "none",
                "duration_ms": 150,
            },
        }
    ],
    "outcome": {
        "success": True,
        "summary": "JWT refresh now works, no more random logouts",
        "learnings": [
            "Always check for refresh token expiry too",
            "Request queue pattern prevents race conditions",
        ],
        "verified_by": {
            "type": "test",
            "command": "npm test -- --grep 'auth'",
            "result": "14 tests passed",
        },
        "follow_up_needed": ["Add monitoring for refresh failures", "Consider refresh token rotation"],
    },
    "tags": ["auth", "jwt"],
}

SUMMARY = {"id", "created_at", "confidence", "intent", "outcome"}
OUTCOME = SUMMARY | {"agent_id"}
REASONING = OUTCOME | {"reasoning"}
FULL = REASONING | {"perception", "tags", "files", "actions"}
OWN = {"project_id", "session_id", "updated_at", "version", "importance", "commit", "branch"}
COMPLETE = FULL | OWN | {"access_count", "last_accessed", "links", "origin"}


@pytest.fixture
def rum(tmp_path: Path) -> Iterator[Rum]:
    with open_shop(tmp_path) as shop:
        yield shop.open()


@pytest.fixture(scope="module")
def tokens() -> Any:
    """The real number of tokens of a text."""
    tokenizer = openai.o200k_base()
    return lambda text: len(tokenizer.encode(text))


def recalled(rum: Rum, depth: str, **question: Any) -> Json:
    answer = rum.call("recall", {"tags": ["jwt"], **question, "depth": depth})
    return msgspec.json.decode(msgspec.json.encode(answer))


def one(rum: Rum, depth: str) -> Json:
    rum.store(**JWT)
    [memory] = recalled(rum, depth)["memories"]
    return memory


def test_summary_shows_time_goal_and_outcome(rum: Rum) -> None:
    memory = one(rum, "summary")
    assert set(memory) == SUMMARY
    assert memory["intent"] == {"goal": JWT["intent"]["goal"]}
    assert memory["outcome"] == {"success": True, "summary": JWT["outcome"]["summary"]}


def test_outcome_adds_author_task_type_and_the_whole_outcome(rum: Rum) -> None:
    memory = one(rum, "outcome")
    assert set(memory) == OUTCOME
    assert memory["intent"] == {"goal": JWT["intent"]["goal"], "task_type": "bug_fix"}
    assert memory["outcome"] == JWT["outcome"]


def test_reasoning_adds_all_of_intent_and_reasoning(rum: Rum) -> None:
    memory = one(rum, "reasoning")
    assert set(memory) == REASONING
    assert memory["intent"] == JWT["intent"]
    assert memory["reasoning"] == JWT["reasoning"]


def test_full_adds_perception_tags_files_and_actions_without_raw_output(rum: Rum) -> None:
    memory = one(rum, "full")
    assert set(memory) == FULL
    assert memory["perception"] == JWT["perception"]
    assert memory["tags"] == JWT["tags"]
    assert [file["path"] for file in memory["files"]] == ["src/api/auth.ts", "src/auth/interceptor.ts"]
    [action], [given] = memory["actions"], JWT["actions"]
    assert action["details"] == {k: v for k, v in given["details"].items() if k != "diff_hash"}
    assert action["result"] == {"success": True, "duration_ms": 150}


def test_complete_shows_everything(rum: Rum) -> None:
    memory = one(rum, "complete")
    assert set(memory) == COMPLETE
    assert memory["actions"] == JWT["actions"]
    for layer in ("intent", "perception", "reasoning", "outcome", "tags"):
        assert memory[layer] == JWT[layer]


def test_a_layer_left_out_at_this_depth_is_empty(rum: Rum) -> None:
    keep(rum, tags=["jwt"])
    [memory] = recalled(rum, "full")["memories"]
    assert (memory["perception"], memory["reasoning"], memory["actions"], memory["files"]) == ({}, {}, [], [])


@pytest.mark.parametrize("depth", BUDGETS)
def test_a_typical_memory_stays_within_the_tokens_of_each_depth(rum: Rum, depth: str, tokens: Any) -> None:
    memory = one(rum, depth)
    for own in ("id", "agent_id", "created_at", "confidence"):
        memory.pop(own, None)
    assert tokens(msgspec.json.encode(memory).decode()) <= BUDGETS[depth]


def test_each_depth_costs_more_tokens_than_the_previous_one(rum: Rum, tokens: Any) -> None:
    rum.store(**JWT)
    costs = [tokens(msgspec.json.encode(recalled(rum, depth)).decode()) for depth in DEPTHS]
    assert costs == sorted(set(costs))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("count", [1, 5])
def test_an_answer_reports_its_token_count(rum: Rum, depth: str, count: int, tokens: Any) -> None:
    for number in range(count):
        draft = JWT | {"intent": JWT["intent"] | {"goal": f"Fix JWT token expiry, attempt {number}"}}
        rum.store(**draft)
    answer = rum.recall(tags=["jwt"], depth=depth)
    assert len(answer.memories) == count
    real = tokens(msgspec.json.encode(answer).decode())
    assert abs(answer.token_estimate - real) <= 0.15 * real


# Ids are of different tokens each time: the shortest answer needs about 120.
@pytest.mark.parametrize("budget", [130, 150, 300, 700, 1500])
def test_an_answer_stays_within_max_tokens(rum: Rum, budget: int, tokens: Any) -> None:
    for number in range(5):
        rum.store(**JWT | {"intent": JWT["intent"] | {"goal": f"Fix JWT token expiry, attempt {number}"}})
    answer = rum.recall(query="JWT token expiry", depth="full", max_tokens=budget)
    assert answer.memories
    assert tokens(msgspec.json.encode(answer).decode()) <= 1.15 * budget
