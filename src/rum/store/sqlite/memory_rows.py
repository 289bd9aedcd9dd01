"""A memory as rows of the database, and back: whole, or as far as a damaged one can be read."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from rum.model.errors import StorageError
from rum.model.memory import FileRef, Memory
from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning, TaskType
from rum.store.sqlite import archive_rows

_encode = msgspec.json.encode
_intent = msgspec.json.Decoder(Intent)
_perception = msgspec.json.Decoder(Perception)
_reasoning = msgspec.json.Decoder(Reasoning)
_actions = msgspec.json.Decoder(tuple[Action, ...])
_outcome = msgspec.json.Decoder(Outcome)
_tags = msgspec.json.Decoder(tuple[str, ...])

Row = tuple[Any, ...]
"""What `memories_by_id` gives."""


class Parts(NamedTuple):
    """What a memory has in other tables."""

    files: tuple[FileRef, ...]
    superseded_by: tuple[str, ...]


def as_row(memory: Memory) -> dict[str, Any]:
    """What the table has of a memory, by the names of its statements."""
    return {
        "id": memory.id,
        "agent_id": memory.agent_id,
        "project_id": memory.project_id,
        "session_id": memory.session_id,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "version": memory.version,
        "intent_goal": memory.intent.goal,
        "intent_type": memory.intent.task_type.value,
        "outcome_success": int(memory.outcome.success),
        "outcome_summary": memory.outcome.summary,
        "intent": _encode(memory.intent).decode(),
        "perception": _encode(memory.perception).decode(),
        "reasoning": _encode(memory.reasoning).decode(),
        "actions": _encode(memory.actions).decode(),
        "outcome": _encode(memory.outcome).decode(),
        "tags": _encode(memory.tags).decode(),
        "importance": memory.importance,
        "git_commit": memory.commit,
        "git_branch": memory.branch,
        "imported_at": memory.imported_at,
    }


def whole(row: Row, parts: Parts) -> Memory:
    """A memory with its layers, from wherever they lie; StorageError names one that cannot be read."""
    form, data, goal, summary = row[18:22]
    layers = row[8:13] if data is None else archive_rows.layers_of(form, data, goal, summary, row[1])
    intent, perception, reasoning, actions, outcome = layers
    return _memory(
        row,
        parts,
        intent=_intent.decode(intent),
        perception=_perception.decode(perception),
        reasoning=_reasoning.decode(reasoning),
        actions=_actions.decode(actions),
        outcome=_outcome.decode(outcome),
    )


def whole_or_none(row: Row, parts: Parts) -> Memory | None:
    """The same; None for one that is damaged in the archive."""
    try:
        return whole(row, parts)
    except StorageError:
        return None


def best_of(row: Row, parts: Parts) -> Memory:
    """The same; of one that is damaged in the archive its headline stands in place of its layers."""
    goal, summary, task_type, success = row[20:24]
    return whole_or_none(row, parts) or _memory(
        row,
        parts,
        intent=Intent(goal=goal, task_type=TaskType(task_type)),
        outcome=Outcome(success=bool(success), summary=summary),
    )


def _memory(row: Row, parts: Parts, **layers: Any) -> Memory:
    return Memory(
        id=row[1],
        agent_id=row[2],
        project_id=row[3],
        session_id=row[4],
        created_at=row[5],
        updated_at=row[6],
        version=row[7],
        tags=_tags.decode(row[13]),
        importance=row[14],
        commit=row[15],
        branch=row[16],
        imported_at=row[17],
        files=parts.files,
        superseded_by=parts.superseded_by,
        **layers,
    )


def headline(row: tuple[Any, ...], superseded_by: tuple[str, ...]) -> Memory:
    """A memory of which only what a summary shows was asked for."""
    return Memory(
        id=row[0],
        agent_id=row[1],
        project_id=row[2],
        session_id=row[3],
        created_at=row[4],
        intent=Intent(goal=row[5], task_type=TaskType(row[6])),
        outcome=Outcome(success=bool(row[7]), summary=row[8]),
        superseded_by=superseded_by,
    )
