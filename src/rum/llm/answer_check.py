"""Parse a model's answer: extract its JSON, remove secrets, and validate it against the schema."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar, cast

import msgspec

from rum.llm.base import Json
from rum.model.errors import InvalidQuery
from rum.model.parse import parse

T = TypeVar("T")
_MAX_LENGTH = 200_000
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


class InvalidAnswer(Exception):
    """An answer does not fit; the message is sent to the model, so that it can correct itself."""


def json_schema(schema: type) -> Json:
    """The JSON Schema of a type, without references, as not every server supports them."""
    whole = msgspec.json.schema(schema)
    return cast("Json", _inline_references(whole, whole.pop("$defs", {})))


def _inline_references(part: object, parts: Json) -> object:
    if isinstance(part, list):
        return [_inline_references(item, parts) for item in cast("list[object]", part)]
    if not isinstance(part, dict):
        return part
    named = cast("Json", part)
    if "$ref" in named:
        return _inline_references(parts[named["$ref"].rpartition("/")[2]], parts)
    return {name: _inline_references(value, parts) for name, value in named.items()}


def parse_answer(text: str, schema: type[T], clean: Callable[[object], object]) -> T:
    """The one JSON object in a text, without secrets, as a `schema`; InvalidAnswer if it does not fit."""
    try:
        found = msgspec.json.decode(_extract_json(text))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise InvalidAnswer(f"That is not one JSON object: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidAnswer("That is JSON, but not an object.")
    try:
        return parse(clean(cast("Json", found)), schema, "answer")
    except InvalidQuery as error:
        raise InvalidAnswer(error.message) from None


def _extract_json(text: str) -> str:
    """The JSON object without a thinking block, code fence or text around it."""
    if len(text) > _MAX_LENGTH:
        raise InvalidAnswer(f"That is longer than {_MAX_LENGTH} characters.")
    text = _THINKING.sub("", text)
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise InvalidAnswer("The answer has no JSON object.")
    return text[start : end + 1]
