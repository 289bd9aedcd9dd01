"""The options of a command, made from the fields of the request that it sends."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

import click
import msgspec
from msgspec import Meta, Struct

from rum.app.calls import CALLS, load
from rum.model.fields import Time, field_info
from rum.surfaces.cli.option_types import OneOf, When

F = TypeVar("F", bound=Callable[..., Any])


def options_of(
    request: str | type[Struct], *, leave_out: tuple[str, ...] = (), **changes: dict[str, Any]
) -> Callable[[F], F]:
    """Add an option for each described field of a request: of a call by its name, or of a type.

    `changes` are arguments of `click.option` by field, where the command line differs from the API.
    """
    model, defaults = _model(request)
    hints = typing.get_type_hints(model, include_extras=True)
    options = [
        _option(field, hints[field.name], by_setting=field.name in defaults, **changes.get(field.name, {}))
        for field in msgspec.structs.fields(model)
        if field.name not in leave_out and field_info(hints[field.name])
    ]

    def add(function: F) -> F:
        for option in reversed(options):  # as decorators, the last is applied first
            function = option(function)
        return function

    return add


def _model(request: str | type[Struct]) -> tuple[type[Struct], typing.Container[str]]:
    """Return the type of a request, and the fields whose default is a setting."""
    if isinstance(request, str):
        call = CALLS[request]
        return load(call.question or ""), call.settings
    return request, ()


def _option(
    field: msgspec.structs.FieldInfo, annotation: Any, *, by_setting: bool, **changes: Any
) -> Callable[[F], F]:
    about = field_info(annotation)
    options: dict[str, Any] = {"help": about["help"], "required": field.required} | _type(annotation)
    if about["metavar"]:
        options["metavar"] = about["metavar"]
    default = field.default
    if isinstance(default, str | int | float) and default is not False and not by_setting:
        options |= {"default": str(default) if isinstance(default, str) else default, "show_default": True}
    name = about["option"] or "--" + field.name.replace("_", "-")
    return click.option(name, field.name, **(options | changes))


def _type(annotation: Any) -> dict[str, Any]:
    """Return the arguments of `click.option` for a type."""
    members = _members(annotation)
    if any(typing.get_origin(member) is tuple for member in members):
        return {"multiple": True}
    (member,) = members
    if member == Time:
        return {"type": When()}
    plain = typing.get_args(member)[0] if typing.get_origin(member) is typing.Annotated else member
    if plain is bool:
        return {"is_flag": True}
    if typing.get_origin(plain) is typing.Literal:
        return {"type": OneOf(typing.get_args(plain))}
    if isinstance(plain, type) and issubclass(plain, Enum):
        return {"type": OneOf(member.value for member in plain)}
    if plain in (int, float):
        low, high = _limits(member)
        kind = click.IntRange if plain is int else click.FloatRange
        return {"type": kind(low, high), "metavar": "N"}
    return {}


def _members(annotation: Any) -> list[Any]:
    """Return the types of a union without None, with their limits but without their descriptions."""
    if typing.get_origin(annotation) is typing.Annotated and field_info(annotation):
        limits = [meta for meta in annotation.__metadata__ if not field_info(typing.Annotated[str, meta])]
        inner = typing.get_args(annotation)[0]
        return _members(typing.Annotated[(inner, *limits)] if limits else inner)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [member for part in typing.get_args(annotation) for member in _members(part)]
    if typing.get_origin(annotation) is typing.Annotated:
        inner = typing.get_args(annotation)[0]
        return [inner] if typing.get_origin(inner) is tuple else [annotation]
    return [] if annotation is type(None) else [annotation]


def _limits(annotation: Any) -> tuple[Any, Any]:
    metas: list[Meta] = [meta for meta in getattr(annotation, "__metadata__", ()) if isinstance(meta, Meta)]
    low = next((meta.ge for meta in metas if meta.ge is not None), None)
    return low, next((meta.le for meta in metas if meta.le is not None), None)
