"""From what a caller says to a draft: objects merge, arrays are replaced, null clears what is optional."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from rum.model.errors import InvalidQuery
from rum.model.memory import Draft, Memory
from rum.model.parse import check_field, parse

PARTS = ("intent", "perception", "reasoning", "actions", "outcome", "tags", "importance")
REQUIRED = frozenset(
    {
        "intent",
        "intent.goal",
        "intent.task_type",
        "outcome",
        "outcome.success",
        "outcome.summary",
        "outcome.verified_by.type",
    }
)


def drafted(given: dict[str, Any]) -> Draft:
    """The draft of a new memory; null says no more than leaving a field out."""
    return parse(merge({}, given, "store"), Draft, "store")


def patched(memory: Memory, patch: dict[str, Any]) -> Draft:
    """The draft a memory becomes under a patch; its `links` are those the patch adds."""
    current: dict[str, Any] = {part: msgspec.to_builtins(getattr(memory, part)) for part in PARTS}
    return parse(merge(current, patch, "update_memory"), Draft, "update_memory")


def merge(current: dict[str, Any], patch: dict[str, Any], what: str, path: str = "") -> dict[str, Any]:
    """`current` under `patch`, as `what` was told; neither is changed."""
    merged = dict(current)
    for name, value in patch.items():
        where = f"{path}.{name}" if path else name
        if value is None:
            check_field(Draft, path, name, what)
            if where in REQUIRED:
                raise InvalidQuery(f"{what}: `{where}` is required and cannot be null.", field=where)
            merged.pop(name, None)
        elif isinstance(value, dict):
            known = merged.get(name)
            under: dict[str, Any] = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
            merged[name] = merge(under, cast("dict[str, Any]", value), what, where)
        else:
            merged[name] = value
    return merged
