"""JSON Schemas of the models, as short as possible: every session pays for each of their tokens."""

from __future__ import annotations

import types
import typing
from enum import Enum
from typing import Any

import msgspec

from rum.model.fields import field_info

Json = dict[str, Any]
_PLAIN: dict[object, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def schema_of(annotation: Any, leave_out: frozenset[str] = frozenset(), path: str = "") -> Json:
    """Return the schema of a type without the fields at the paths `leave_out`.

    The notes of fields (see `about`) become their descriptions. Limits are not included: a call that
    exceeds one gets an error that names it.
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema_of(arguments[0], leave_out, path)
    if origin in (typing.Union, types.UnionType):
        members = [one for one in arguments if one not in (type(None), msgspec.UnsetType)]
        schemas = [schema_of(member, leave_out, path) for member in members]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if origin is tuple or origin is list:
        return {"type": "array", "items": schema_of(arguments[0], leave_out, path + "[]")}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(arguments)}
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return _object(annotation, leave_out, path)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"type": "string", "enum": [member.value for member in annotation]}
    return {"type": _PLAIN[annotation]} if annotation in _PLAIN else {"type": "object"}


def _object(struct: type[msgspec.Struct], leave_out: frozenset[str], path: str) -> Json:
    properties: Json = {}
    required: list[str] = []
    hints = typing.get_type_hints(struct, include_extras=True)
    for field in msgspec.structs.fields(struct):
        where = f"{path}.{field.name}" if path else field.name
        about = field_info(hints[field.name])
        if where in leave_out or not about.get("tool", True):
            continue
        properties[field.name] = schema_of(hints[field.name], leave_out, where)
        if note := about.get("note"):
            properties[field.name]["description"] = note
        if field.required:
            required.append(field.name)
    shown: Json = {"type": "object", "properties": properties}
    # Inside lists `required` is left out: an error names the missing field.
    return shown | {"required": required} if required and "[]" not in path else shown
