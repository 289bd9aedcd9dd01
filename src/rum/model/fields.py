"""How the fields of a request are described and checked; times and patterns."""

from __future__ import annotations

import difflib
import re
import types
import typing
from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import Meta

from rum.model.errors import InvalidQuery


def about(
    help: str,
    *,
    note: str | None = None,
    option: str | None = None,
    metavar: str | None = None,
    tool: bool = True,
) -> Meta:
    """Describe a field.

    `help` is the text for people, `note` the shorter one for the tool list, where every token counts and
    most names need none. `option` is the name on the command line where it is not the field's own. A field
    with the metavar PATH takes path objects in Python. With `tool` false the tool list leaves it out.
    """
    return Meta(extra={"help": help, "note": note, "option": option, "metavar": metavar, "tool": tool})


def field_info(annotation: Any) -> dict[str, Any]:
    """The description by `about` of a field with this annotation; empty if there is none."""
    if typing.get_origin(annotation) is typing.Annotated:
        for meta in typing.get_args(annotation)[1:]:
            if isinstance(meta, Meta) and meta.extra and "help" in meta.extra:
                return dict(meta.extra)
    return {}


LONGEST_PATTERN = 500  # Characters; a longer pattern matches nothing

Spoken = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_PATTERN)]  # A pattern that somebody gives


MILLISECONDS_FROM = 10**11

Time = Annotated[float, Meta(ge=0, le=10**15)]  # A time as callers give it

Stamp = Annotated[int, Meta(ge=0, le=10**15)]  # A time as it is kept, in seconds


def seconds(given: float) -> int:
    """Unix seconds of a time given in seconds or milliseconds."""
    return int(given // 1000 if given > MILLISECONDS_FROM else given)


SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|h|d|w)")
SPAN_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def point_in_time(text: str, now: float) -> int:
    """Parse Unix seconds, an ISO date or an age such as 7d; ValueError if it is none of these."""
    text = text.strip()
    try:
        if ago := SPAN.fullmatch(text):
            return int(now - float(ago[1]) * SPAN_UNITS[ago[2]])
        if _NUMBER.fullmatch(text):
            return seconds(float(text))
        return int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"{text!r} is not a time. Write Unix seconds, a date such as 2026-01-31 or 2026-01-31T14:00, "
            "or an age: 12h, 7d, 2w."
        ) from None


T = TypeVar("T")
_WHERE = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*?)`)?", re.DOTALL)
_INDEX = re.compile(r"\[[^\]]*\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)


def parse(data: object, model: type[T], what: str, *, strict: bool = True) -> T:
    """`data` as a `model`; InvalidQuery says which field of `what` is wrong and how to fix it.

    Without `strict`, numbers and truth values may be given as texts.
    """
    try:
        return msgspec.convert(data, model, strict=strict)
    except msgspec.ValidationError as error:
        raise _explained(str(error), model, what, data) from None


def nearest(word: str, allowed: list[str]) -> str | None:
    """The allowed word most similar to a wrong one, if any is similar."""
    return next(iter(difflib.get_close_matches(word.lower(), allowed, n=1, cutoff=0.6)), None)


def _explained(text: str, model: type, what: str, data: object = None) -> InvalidQuery:
    found = _WHERE.fullmatch(text)
    message, path = (found["what"], found["path"] or "") if found else (text, "")
    path = path.lstrip(".")
    at = _type_at(model, _INDEX.sub("[]", path))
    if unknown := _UNKNOWN.fullmatch(message):
        return _unknown_field(unknown[1], path, at, what)
    if missing := _MISSING.fullmatch(message):
        field = _join(path, missing[1])
        return InvalidQuery(required(model, field, what), field=field)
    if allowed := _members(at):
        named = f"{what}: `{path}`" if path else what
        given = cast("dict[str, Any]", data).get(path) if isinstance(data, dict) else data
        close = nearest(given, allowed) if isinstance(given, str) else None
        meant = f" Did you mean `{close}`?" if close else ""
        return InvalidQuery(
            f"{named} must be one of {', '.join(allowed)}.{meant}", field=path or what, allowed=allowed
        )
    if "matching regex" in message:
        plain = "expected a text that is not empty" + (", short and on one line" if "x00" in message else "")
    else:
        plain = message.replace("Expected", "expected", 1).replace("`float`", "number").replace("`", "")
    return InvalidQuery(f"{what}: `{path or 'the whole'}`: {plain}.", field=path or None)


def required(model: type, field: str, what: str) -> str:
    """The message for a missing field, with its allowed values if they are a closed set."""
    allowed = _members(_type_at(model, _INDEX.sub("[]", field)))
    choice = f": one of {', '.join(allowed)}" if allowed else ""
    return f"{what}: `{field}` is required{choice}."


def check_field(model: type, path: str, name: str, what: str) -> None:
    """Refuse a name that the part of a model at `path` does not have."""
    at = _type_at(model, path)
    if all(name not in struct.__struct_encode_fields__ for struct in _structs(at)):
        raise _unknown_field(name, path, at, what)


def _unknown_field(name: str, path: str, at: Any, what: str) -> InvalidQuery:
    allowed = sorted(next(_structs(at), msgspec.Struct).__struct_encode_fields__)
    close = nearest(name, allowed)
    # Or the only allowed name that is a shorter or longer form: `id` for `memory_id`, and the reverse.
    ends = [one for one in allowed if name.endswith(f"_{one}") or one.endswith(f"_{name}")]
    if close is None and len(ends) == 1:
        close = ends[0]
    hint = f" Did you mean `{close}`?" if close else f" Allowed: {', '.join(allowed)}."
    field = _join(path, name)
    return InvalidQuery(
        f"{what}: there is no field `{field}`.{hint}", field=field, allowed=allowed, nearest=close
    )


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _type_at(model: Any, path: str) -> Any:
    """The type annotation at a path such as `actions[].result`."""
    for step in filter(None, path.replace("[]", ".[]").split(".")):
        if step == "[]":
            model = next((a for part in _parts(model) for a in typing.get_args(part) if a is not ...), None)
        else:
            struct = next((one for one in _structs(model) if step in one.__struct_encode_fields__), None)
            if struct is None:
                return None
            # Callers may write a field by another name than Python.
            name = struct.__struct_fields__[struct.__struct_encode_fields__.index(step)]
            model = typing.get_type_hints(struct, include_extras=True)[name]
    return model


def _parts(annotation: Any) -> Iterator[Any]:
    """The members of a union, without Annotated wrappers and None."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _parts(typing.get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType):
        for part in typing.get_args(annotation):
            yield from _parts(part)
    elif annotation not in (None, type(None), msgspec.UnsetType):
        yield annotation


def _structs(annotation: Any) -> Iterator[type[msgspec.Struct]]:
    for part in _parts(annotation):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            yield part


def _members(annotation: Any) -> list[str]:
    """The allowed words of a closed set, if the annotation is one."""
    for part in _parts(annotation):
        if isinstance(part, type) and issubclass(part, Enum):
            return [str(member.value) for member in part]
        if typing.get_origin(part) is typing.Literal:
            return [str(value) for value in typing.get_args(part)]
    return []
