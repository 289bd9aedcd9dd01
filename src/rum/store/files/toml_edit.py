"""Add, change or remove a table or a value in TOML text, without changing any other character."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from rum.model.errors import InvalidQuery
from rum.settings.config_file import LIMIT
from rum.store.files.atomic_write import locked, read, replace

_HEADER = re.compile(r"[ \t]*\[([^\[\]\n]+)\][ \t]*(?:#.*)?$")
# Strings and comments, in which brackets and line ends have no meaning, and runs of other characters.
_TOKEN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|'{3}.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|[^"'\#\[\]{}\n]+''',
    re.DOTALL,
)
_KEY = re.compile(r"""[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*(?:\.|$)""")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ASSIGNMENT = re.compile(r"""((?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^"'=\#\n])+)=[ \t]*""")


def parse(text: str) -> dict[str, Any]:
    """Parse TOML; InvalidQuery if it is invalid."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidQuery(f"{error}.") from None


def table_at(text: str, path: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the table at a path, or None."""
    found: dict[str, Any] = parse(text)
    for name in path:
        inner = found.get(name)
        if not isinstance(inner, dict):
            return None
        found = cast("dict[str, Any]", inner)
    return found


def add_table(text: str, path: tuple[str, ...], table: dict[str, Any]) -> str:
    """Append a table to a text that does not have it."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(name)} = {_value(table[name])}" for name in table)]
    gap = "" if not text.strip("\ufeff \t\r\n") else newline if text.endswith("\n") else newline * 2
    return text + gap + newline.join(lines) + newline


def remove_table(text: str, path: tuple[str, ...]) -> str:
    """Remove a table and the tables in it; comments after it stay."""
    parse(text)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    kept: list[str] = []
    pending: list[str] = []  # blank lines and comments in the table; the last ones may belong to the next
    inside = False
    for piece in _pieces(text.removeprefix("\ufeff")):
        if piece.lstrip(" \t").startswith("["):
            was_inside, inside = inside, _names(piece)[: len(path)] == path
            if inside and not was_inside:
                # The blank line before the removed table goes too.
                kept = kept[:-1] if kept and not kept[-1].strip() else kept
            kept += [] if inside else pending
            pending = []
        if not inside:
            kept.append(piece)
        elif not piece.strip() or piece.lstrip().startswith("#"):
            pending.append(piece)
        else:
            pending = []
    result = mark + "".join(kept + pending)
    if table_at(result, path) is not None:
        name = ".".join(path)
        raise InvalidQuery(
            f"`{name}` is written in a way that RUM does not edit. Write it as a table [{name}] of its own."
        )
    return result


def set_value(text: str, path: tuple[str, ...], value: object) -> str:
    """Set the value at a path, or with None remove it.

    Comments stay, except inside a value that is replaced and behind one that is removed.
    """
    if value is None and path[-1] not in (table_at(text, path[:-1]) or {}):
        return text
    pieces, at, last = _find_value(text, path)
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"{_key(path[-1])} = {_value(value)}{newline}" if value is not None else ""
    if at is not None:
        pieces[at] = _replace_value(pieces[at], value) if line else ""
    elif last is not None:
        pieces[last] += ("" if pieces[last].endswith("\n") else newline) + line
    elif len(path) > 1:
        return _checked(text, add_table(text, path[:-1], {path[-1]: value}), path, value)
    elif any(piece.lstrip(" \t").startswith("[") for piece in pieces):
        pieces.insert(0, line + newline)
    else:
        pieces.append(line if not pieces or pieces[-1].endswith("\n") else newline + line)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return _checked(text, mark + "".join(pieces), path, value)


def _find_value(text: str, path: tuple[str, ...]) -> tuple[list[str], int | None, int | None]:
    """The pieces of a text, the number of the one that sets `path`, and of the last one in its table."""
    pieces = list(_pieces(text.removeprefix("\ufeff")))
    table: tuple[str, ...] | None = ()
    found: int | None = None
    last: int | None = None
    for number, piece in enumerate(pieces):
        start = piece.lstrip(" \t")
        if start.startswith("["):
            table = _names(piece) or None  # None: an array of tables, or something else that is not edited
        elif not start.strip() or start.startswith("#") or table is None:
            continue
        elif (assigned := _ASSIGNMENT.match(piece)) and (*table, *_split_key(assigned[1])) == path:
            found = number
        if table == path[:-1]:
            last = number
    return pieces, found, last


def _replace_value(piece: str, value: object) -> str:
    start = _ASSIGNMENT.match(piece)
    begin = at = start.end() if start else 0
    end = comment = len(piece.rstrip("\r\n"))
    while at < end:
        token = _TOKEN.match(piece, at)
        if token and token[0].startswith("#") and token.end() >= end:
            comment = len(piece[:at].rstrip(" \t"))
        at = token.end() if token else at + 1
    return piece[:begin] + _value(value) + piece[comment:]


def _checked(before: str, after: str, path: tuple[str, ...], value: object) -> str:
    """The edited text, if exactly this value changed: there are ways to write one that are not edited."""
    expected = parse(before)
    inner: dict[str, Any] = expected
    with suppress(InvalidQuery, AttributeError, TypeError):
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        inner[path[-1]] = value
        if _without_empty(parse(after)) == _without_empty(expected):
            return after
    raise InvalidQuery(f"`{'.'.join(path)}` is written in a way that RUM does not edit. Change it by hand.")


def _without_empty(value: object) -> object:
    """Tables without what is empty or None, since the table of a removed value may stay or go."""
    if not isinstance(value, dict):
        return value
    inner = {name: _without_empty(one) for name, one in cast("dict[str, object]", value).items()}
    return {name: one for name, one in inner.items() if one is not None and one != {}}


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines of a TOML text; a value of several lines is one piece with its key."""
    start = at = depth = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        at = found.end() if found else at + 1
        symbol = text[at - 1] if found is None else found[0]
        if symbol in "[{":
            depth += 1
        elif symbol in "]}":
            depth -= 1
        elif symbol == "\n" and depth <= 0:
            yield text[start:at]
            start = at
    if start < len(text):
        yield text[start:]


def _names(line: str) -> tuple[str, ...]:
    found = _HEADER.match(line.rstrip("\r\n").removeprefix("\ufeff"))
    return _split_key(found[1]) if found else ()


def _split_key(text: str) -> tuple[str, ...]:
    """The names of a dotted key; () if it is written unusually."""
    names: list[str] = []
    rest = text.strip()
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
        pairs = (f"{_key(name)} = {_value(one)}" for name, one in cast("dict[str, object]", value).items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, cast('list[object]', value)))}]"
    if not isinstance(value, str | int | float):
        raise InvalidQuery(f"{value} is not a value that RUM writes. Remove it from RUM's table.")
    # JSON's strings, numbers and booleans are also valid in TOML, except for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def edit_file(file: str, path: tuple[str, ...], value: object, *, new_mode: int = 0o666) -> None:
    """Set a value in a TOML file, or with None remove it; InvalidQuery if that cannot be done safely."""
    with locked(file):
        raw = read(file, LIMIT)
        try:
            before = (raw or b"").decode()
            after = set_value(before, path, value).encode()
        except UnicodeError:
            raise InvalidQuery(f"{file} or the value is not UTF-8. Nothing was changed.") from None
        except InvalidQuery as error:
            raise InvalidQuery(f"{file}: {error.message} Nothing was changed.", file=file) from None
        if after != before.encode():
            replace(file, after, new_mode=new_mode)
