"""Public names, help, tool descriptions and docs use plain words."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rum.surfaces.cli.commands import root
from rum.surfaces.mcp.catalogue import catalogue

ROOT = Path(__file__).resolve().parents[2]
# Words that are not allowed in public names.
NAMES = frozenset(
    {
        "anew",
        "became",
        "door",
        "handed_in",
        "hangs",
        "heard",
        "holding",
        "kept_words",
        "meant",
        "mend",
        "mended",
        "peek",
        "rooms",
        "sayings",
        "seeing",
        "stances",
        "tended",
        "told",
        "unsaid",
        "whoever",
    }
)
# Words and phrases that are not allowed in texts for users.
PHRASES = (
    "anew",
    "as it is by now",
    "bears out",
    "by itself",
    "by themselves",
    "came of it",
    "door",
    "doors",
    "handed in",
    "hang on",
    "hangs on",
    "heard",
    "how sure",
    "kept as it was",
    "kept words",
    "lies in",
    "mend",
    "mended",
    "mends",
    "of before",
    "peek",
    "put down",
    "renew",
    "renewed",
    "renews",
    "rooms",
    "sayings",
    "seeing",
    "so many",
    "so much",
    "speaks against",
    "speaks for",
    "stances",
    "taken back",
    "tended",
    "told",
    "unsaid",
    "whoever",
)
# The option `--mend` is a name, as those of other commands are.
_PHRASES = re.compile(rf"(?<!--)\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def found_in(text: str) -> list[str]:
    return _PHRASES.findall(" ".join(text.split()))


def public_names() -> Iterator[tuple[str, str]]:
    """The names of modules, classes and functions, each with its file and line."""
    for path in sorted((ROOT / "src/rum").rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        yield where, path.stem
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{where}:{node.lineno}", node.name


def test_no_public_name_is_in_dialect():
    odd = [
        f"{where}: {name}"
        for where, name in public_names()
        if not name.startswith("_")
        and (name.lower() in NAMES or NAMES & {part.lower() for part in _PARTS.findall(name)})
    ]
    assert odd == []


def commands(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    """The help of a command and its subcommands."""
    with click.Context(command, info_name=path) as ctx:
        yield path, command.get_help(ctx)
        if isinstance(command, click.Group):
            for name in command.list_commands(ctx):
                child = command.get_command(ctx, name)
                assert child is not None
                yield from commands(child, f"{path} {name}")


def test_no_help_is_in_dialect():
    helps = dict(commands(root, "rum"))
    assert "rum rules match" in helps
    assert {path: odd for path, text in helps.items() if (odd := found_in(text))} == {}


def test_no_tool_description_is_in_dialect():
    assert found_in(json.dumps(catalogue())) == []


@pytest.mark.parametrize(
    "file",
    [
        path.relative_to(ROOT).as_posix()
        for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "Makefile"])
    ],
)
def test_no_document_is_in_dialect(file: str):
    assert found_in((ROOT / file).read_text("utf-8")) == []
