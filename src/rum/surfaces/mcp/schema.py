"""JSON Schemas of the models, as terse as clients allow: every token of them is paid in every session."""

from __future__ import annotations

import types
import typing
from enum import Enum
from typing import Any

import msgspec

Json = dict[str, Any]
_PLAIN: dict[object, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def schema_of(
    annotation: Any, notes: dict[str, str] | None = None, leave_out: frozenset[str] = frozenset()
) -> Json:
    """The schema of a type; `notes` are descriptions by field path, `leave_out` fields that are not shown.

    Bounds are left to the check of the call, whose answer names them.
    """
    return _schema(annotation, notes or {}, leave_out, "")


def _schema(annotation: Any, notes: dict[str, str], leave_out: frozenset[str], path: str) -> Json:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _schema(arguments[0], notes, leave_out, path)
    if origin in (typing.Union, types.UnionType):
        return _union(
            [a for a in arguments if a not in (type(None), msgspec.UnsetType)], notes, leave_out, path
        )
    if origin is tuple or origin is list:
        return {"type": "array", "items": _schema(arguments[0], notes, leave_out, path + "[]")}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(arguments)}
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return _object(annotation, notes, leave_out, path)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"type": "string", "enum": [member.value for member in annotation]}
    return {"type": _PLAIN[annotation]} if annotation in _PLAIN else {"type": "object"}


def _union(members: list[Any], notes: dict[str, str], leave_out: frozenset[str], path: str) -> Json:
    if set(members) == {int, float}:
        return {"type": "number"}
    schemas = [_schema(member, notes, leave_out, path) for member in members]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _object(
    struct: type[msgspec.Struct], notes: dict[str, str], leave_out: frozenset[str], path: str
) -> Json:
    properties: Json = {}
    required: list[str] = []
    hints = typing.get_type_hints(struct, include_extras=True)
    for field in msgspec.structs.fields(struct):
        where = f"{path}.{field.name}" if path else field.name
        if where in leave_out:
            continue
        properties[field.name] = _schema(hints[field.name], notes, leave_out, where)
        if where in notes:
            properties[field.name]["description"] = notes[where]
        if field.required:
            required.append(field.name)
    shown: Json = {"type": "object", "properties": properties}
    # Inside of lists the names speak for themselves, and the answer to a mistake names the field.
    return shown | {"required": required} if required and "[]" not in path else shown
