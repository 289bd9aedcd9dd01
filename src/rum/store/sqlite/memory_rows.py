"""A memory as rows of the database, and back: whole, or as far as a damaged one can be read."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from rum.model.errors import StorageError
from rum.model.memory import FileRef, Memory, Operation
from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning, TaskType
from rum.model.origin import Origin, OriginKind, Reversal
from rum.store.sqlite import archive_rows

_encode = msgspec.json.encode
_intent = msgspec.json.Decoder(Intent)
_perception = msgspec.json.Decoder(Perception)
_reasoning = msgspec.json.Decoder(Reasoning)
_actions = msgspec.json.Decoder(tuple[Action, ...])
_outcome = msgspec.json.Decoder(Outcome)
_texts = msgspec.json.Decoder(tuple[str, ...])
_files = msgspec.json.Decoder(tuple[tuple[str, Operation, str | None], ...])
_reverted = msgspec.json.Decoder(tuple[tuple[str, str | None, int], ...])


class MemoryRow(NamedTuple):
    """What `memories_by_id` gives; the columns from `files` on are JSON."""

    id: str
    agent_id: str
    project_id: str
    session_id: str
    created_at: int
    updated_at: int | None
    version: int
    intent_goal: str
    intent_type: str
    outcome_success: int
    outcome_summary: str
    intent: str
    perception: str
    reasoning: str
    actions: str
    outcome: str
    tags: str
    importance: float
    git_commit: str | None
    git_branch: str | None
    imported_at: int | None
    origin_kind: str | None
    origin_reference: str | None
    reverted_by: str | None
    reverted_commit: str | None
    reverted_in_part: int
    reverted_reason: str | None
    form: int | None
    data: bytes | None
    files: str
    superseded_by: str
    reverts: str


class HeadlineRow(NamedTuple):
    """What `headlines_by_id` gives."""

    id: str
    agent_id: str
    project_id: str
    session_id: str
    created_at: int
    intent_goal: str
    intent_type: str
    outcome_success: int
    outcome_summary: str
    reverted_by: str | None
    reverted_commit: str | None
    reverted_in_part: int
    reverted_reason: str | None
    superseded_by: str
    reverts: str


def as_row(memory: Memory) -> dict[str, Any]:
    """What the table has of a memory, by the names of its statements."""
    origin, reverted_by = memory.origin, memory.reverted_by
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
        "origin_kind": origin and origin.kind.value,
        "origin_reference": origin and origin.reference,
        "reverted_by": reverted_by and reverted_by.id,
        "reverted_commit": reverted_by and reverted_by.commit,
        "reverted_in_part": int(reverted_by is not None and reverted_by.in_part),
        "reverted_reason": reverted_by and reverted_by.reason,
    }


def whole(row: MemoryRow) -> Memory:
    """A memory with its layers, from wherever they lie; StorageError names one that cannot be read."""
    if row.form is None or row.data is None:
        layers = [row.intent, row.perception, row.reasoning, row.actions, row.outcome]
    else:
        layers = archive_rows.layers_of(row.form, row.data, row.intent_goal, row.outcome_summary, row.id)
    intent, perception, reasoning, actions, outcome = layers
    return _memory(
        row,
        intent=_intent.decode(intent),
        perception=_perception.decode(perception),
        reasoning=_reasoning.decode(reasoning),
        actions=_actions.decode(actions),
        outcome=_outcome.decode(outcome),
    )


def whole_or_none(row: MemoryRow) -> Memory | None:
    """The same; None for one that is damaged in the archive."""
    try:
        return whole(row)
    except StorageError:
        return None


def best_of(row: MemoryRow) -> Memory:
    """The same; of one that is damaged in the archive its headline stands in place of its layers."""
    return whole_or_none(row) or _memory(row, intent=_short_intent(row), outcome=_short_outcome(row))


def headline(row: HeadlineRow) -> Memory:
    """A memory of which only what a summary shows was asked for."""
    return Memory(
        id=row.id,
        agent_id=row.agent_id,
        project_id=row.project_id,
        session_id=row.session_id,
        created_at=row.created_at,
        intent=_short_intent(row),
        outcome=_short_outcome(row),
        superseded_by=_texts.decode(row.superseded_by),
        reverted_by=_reversal(row),
        reverts=_reverts(row),
    )


def _memory(row: MemoryRow, **layers: Any) -> Memory:
    return Memory(
        id=row.id,
        agent_id=row.agent_id,
        project_id=row.project_id,
        session_id=row.session_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        version=row.version,
        tags=_texts.decode(row.tags),
        importance=row.importance,
        commit=row.git_commit,
        branch=row.git_branch,
        imported_at=row.imported_at,
        files=tuple(FileRef(*file) for file in _files.decode(row.files)),
        superseded_by=_texts.decode(row.superseded_by),
        origin=Origin(OriginKind(row.origin_kind), row.origin_reference) if row.origin_kind else None,
        reverted_by=_reversal(row),
        reverts=_reverts(row),
        **layers,
    )


def _short_intent(row: MemoryRow | HeadlineRow) -> Intent:
    return Intent(goal=row.intent_goal, task_type=TaskType(row.intent_type))


def _short_outcome(row: MemoryRow | HeadlineRow) -> Outcome:
    return Outcome(success=bool(row.outcome_success), summary=row.outcome_summary)


def _reversal(row: MemoryRow | HeadlineRow) -> Reversal | None:
    if row.reverted_by is None:
        return None
    return Reversal(row.reverted_by, row.reverted_commit, bool(row.reverted_in_part), row.reverted_reason)


def _reverts(row: MemoryRow | HeadlineRow) -> tuple[Reversal, ...]:
    if row.reverts == "[]":
        return ()
    return tuple(Reversal(one, commit, bool(part)) for one, commit, part in _reverted.decode(row.reverts))
