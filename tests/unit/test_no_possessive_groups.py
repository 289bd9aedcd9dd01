"""No pattern repeats a group possessively: up to Python 3.11.4, `(?:ab?c)*+` matches too much."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import rum

PACKAGE = Path(rum.__file__).parent
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9]*,?[0-9]*\})\+")


def patterns(source: str, names: dict[str, object]) -> Iterator[str]:
    """Every string of a module that may be a pattern, with the constants that are put into it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (
                part.value for part in node.values if isinstance(part, ast.Constant | ast.FormattedValue)
            )
            yield "".join(
                str(names.get(part.id, "") if isinstance(part, ast.Name) else part) for part in parts
            )


def possessive_groups(source: str, names: dict[str, object]) -> list[str]:
    return [text for text in patterns(source, names) if POSSESSIVE_GROUP.search(text)]


def test_no_pattern_repeats_a_group_possessively():
    files = [path for path in PACKAGE.rglob("*.py") if re.search(r"[*+?}]\+", path.read_text("utf-8"))]
    assert len(files) > 10
    found: dict[str, list[str]] = {}
    for path in files:
        module = ".".join(("rum", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        if held := possessive_groups(path.read_text("utf-8"), vars(importlib.import_module(module))):
            found[module] = held
    assert not found


def test_possessive_groups_are_recognised():
    assert possessive_groups(r'A = r"(?:ab?c)*+"', {})
    assert possessive_groups('A = rf"(?:a{X}){{1,3}}+"', {})
    assert possessive_groups('A = rf"{GROUP}++"', {"GROUP": "(?:ab?c)"})
    assert not possessive_groups(r'A = r"[ab]*+\)++(?>(?:ab?c)*)"', {})
