"""Views as plain text for pipes: a record a line or short blocks, no colour, no frames, always the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from rum.surfaces.cli import sanitise
from rum.surfaces.cli.views import Block, Fields, Line, Table, TextLine, Tree, View

STEP = "  "


def render_lines(view: View) -> Iterator[str]:
    """The lines of a view; a blank one parts a block of fields from what follows."""
    for block, following in pairwise([*view, None]):
        if block is not None:
            yield from _block(block)
        if isinstance(block, Fields) and following is not None:
            yield ""


def _block(block: Block) -> Iterator[str]:
    match block:
        case TextLine(line):
            yield flat(line)
        case Table(_, rows, lines):
            tabbed = ("\t".join(sanitise.line(cell.text) for cell in row) for row in rows)
            yield from tabbed if lines is None else map(sanitise.line, lines)
        case Fields(heading, fields):
            yield flat(heading)
            for name, value in fields:
                yield from _field(name, value)
        case Tree():
            yield from _tree(block, "")


def flat(line: Line) -> str:
    """The words of a line with a blank between them."""
    return " ".join(text for word in line if (text := sanitise.line(word.text)))


def _field(name: str, value: str | list[str]) -> Iterator[str]:
    if isinstance(value, str):
        first, *rest = sanitise.lines(value)
        yield f"{name}: {first}".rstrip()
        # Set in, so that nothing in a text can pass for a field.
        yield from (f"{STEP * 2}{line}".rstrip() for line in rest)
    else:
        yield f"{name}:"
        yield from (f"{STEP}- {sanitise.line(item)}" for item in value)


def _tree(tree: Tree, indent: str) -> Iterator[str]:
    yield indent + flat(tree.line)
    for branch in tree.branches:
        yield from _tree(branch, indent + STEP)
