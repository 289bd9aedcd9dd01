"""Reads the graph that the MCP reference memory server keeps: entities and relations, a line each."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast

from rum.model.errors import InvalidQuery
from rum.model.ids import id_of
from rum.text.invisible import without_unseen

LONGEST = 2000
MOST_SEEN = 100
IMPORTANCE = 0.4


class Entity(NamedTuple):
    """A thing, what kind of thing, what was observed of it, and how it is related to others."""

    name: str
    kind: str
    observations: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]


def entities_in(data: bytes) -> list[Entity]:
    """The entities of a file, each once; InvalidQuery names the line that is none."""
    observed: dict[str, dict[str, None]] = {}
    kinds: dict[str, str] = {}
    related: dict[str, dict[tuple[str, str], None]] = {}
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        if not line.strip():
            continue
        told = _object(line, number)
        if told.get("type") == "entity":
            name = _text(told.get("name"), number, "name")
            kinds.setdefault(name, _short(told.get("entityType")))
            seen = cast("list[Any]", told.get("observations") or [])
            observed.setdefault(name, {}).update((_short(one), None) for one in seen if _short(one))
        elif told.get("type") == "relation":
            source, target = (_text(told.get(end), number, end) for end in ("from", "to"))
            related.setdefault(source, {})[_short(told.get("relationType")) or "is related to", target] = None
        else:
            raise InvalidQuery(f"Line {number} is neither an entity nor a relation.", line=number)
    names = dict.fromkeys([*kinds, *related])
    return [
        Entity(name, kinds.get(name, ""), tuple(observed.get(name, ())), tuple(related.get(name, ())))
        for name in names
    ]


def entity_id(name: str) -> str:
    """The id of an entity's memory: the same in every import."""
    return id_of("mem", f"mcp-memory {name}")


def memory_fields(entity: Entity) -> dict[str, Any]:
    """What an entity's memory says, as a caller of `store` would write it."""
    related = [f"{entity.name} {relation} {other}" for relation, other in entity.relations]
    seen = [*entity.observations, *related][:MOST_SEEN]
    kind = f" ({entity.kind})" if entity.kind else ""
    return {
        "intent": {"goal": f"What is known of {entity.name}{kind}", "task_type": "investigation"},
        "perception": {"observations": [{"what": one} for one in seen]},
        "outcome": {"success": True, "summary": (seen or [entity.name])[0][:500], "learnings": seen[:20]},
        "tags": ["mcp-memory", *(["-".join(entity.kind.lower().split())[:30]] if entity.kind else [])],
        "importance": IMPORTANCE,
    }


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        told: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidQuery(f"Line {number} is not JSON.", line=number) from None
    if not isinstance(told, dict):
        raise InvalidQuery(f"Line {number} is not a JSON object.", line=number)
    return cast("dict[str, Any]", told)


def _text(value: object, number: int, field: str) -> str:
    if text := _short(value):
        return text
    raise InvalidQuery(f"Line {number} has no `{field}`.", line=number)


def _short(value: object) -> str:
    return " ".join(without_unseen(value[:LONGEST]).split()) if isinstance(value, str) else ""
