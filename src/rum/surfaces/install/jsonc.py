"""Parse JSON with comments and trailing commas; each value with its position in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from rum.model.errors import InvalidQuery

_MAX_DEPTH = 200
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


_PLAIN_JSON = json.JSONDecoder(parse_constant=_refuse)


class Node:
    """A value, its position in the text from `start` to `end`, and the parts of an object or array.

    Parts are parsed when they are requested: in a large file only few are.
    """

    __slots__ = ("_parts", "_read", "end", "start", "value")

    def __init__(self, start: int, end: int, value: Any, read: Callable[[], tuple[Part, ...]]) -> None:
        self.start, self.end, self.value = start, end, value
        self._read = read
        self._parts: tuple[Part, ...] | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The members or items, in order."""
        if self._parts is None:
            self._parts = self._read()
        return self._parts

    def part(self, name: str | int) -> Part | None:
        """Return the part with that name or index; of several with one name the last, as parsers do."""
        return next((part for part in reversed(self.parts) if part.name == name), None)


class Part(NamedTuple):
    """A member of an object or an item of an array; `comma` is the position of the comma after it."""

    name: str | int
    start: int
    node: Node
    comma: int | None


def parse(text: str) -> Node:
    """Parse a text; InvalidQuery names the line of an error."""
    reader = _Reader(text)
    try:
        node = reader.value(reader.skip_blanks(1 if text.startswith("\ufeff") else 0), 0)
    except RecursionError:
        raise InvalidQuery("It is nested too deeply to be settings.") from None
    if reader.skip_blanks(node.end) != len(text):
        raise reader.error(reader.skip_blanks(node.end), "the end was expected")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, at: int, what: str) -> InvalidQuery:
        line = self._text.count("\n", 0, at) + 1
        column = at - (self._text.rfind("\n", 0, at) + 1) + 1
        return InvalidQuery(f"line {line}, column {column}: {what}.", line=line)

    def skip_blanks(self, at: int) -> int:
        """Return the next position that is neither blank nor in a comment."""
        found = _BLANK.match(self._text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.error(at, "it is nested too deeply")
        first = self._text[at : at + 1]
        if first in ("{", "["):
            return self._container(at, depth, self._object if first == "{" else self._array)
        found = _STRING.match(self._text, at) if first == '"' else _WORD.match(self._text, at)
        if not found:
            raise self.error(at, "a value was expected")
        return Node(at, found.end(), self._scalar(at, found[0]), tuple)

    def _container(self, at: int, depth: int, read: Callable[[int, int], Node]) -> Node:
        """Parse an object or array: with the fast parser if it is plain JSON, else part by part."""
        try:
            value, end = _PLAIN_JSON.raw_decode(self._text, at)
        except ValueError:
            return read(at, depth)
        return Node(at, end, value, lambda: read(at, depth).parts)

    def _scalar(self, at: int, word: str) -> Any:
        try:
            return json.loads(word)
        except ValueError:
            raise self.error(at, f"{word[:40]} is no value") from None

    def _object(self, start: int, depth: int) -> Node:
        parts: list[Part] = []
        at = self.skip_blanks(start + 1)
        while self._text[at : at + 1] != "}":
            found = _STRING.match(self._text, at)
            if not found:
                raise self.error(at, 'a name in double quotes, or "}", was expected')
            colon = self.skip_blanks(found.end())
            if self._text[colon : colon + 1] != ":":
                raise self.error(colon, "a colon was expected")
            node = self.value(self.skip_blanks(colon + 1), depth + 1)
            comma, at = self._after(node.end, "}")
            parts.append(Part(self._scalar(at, found[0]), found.start(), node, comma))
        value = {part.name: part.node.value for part in parts}
        return Node(start, at + 1, value, lambda: tuple(parts))

    def _array(self, start: int, depth: int) -> Node:
        parts: list[Part] = []
        at = self.skip_blanks(start + 1)
        while self._text[at : at + 1] != "]":
            node = self.value(at, depth + 1)
            comma, at = self._after(node.end, "]")
            parts.append(Part(len(parts), node.start, node, comma))
        return Node(start, at + 1, [part.node.value for part in parts], lambda: tuple(parts))

    def _after(self, end: int, closing: str) -> tuple[int | None, int]:
        """Return the positions of the comma after a part, and of the next part or the closing bracket."""
        at = self.skip_blanks(end)
        if self._text[at : at + 1] == ",":
            return at, self.skip_blanks(at + 1)
        if self._text[at : at + 1] != closing:
            raise self.error(at, f'a comma or "{closing}" was expected')
        return None, at
