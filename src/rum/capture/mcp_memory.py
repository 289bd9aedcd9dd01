"""Read the graph of the MCP reference memory server: entities and relations, one a line."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast

from rum.model.errors import InvalidQuery
from rum.model.ids import id_of
from rum.text.shorten import without_invisible

_MAX_TEXT = 2000
_MAX_OBSERVATIONS = 100
_IMPORTANCE = 0.4


class Entity(NamedTuple):
    """A named thing with its type, observations, and relations to other entities."""

    name: str
    kind: str
    observations: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]


def entities_in(data: bytes) -> list[Entity]:
    """Return the entities of a file, each once; InvalidQuery names a line that is invalid."""
    observed: dict[str, dict[str, None]] = {}
    kinds: dict[str, str] = {}
    related: dict[str, dict[tuple[str, str], None]] = {}
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        if not line.strip():
            continue
        record = _object(line, number)
        if record.get("type") == "entity":
            name = _text(record.get("name"), number, "name")
            kinds.setdefault(name, _short(record.get("entityType")))
            texts = map(_short, cast("list[Any]", record.get("observations") or []))
            observed.setdefault(name, {}).update((text, None) for text in texts if text)
        elif record.get("type") == "relation":
            source, target = (_text(record.get(end), number, end) for end in ("from", "to"))
            relation = _short(record.get("relationType")) or "is related to"
            related.setdefault(source, {})[relation, target] = None
        else:
            raise InvalidQuery(f"Line {number} is neither an entity nor a relation.", line=number)
    # A relation may name an entity that has no line of its own.
    names = dict.fromkeys([*kinds, *related])
    return [
        Entity(name, kinds.get(name, ""), tuple(observed.get(name, ())), tuple(related.get(name, ())))
        for name in names
    ]


def entity_id(name: str) -> str:
    """The id of an entity's memory: the same in every import."""
    return id_of("mem", f"mcp-memory {name}")


def memory_fields(entity: Entity) -> dict[str, Any]:
    """The fields of an entity's memory, as a caller of `store` would write them."""
    related = [f"{entity.name} {relation} {other}" for relation, other in entity.relations]
    observations = [*entity.observations, *related][:_MAX_OBSERVATIONS]
    kind = f" ({entity.kind})" if entity.kind else ""
    return {
        "intent": {"goal": f"What is known of {entity.name}{kind}", "task_type": "investigation"},
        "perception": {"observations": [{"what": one} for one in observations]},
        "outcome": {
            "success": True,
            "summary": (observations or [entity.name])[0][:500],
            "learnings": observations[:20],
        },
        "tags": ["mcp-memory", *(["-".join(entity.kind.lower().split())[:30]] if entity.kind else [])],
        "importance": _IMPORTANCE,
    }


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidQuery(f"Line {number} is not JSON.", line=number) from None
    if not isinstance(record, dict):
        raise InvalidQuery(f"Line {number} is not a JSON object.", line=number)
    return cast("dict[str, Any]", record)


def _text(value: object, number: int, field: str) -> str:
    if text := _short(value):
        return text
    raise InvalidQuery(f"Line {number} has no `{field}`.", line=number)


def _short(value: object) -> str:
    return " ".join(without_invisible(value[:_MAX_TEXT]).split()) if isinstance(value, str) else ""
