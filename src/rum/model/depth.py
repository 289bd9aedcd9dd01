"""How much of a memory is shown: five depths, each adding to the one before."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from rum.model.answers import IntentView, RetrievedMemory
from rum.model.memory import FileRef, Memory
from rum.model.memory_layers import Action, ActionDetails, Outcome
from rum.model.questions import Depth

DEPTHS = tuple(Depth)


class Use(NamedTuple):
    """How often a memory was retrieved, and when last."""

    times: int = 0
    last: int | None = None


UNUSED = Use()


def at_depth(
    memory: Memory,
    depth: Depth,
    confidence: float = 1.0,
    use: Use = UNUSED,
    links: dict[str, list[str]] | None = None,
    **extra: Any,
) -> RetrievedMemory:
    """A memory as one sees it at a depth; `links` and `extra` are added at any depth."""
    level = DEPTHS.index(depth)
    shown: dict[str, Any] = {
        "intent": IntentView(memory.intent.goal),
        "outcome": Outcome(success=memory.outcome.success, summary=memory.outcome.summary),
    }
    for at, add in enumerate((_outcome, _reasoning, _full, _complete), start=1):
        if level >= at:
            shown |= add(memory)
    if depth is Depth.COMPLETE:
        shown |= {"access_count": use.times, "last_accessed": use.last}
    if links is not None:
        shown["links"] = links
    if memory.superseded_by:
        shown["superseded_by"] = memory.superseded_by
    if memory.reverted_by:
        # From the depth of an outcome on, the failure's reason says why.
        brief = replace(memory.reverted_by, reason=None)
        shown["reverted_by"] = memory.reverted_by if level >= DEPTHS.index(Depth.FULL) else brief
    if memory.reverts:
        shown["reverts"] = memory.reverts
    return RetrievedMemory(id=memory.id, confidence=round(confidence, 3), **shown, **extra)


def _outcome(memory: Memory) -> dict[str, Any]:
    return {
        "intent": IntentView(memory.intent.goal, memory.intent.task_type),
        "outcome": memory.outcome,
        "agent_id": memory.agent_id,
        "created_at": memory.created_at,
    }


def _reasoning(memory: Memory) -> dict[str, Any]:
    intent = memory.intent
    return {
        "intent": IntentView(intent.goal, intent.task_type, intent.context, intent.constraints),
        "reasoning": memory.reasoning,
    }


def _full(memory: Memory) -> dict[str, Any]:
    return {
        "perception": memory.perception,
        "tags": memory.tags,
        "files": tuple(FileRef(file.path, file.operation) for file in memory.files),
        "actions": tuple(map(_without_raw_output, memory.actions)),
    }


def _complete(memory: Memory) -> dict[str, Any]:
    own = ("project_id", "session_id", "updated_at", "version", "importance", "commit", "branch", "origin")
    return {"files": memory.files, "actions": memory.actions} | {name: getattr(memory, name) for name in own}


def _without_raw_output(action: Action) -> Action:
    details: ActionDetails = replace(action.details, diff_hash=None)
    result = action.result and replace(action.result, output_summary=None, error=None)
    return replace(action, details=details, result=result)


def to_json(value: object) -> str:
    """Compact JSON, as it goes over the wire."""
    return msgspec.json.encode(value).decode()
