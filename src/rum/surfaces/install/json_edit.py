"""Parse JSON with comments and trailing commas, and edit it without changing any other character.

Encoding the whole file again would lose its comments and its formatting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from rum.model.errors import InvalidQuery

Path = tuple[str | int, ...]
_MAX_DEPTH = 200
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_INDENT = re.compile(r"\n([ \t]+)\"")
_COMMENT = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)+")
_BLANKS = " \t\r\n"
_EMPTY = re.compile(r"\ufeff?\s*", re.ASCII)


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


def parse_value(text: str) -> Any:
    """Return the value of a text; an empty one is an empty object."""
    return parse(text).value if text.strip("\ufeff" + _BLANKS) else {}


def value_at(text: str, path: Path) -> Any:
    """Return the value at a path, or None."""
    if not text.strip("\ufeff" + _BLANKS):
        return None
    node = _find(parse(text), path)
    return node.value if node else None


def set_value(text: str, path: Path, value: object) -> str:
    """Replace the member at `path`, or add it as the last one; missing objects above it are created."""
    if _EMPTY.fullmatch(text):
        for name in reversed(path):
            value = {name: value}
        mark, ending = "\ufeff" if text.startswith("\ufeff") else "", _newline(text)
        return mark + json.dumps(value, indent=2, ensure_ascii=False).replace("\n", ending) + ending
    root = parse(text)
    depth = next(n for n in range(len(path), -1, -1) if _find(root, path[:n]))
    node = _find(root, path[:depth])
    assert node is not None
    if depth == len(path):
        return text[: node.start] + _format(text, value, _indent_of(text, node.start)) + text[node.end :]
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    if not isinstance(node.value, dict):
        raise _wrong_type(path[:depth], "an object")
    return _append_part(text, node, value, f"{json.dumps(path[depth])}: ")


def append(text: str, path: Path, value: object) -> str:
    """Append an item to the array at `path`, which is created if it is missing."""
    node = None if _EMPTY.fullmatch(text) else _find(parse(text), path)
    if node is None:
        return set_value(text, path, [value])
    if not isinstance(node.value, list):
        raise _wrong_type(path, "an array")
    return _append_part(text, node, value, "")


def remove(text: str, path: Path) -> str:
    """Remove what is at `path`, and the objects and arrays above it that are then empty."""
    parent = _find(parse(text), path[:-1])
    part = parent.part(path[-1]) if parent else None
    if parent is None or part is None:
        return text
    result = _remove_part(text, parent, part)
    end = parent.end - (len(text) - len(result))
    if len(path) > 1 and not result[parent.start + 1 : end - 1].strip(_BLANKS):
        return remove(result, path[:-1])
    return result


def _find(node: Node, path: Path) -> Node | None:
    for name in path:
        part = node.part(name)
        if part is None:
            return None
        node = part.node
    return node


def _wrong_type(path: Path, what: str) -> InvalidQuery:
    name = ".".join(map(str, path)) or "the whole"
    return InvalidQuery(f"`{name}` must be {what}.")


def _append_part(text: str, node: Node, value: object, name: str) -> str:
    """Add a part after the last one of an object or array."""
    indent, newline = _indent_of(text, node.start), _newline(text)
    if not node.parts:
        inner = indent + _unit(text)
        added = f"{newline}{inner}{name}{_format(text, value, inner)}{newline}{indent}"
        return text[: node.start + 1] + added + text[node.start + 1 :]
    last = node.parts[-1]
    on_one_line = "\n" not in text[node.start : last.start]
    if on_one_line:
        added = f" {name}{json.dumps(value, ensure_ascii=False)}"
    else:
        inner = _indent_of(text, last.start)
        added = f"{newline}{inner}{name}{_format(text, value, inner)}"
    end = last.node.end if last.comma is None else last.comma + 1
    # A part on a new line goes after a comment that belongs to the value before it.
    comment = None if on_one_line else _COMMENT.match(text, end)
    position = comment.end() if comment else end
    if last.comma is None:
        return text[:end] + "," + text[end:position] + added + text[position:]
    return text[:position] + added + "," + text[position:]


def _remove_part(text: str, parent: Node, part: Part) -> str:
    """Remove one part with its comma and blanks; comments around it stay."""
    number = parent.parts.index(part)
    before = parent.parts[number - 1] if number else None
    head, tail = text[: part.start], text[part.node.end :]
    edge = parent.start + 1
    if before is not None and before.comma is not None:
        edge = before.comma + 1
    if part.comma is not None:
        between = text[part.node.end : part.comma]
        tail = (between if between.strip(_BLANKS) else "") + text[part.comma + 1 :]
    elif before is not None and before.comma is not None:
        # With the last part goes the comma before it; there may be a comment on either side of that comma.
        head = text[: before.comma] + text[before.comma + 1 : part.start]
        edge = before.node.end
    bare = head.rstrip(_BLANKS)
    if len(parent.parts) == 1 and len(bare) == edge:
        return bare + tail.lstrip(_BLANKS)
    # A comment of one line must keep its line end.
    ends = tail.lstrip(" \t")[:1] in ("\r", "\n")
    return (bare if ends or len(bare) == edge else head) + tail


def _format(text: str, value: object, indent: str) -> str:
    """A value as JSON of several lines, indented like the text around it."""
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _indent_of(text: str, at: int) -> str:
    """The indent of the line at a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
