"""From a model's words to a checked value: the JSON in them is found, cleaned and held to its schema."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar, cast

import msgspec

from rum.llm.base import Json
from rum.model.errors import InvalidQuery
from rum.model.parse import parse

T = TypeVar("T")
_LARGEST = 200_000
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


class NotAsAsked(Exception):
    """What is wrong with an answer, in words that its author can act on."""


def json_schema(schema: type) -> Json:
    """The JSON Schema of a type, without references, as not every server follows them."""
    whole = msgspec.json.schema(schema)
    return cast("Json", _inlined(whole, whole.pop("$defs", {})))


def _inlined(part: object, parts: Json) -> object:
    if isinstance(part, list):
        return [_inlined(item, parts) for item in cast("list[object]", part)]
    if not isinstance(part, dict):
        return part
    named = cast("Json", part)
    if "$ref" in named:
        return _inlined(parts[named["$ref"].rpartition("/")[2]], parts)
    return {name: _inlined(value, parts) for name, value in named.items()}


def checked(text: str, schema: type[T], clean: Callable[[object], object]) -> T:
    """The one JSON object in a text, without secrets, as a `schema`; NotAsAsked says what is wrong."""
    try:
        found = msgspec.json.decode(_json_in(text))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise NotAsAsked(f"That is not one JSON object: {error}.") from None
    if not isinstance(found, dict):
        raise NotAsAsked("That is JSON, but not an object.")
    try:
        return parse(clean(cast("Json", found)), schema, "answer")
    except InvalidQuery as error:
        raise NotAsAsked(error.message) from None


def _json_in(text: str) -> str:
    """An answer without thoughts before it, a fence around it or words beside it."""
    if len(text) > _LARGEST:
        raise NotAsAsked(f"That is longer than {_LARGEST} characters.")
    text = _THOUGHTS.sub("", text)
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise NotAsAsked("There is no JSON object in that.")
    return text[start : end + 1]
