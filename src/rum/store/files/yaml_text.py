"""Write plain values as readable YAML: texts of several lines as blocks, other texts in quotes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import cast

from rum.model.errors import InvalidQuery

STEP = 2
_DEEPEST = 24
_LONGEST_KEY = 128  # A parser looks no further than 1024 characters for the colon of a key, escapes included
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WORD = re.compile(r"(?i)true|false|null|y|n|yes|no|on|off")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_BLANKS = re.compile(r"^[ \t]+$", re.MULTILINE)


def fields(values: Mapping[str, object], indent: int, *, blocks: bool = True) -> str:
    """A map as lines with this indentation; without the last line end.

    Without `blocks`, texts of several lines are quoted too: what follows cannot become part of them.
    """
    pad = " " * indent
    return "\n".join(f"{pad}{key(name)}:{value(one, indent, blocks=blocks)}" for name, one in values.items())


def item(values: Mapping[str, object], indent: int, *, blocks: bool = True) -> str:
    """A map as an item of a list whose dashes stand at this column."""
    return " " * indent + "- " + fields(values, indent + STEP, blocks=blocks)[indent + STEP :]


def value(given: object, indent: int, depth: int = 0, *, blocks: bool = True) -> str:
    """A value after a colon or dash at this column: on its line, or indented below it."""
    if depth > _DEEPEST:
        raise InvalidQuery(f"This is nested more than {_DEEPEST} levels deep.")
    inner = " " * (indent + STEP)
    if isinstance(given, Mapping) and given:
        parts = [(key(name), one) for name, one in cast("Mapping[str, object]", given).items()]
        lines = [f"{name}:{value(one, indent + STEP, depth + 1, blocks=blocks)}" for name, one in parts]
        return "".join(f"\n{inner}{line}" for line in lines)
    if isinstance(given, list | tuple) and given:
        found = [
            value(one, indent + STEP, depth + 1, blocks=blocks) for one in cast("Sequence[object]", given)
        ]
        return "".join(f"\n{inner}-{_after_dash(one)}" for one in found)
    if blocks and isinstance(given, str) and "\n" in given and _is_block(given):
        chomp = "" if given.endswith("\n") else "-"
        lines = given.removesuffix("\n").split("\n")
        return f" |{chomp}" + "".join(f"\n{inner}{line}" if line else "\n" for line in lines)
    return " " + flow(cast("object", given))


def _after_dash(text: str) -> str:
    """A map or list begins on the line of its dash."""
    return " " + text.lstrip("\n ") if text.startswith("\n") else text


def flow(given: object) -> str:
    """A value on one line, as JSON writes it."""
    if isinstance(given, float) and not math.isfinite(given):
        raise InvalidQuery(f"{given} is not a number that can be stored.")
    try:
        text = json.dumps(given, ensure_ascii=False)
    except (TypeError, RecursionError):
        raise InvalidQuery(f"Only JSON values can be stored, not {type(given).__name__}.") from None
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def key(name: str) -> str:
    """A key, in quotes where it has to be."""
    if len(name) > _LONGEST_KEY:
        raise InvalidQuery(f"A field's name has at most {_LONGEST_KEY} characters: {name[:40]}…")
    return name if _PLAIN_KEY.fullmatch(name) and not _WORD.fullmatch(name) else flow(name)


def _is_block(text: str) -> bool:
    """Whether a text reads back unchanged as a block."""
    odd = _UNSAFE.search(text) or _BLANKS.search(text) or text[0] in " \t\n" or text.endswith("\n\n")
    return not odd
