"""Add members to JSON text or remove them, without changing any other character."""

from __future__ import annotations

import json
import re
from typing import Any

from rum.model.errors import InvalidQuery
from rum.surfaces.install.jsonc import Node, Part, parse

# Encoding the whole file again would lose its comments and its formatting.
Path = tuple[str | int, ...]
_INDENT = re.compile(r"\n([ \t]+)\"")
_COMMENT = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)+")
_BLANKS = " \t\r\n"
_EMPTY = re.compile(r"\ufeff?\s*", re.ASCII)


def value_at(text: str, path: Path) -> Any:
    """Return the value at a path, or None."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    node = _find(parse(text), path)
    return node.value if node else None


def set_value(text: str, path: Path, value: object) -> str:
    """Replace the member at `path`, or add it as the last one; missing objects above it are created."""
    if _EMPTY.fullmatch(text):
        return _new_text(text, path, value)
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


def _new_text(text: str, path: Path, value: object) -> str:
    for name in reversed(path):
        value = {name: value}
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    ending = _newline(text)
    return mark + json.dumps(value, indent=2, ensure_ascii=False).replace("\n", ending) + ending


def _append_part(text: str, node: Node, value: object, name: str) -> str:
    """Add a part after the last one of an object or array."""
    indent, newline = _indent_of(text, node.start), _newline(text)
    if not node.parts:
        inner = indent + _unit(text)
        added = f"{newline}{inner}{name}{_format(text, value, inner)}{newline}{indent}"
        return _insert(text, node.start + 1, added)
    last = node.parts[-1]
    on_one_line = "\n" not in text[node.start : last.start]
    if on_one_line:
        added = f" {name}{json.dumps(value, ensure_ascii=False)}"
    else:
        inner = _indent_of(text, last.start)
        added = f"{newline}{inner}{name}{_format(text, value, inner)}"
    end = last.node.end if last.comma is None else last.comma + 1
    # A part on a new line goes after a comment that belongs to the value before it.
    position = end if on_one_line else _after_comment(text, end)
    if last.comma is None:
        return text[:end] + "," + text[end:position] + added + text[position:]
    return _insert(text, position, f"{added},")


def _after_comment(text: str, at: int) -> int:
    found = _COMMENT.match(text, at)
    return found.end() if found else at


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


def _insert(text: str, at: int, added: str) -> str:
    return text[:at] + added + text[at:]


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
