"""Puts a table into TOML text and takes it out again, and leaves every other character as it is."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, cast

from rum.model.errors import InvalidQuery

_HEADER = re.compile(r"[ \t]*\[([^\[\]\n]+)\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"[ \t]*\[")
_KEY = re.compile(r"""[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*(?:\.|$)""")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str) -> dict[str, Any]:
    """What a text says; InvalidQuery where it is no TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidQuery(f"{error}.") from None


def table_at(text: str, path: tuple[str, ...]) -> dict[str, Any] | None:
    """The table at a path; None where there is none."""
    found: dict[str, Any] = parse(text)
    for name in path:
        inner = found.get(name)
        if not isinstance(inner, dict):
            return None
        found = cast("dict[str, Any]", inner)
    return found


def put(text: str, path: tuple[str, ...], table: dict[str, Any]) -> str:
    """The text with a table of its own at the end; one that is there must be dropped first."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(name)} = {_value(table[name])}" for name in table)]
    gap = "" if not text.strip("\ufeff \t\r\n") else newline if text.endswith("\n") else newline * 2
    return text + gap + newline.join(lines) + newline


def drop(text: str, path: tuple[str, ...]) -> str:
    """The text without a table and the tables in it; comments before the next table stay."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        if _ANY_HEADER.match(line) and _is_whole("".join(lines[:number])):
            was, inside = inside, _names(line)[: len(path)] == path
            if was and not inside and kept and not kept[-1].strip():
                kept.pop()  # the blank line that stood before what is gone
        if inside:
            kept += _comments_at_end(lines, number)
        else:
            kept.append(line)
    if inside and kept and not kept[-1].strip():
        kept.pop()
    left = "".join(kept)
    if table_at(left, path) is not None:
        name = ".".join(path)
        raise InvalidQuery(
            f"`{name}` is written in a way that RUM does not edit. Write it as a table [{name}] of its own.",
        )
    return left


def _is_whole(text: str) -> bool:
    """Whether the text ends outside of a string or array, so that a header may come next."""
    try:
        tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _comments_at_end(lines: list[str], number: int) -> list[str]:
    """The line, if it belongs to the comments and blanks right before the next table."""
    rest = lines[number:]
    length = next(
        (n for n, line in enumerate(rest) if line.strip() and not line.lstrip().startswith("#")), None
    )
    if length is None or length == 0 or not _ANY_HEADER.match(rest[length]):
        return []
    return [lines[number]]


def _names(line: str) -> tuple[str, ...]:
    found = _HEADER.match(line.rstrip("\r\n").removeprefix("\ufeff"))
    names: list[str] = []
    rest = found[1].strip() if found else ""
    while rest:
        key = _KEY.match(rest)
        if not key:
            return ()
        word = key[1]
        names.append(json.loads(word) if word[0] == '"' else word.strip("'"))
        rest = rest[key.end() :]
    return tuple(names)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)


def _value(value: object) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{_key(str(name))} = {_value(one)}" for name, one in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return f"{{ {pairs} }}"
    # JSON's strings, numbers, booleans and lists of them are TOML as well, DEL aside.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
