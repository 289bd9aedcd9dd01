"""Memories as text: a line, a table, or a block with every field that the depth includes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import local_time, memory_line, short_id
from rum.model.answers import RetrievedMemory
from rum.surfaces.cli.views import Field, Fields, Line, Table, View, heading, table, verdict

_LAYERS = ("intent", "outcome", "reasoning", "perception")
_IN_HEADING = ("id", "goal", "success", "confidence", "match")
_EMPTY: tuple[object, ...] = (None, "", (), [], {})
_TIMES = ("created_at", "updated_at", "last_accessed")


def as_line(memory: RetrievedMemory) -> str:
    """A memory as one line of text."""
    outcome = memory.outcome
    return memory_line(memory.id, memory.intent.goal, outcome.success, memory.full_summary, memory.confidence)


def heading_of(memory: RetrievedMemory) -> Line:
    """Whether it worked, the goal and the id."""
    return verdict(memory.outcome.success), *heading(memory.intent.goal, memory.id)


def as_table(memories: Sequence[RetrievedMemory]) -> Table:
    """Memories at the depth of a summary, with their confidence."""
    rows = [
        (
            short_id(memory.id),
            f"{memory.confidence:.2f}",
            verdict(memory.outcome.success),
            memory.intent.goal,
            memory.full_summary,
        )
        for memory in memories
    ]
    columns = {"id": "id", "confidence": "dim", "": "", "goal": "strong", "outcome": ""}
    return table(columns, rows, [as_line(memory) for memory in memories])


def blocks(rum: Rum, memories: Sequence[RetrievedMemory]) -> View:
    """Each memory with its fields and its agent's name; with the confidence if the reasons are included."""
    shows_agents = any(memory.agent_id for memory in memories)
    names = {one.agent_id: one.name for one in rum.agents() if one.name} if shows_agents else {}
    return [_block(memory, names) for memory in memories]


def _block(memory: RetrievedMemory, names: Mapping[str, str]) -> Fields:
    shown: list[Field] = [] if memory.why is UNSET else [("confidence", f"{memory.confidence:.2f}")]
    shown += [] if memory.match is UNSET else [("match", memory.match)]
    fields = msgspec.to_builtins(memory)
    if name := names.get(fields.get("agent_id", "")):
        fields["agent_id"] += f" ({name})"
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        flat |= value if name in _LAYERS else {name: value}
    shown += [
        (name, _field_text(name, value))
        for name, value in flat.items()
        if name not in _IN_HEADING and value not in _EMPTY
    ]
    return Fields(heading_of(memory), shown)


def _field_text(name: str, value: Any) -> str | list[str]:
    if name in _TIMES:
        return local_time(value)
    if name == "actions":
        return [_action(action) for action in value]
    if name == "files":
        return [f"{file['path']} ({file['operation']})" for file in value]
    if name == "links":
        return [f"{kind} {target}" for kind, targets in value.items() for target in targets]
    if name == "tags":
        return ", ".join(value)
    return (
        [_value_text(item) for item in cast("list[Any]", value)]
        if isinstance(value, list | tuple)
        else _value_text(value)
    )


def _action(action: dict[str, Any]) -> str:
    call = f"{action['type']} {_value_text(action['details'])}"
    result = action["result"]
    if result is None:
        return call
    output = _value_text({name: value for name, value in result.items() if name != "success"})
    return f"{call}: {'ok' if result['success'] else 'failed'} {output}".rstrip()


def _value_text(value: Any) -> str:
    """A value as text; the values of an object are joined."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value).values()
        return " — ".join(_value_text(part) for part in parts if part not in _EMPTY)
    return str(value)
