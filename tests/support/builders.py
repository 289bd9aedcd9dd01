"""Builders for memories, agents and drafts with default values, and a clock that tests set."""

from __future__ import annotations

from typing import Any

import msgspec

from rum.model.agents import Agent
from rum.model.memory import Memory
from rum.store.base import Store

NOON = 1_750_000_000  # The default time in tests


class HandClock:
    """A clock that only moves when a test moves it."""

    def __init__(self, at: float = NOON) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += seconds


def make_intent(goal: str = "Fix the login", **more: Any) -> dict[str, Any]:
    return {"goal": goal, "task_type": "bug_fix", **more}


def make_outcome(summary: str = "It works", success: bool = True, **more: Any) -> dict[str, Any]:
    return {"success": success, "summary": summary, **more}


def make_draft(goal: str = "Fix the login", summary: str = "It works", **more: Any) -> dict[str, Any]:
    """The arguments of `store` for a minimal memory with any other fields."""
    return {"intent": make_intent(goal), "outcome": make_outcome(summary), **more}


def make_agent(agent_id: str = "agent_ann", **more: Any) -> Agent:
    fields: dict[str, Any] = {"type": "main", "project_id": "demo-00000000", "client": "test"}
    fields |= {"created_at": NOON, "last_active": NOON}
    return msgspec.convert({"id": agent_id, **fields, **more}, Agent)


def make_memory(memory_id: str, goal: str = "Fix the login", **more: Any) -> Memory:
    """A stored memory; layers and files are plain JSON values."""
    fields: dict[str, Any] = {
        "agent_id": "agent_ann",
        "project_id": "demo-00000000",
        "session_id": "session_1",
        "created_at": NOON,
        "intent": make_intent(goal),
        "outcome": make_outcome(),
    }
    return msgspec.convert({"id": memory_id, **fields, **more}, Memory)


def make_file(path: str, operation: str = "edit", content_hash: str | None = None) -> dict[str, Any]:
    return {"path": path, "operation": operation, "content_hash": content_hash}


def add_memory(store: Store, memory_id: str, goal: str = "Fix the login", **more: Any) -> Memory:
    """Store a memory, and its author if unknown."""
    memory = make_memory(memory_id, goal, **more)
    if store.agents.get(memory.agent_id) is None:
        store.agents.add(make_agent(memory.agent_id))
    store.memories.add(memory)
    return memory
