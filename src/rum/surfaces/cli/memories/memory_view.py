"""Memories as people read them: a row, or a block with everything the depth gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import local_time, memory_line, short_id
from rum.model.answers import RetrievedMemory
from rum.surfaces.cli.views import Field, Fields, Line, Table, TextPart, verdict

_LAYERS = ("intent", "outcome", "reasoning", "perception")
_IN_HEADING = ("id", "goal", "success", "confidence", "match")
_NOTHING: tuple[object, ...] = (None, "", (), [], {})
_TIMES = ("created_at", "updated_at", "last_accessed")


def as_line(memory: RetrievedMemory) -> str:
    """A memory in one line of text."""
    outcome = memory.outcome
    return memory_line(memory.id, memory.intent.goal, outcome.success, memory.result, memory.confidence)


def heading(memory: RetrievedMemory) -> Line:
    """What was tried, whether it worked, and its id."""
    return (
        verdict(memory.outcome.success),
        TextPart(memory.intent.goal, "strong"),
        TextPart(f"[{memory.id}]", "id"),
    )


def as_table(memories: Iterable[RetrievedMemory]) -> Table:
    """Memories at the depth of a summary, with how sure each is."""
    found = list(memories)
    rows = [
        (
            TextPart(short_id(memory.id), "id"),
            TextPart(f"{memory.confidence:.2f}", "dim"),
            verdict(memory.outcome.success),
            TextPart(memory.intent.goal, "strong"),
            TextPart(memory.result),
        )
        for memory in found
    ]
    return Table(("id", "confidence", "", "goal", "outcome"), rows, [as_line(memory) for memory in found])


def agent_names(rum: Rum, memories: Iterable[RetrievedMemory]) -> dict[str, str]:
    """Names of agents by id, if any of the memories shows its agent."""
    shown = {memory.agent_id for memory in memories if memory.agent_id}
    return {one.agent_id: one.name for one in rum.agents() if one.name} if shown else {}


def as_fields(memory: RetrievedMemory, names: Mapping[str, str]) -> Fields:
    """A memory with every field it has and its agent's name; how sure it is where the reasons are given."""
    sure = [] if memory.why is UNSET else [("confidence", f"{memory.confidence:.2f}")]
    fuzzy = [] if memory.match is UNSET else [("match", memory.match)]
    fields = msgspec.to_builtins(memory)
    if name := names.get(fields.get("agent_id", "")):
        fields["agent_id"] += f" ({name})"
    return Fields(heading(memory), [*sure, *fuzzy, *content(fields)])


def content(memory: dict[str, Any]) -> list[Field]:
    """The fields of a memory's JSON that say something, those of the layers among them."""
    flat: dict[str, Any] = {}
    for name, value in memory.items():
        flat |= value if name in _LAYERS else {name: value}
    return [
        (name, _shown(name, value))
        for name, value in flat.items()
        if name not in _IN_HEADING and value not in _NOTHING
    ]


def _shown(name: str, value: Any) -> str | list[str]:
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
        [_phrase(item) for item in cast("list[Any]", value)]
        if isinstance(value, list | tuple)
        else _phrase(value)
    )


def _action(action: dict[str, Any]) -> str:
    done = f"{action['type']} {_phrase(action['details'])}"
    result = action["result"]
    if result is None:
        return done
    came = _phrase({name: value for name, value in result.items() if name != "success"})
    return f"{done}: {'ok' if result['success'] else 'failed'} {came}".rstrip()


def _phrase(value: Any) -> str:
    """A value in words; the parts of an object one after the other."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value).values()
        return " — ".join(_phrase(part) for part in parts if part not in _NOTHING)
    return str(value)
