"""Puts members into JSON text and takes them out again, and leaves every other character as it is."""

from __future__ import annotations

import json
import re
from typing import Any

from rum.model.errors import InvalidQuery
from rum.surfaces.install.jsonc import Node, Part, parse

Path = tuple[str | int, ...]
_INDENT = re.compile(r"\n([ \t]+)\"")
_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)+")
_BLANKS = " \t\r\n"
_EMPTY = re.compile(r"\ufeff?\s*", re.ASCII)


def value_at(text: str, path: Path) -> Any:
    """The value at a path; None where there is none."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    node = _find(parse(text), path)
    return node.value if node else None


def put(text: str, path: Path, value: object) -> str:
    """The text with a member at `path`, in place of an older one or as the last; objects above are made."""
    if _EMPTY.fullmatch(text):
        return _begun(text, path, value)
    root = parse(text)
    depth = next(n for n in range(len(path), -1, -1) if _find(root, path[:n]))
    node = _found(root, path[:depth])
    if depth == len(path):
        return text[: node.start] + _written(text, value, _column(text, node.start)) + text[node.end :]
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    if not isinstance(node.value, dict):
        raise _no_container(path[:depth], "an object")
    return _appended(text, node, value, f"{json.dumps(path[depth])}: ")


def append(text: str, path: Path, value: object) -> str:
    """The text with an item more in the array at `path`, which is made where there is none."""
    node = None if _EMPTY.fullmatch(text) else _find(parse(text), path)
    if node is None:
        return put(text, path, [value])
    if not isinstance(node.value, list):
        raise _no_container(path, "an array")
    return _appended(text, node, value, "")


def drop(text: str, path: Path) -> str:
    """The text without what is at `path`, and without what is empty above it then, comments included."""
    above = _find(parse(text), path[:-1])
    part = above.part(path[-1]) if above else None
    if above is None or part is None:
        return text
    left = _without(text, above, part)
    end = above.end - (len(text) - len(left))
    if len(path) > 1 and not left[above.start + 1 : end - 1].strip(_BLANKS):
        return drop(left, path[:-1])
    return left


def _find(node: Node, path: Path) -> Node | None:
    for name in path:
        part = node.part(name)
        if part is None:
            return None
        node = part.node
    return node


def _found(node: Node, path: Path) -> Node:
    found = _find(node, path)
    assert found is not None
    return found


def _no_container(path: Path, what: str) -> InvalidQuery:
    named = ".".join(map(str, path)) or "the whole"
    return InvalidQuery(f"`{named}` must be {what}.")


def _begun(text: str, path: Path, value: object) -> str:
    for name in reversed(path):
        value = {name: value}
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    ending = _newline(text)
    return mark + json.dumps(value, indent=2, ensure_ascii=False).replace("\n", ending) + ending


def _appended(text: str, node: Node, value: object, name: str) -> str:
    """The text with a part after the last one of an object or array."""
    column, newline = _column(text, node.start), _newline(text)
    if not node.parts:
        inner = column + _unit(text)
        said = f"{newline}{inner}{name}{_written(text, value, inner)}{newline}{column}"
        return _spliced(text, node.start + 1, said)
    last = node.parts[-1]
    in_one_line = "\n" not in text[node.start : last.start]
    if in_one_line:
        said = f" {name}{json.dumps(value, ensure_ascii=False)}"
    else:
        inner = _column(text, last.start)
        said = f"{newline}{inner}{name}{_written(text, value, inner)}"
    end = last.node.end if last.comma is None else last.comma + 1
    # What is new on a line of its own goes behind a comment on the value before it.
    place = end if in_one_line else _after_comment(text, end)
    if last.comma is None:
        return text[:end] + "," + text[end:place] + said + text[place:]
    return _spliced(text, place, f"{said},")


def _after_comment(text: str, at: int) -> int:
    found = _REMARK.match(text, at)
    return found.end() if found else at


def _without(text: str, above: Node, part: Part) -> str:
    """The text without one part and what sets it off; comments around it stay."""
    number = above.parts.index(part)
    before = above.parts[number - 1] if number else None
    head, tail = text[: part.start], text[part.node.end :]
    edge = above.start + 1
    if before is not None and before.comma is not None:
        edge = before.comma + 1
    if part.comma is not None:
        between = text[part.node.end : part.comma]
        tail = (between if between.strip(_BLANKS) else "") + text[part.comma + 1 :]
    elif before is not None and before.comma is not None:
        # The last one takes the comma before it along, and a comment may stand on either side of that.
        head = text[: before.comma] + text[before.comma + 1 : part.start]
        edge = before.node.end
    bare = head.rstrip(_BLANKS)
    if len(above.parts) == 1 and len(bare) == edge:
        return bare + tail.lstrip(_BLANKS)
    # A comment of one line must still end with that line.
    ends = tail.lstrip(" \t")[:1] in ("\r", "\n")
    return (bare if ends or len(bare) == edge else head) + tail


def _spliced(text: str, at: int, said: str) -> str:
    return text[:at] + said + text[at:]


def _written(text: str, value: object, column: str) -> str:
    """A value set over several lines, as far in as what is around it."""
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{column}".join(lines)


def _column(text: str, at: int) -> str:
    """The blanks that the line of this place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
