"""Views in colour for a terminal; the one module that knows rich's tables and trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text
from rich.tree import Tree as RichTree

from rum.surfaces.cli import sanitise
from rum.surfaces.cli.views import Block, Field, Fields, Line, Table, TextLine, TextPart, Tree, View

STYLES = {
    "good": "green",
    "bad": "bold red",
    "id": "cyan",
    "dim": "dim",
    "strong": "bold",
    "link": "magenta",
}
NARROW = ("id", "good", "bad", "dim")
"""Kinds of cell that are never broken over lines."""
ROOM = 100
"""With fewer columns than this, a record is stacked instead of squeezed into a row."""
HEADING = (("good", "bad"), ("strong",), ("id",))
"""Kinds of cell that head a stacked record, in this order; the others are its details."""
INDENT = 2
BETWEEN = " · "


def show(view: View) -> None:
    """Print a view; nothing in its texts is taken for markup."""
    # That it is for a terminal is settled already; NO_COLOR and TERM still say how much colour.
    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False, force_terminal=True)
    for block in view:
        console.print(_block(block, console.width))


def _block(block: Block, width: int) -> RenderableType:
    match block:
        case TextLine(line):
            return _line(line)
        case Table():
            return _stack(block, width) if width < ROOM else _table(block)
        case Fields(heading, fields):
            return _fields(heading, fields)
        case Tree():
            return _tree(block)


def _word(word: TextPart) -> Text:
    return Text(sanitise.line(word.text), style=STYLES.get(word.kind, ""))


def _line(line: Line) -> Text:
    return Text(" ").join(_word(word) for word in line if word.text)


def _table(table: Table) -> RichTable:
    grid = RichTable(box=None, padding=(0, 2, 0, 0), header_style="dim underline")
    for number, name in enumerate(table.columns):
        narrow = all(row[number].kind in NARROW for row in table.rows)
        grid.add_column(name, no_wrap=narrow, overflow="fold", ratio=None if narrow else 1)
    for row in table.rows:
        grid.add_row(*map(_word, row))
    return grid


def _stack(table: Table, width: int) -> RenderableType:
    return Group(*(part for row in table.rows for part in _record(table.columns, row, width)))


def _record(columns: tuple[str, ...], row: Line, width: int) -> Iterator[RenderableType]:
    """A heading, and under it everything else with its column's name."""
    heading = [word for kinds in HEADING for word in row if word.kind in kinds]
    details = [
        _line((TextPart(name, "dim"), word))
        for name, word in zip(columns, row, strict=True)
        if word.text and word not in heading
    ]
    if heading == [row[0]] and row[0].kind == "id":
        # A number says little without its name.
        heading.insert(0, TextPart(columns[0], "dim"))
    yield _line(tuple(heading))
    for line in _packed(details, width - INDENT):
        yield Padding(line, (0, 0, 0, INDENT))


def _packed(pieces: list[Text], width: int) -> list[Text]:
    """As many pieces on a line as fit; only one that is longer than a line is broken."""
    lines: list[Text] = []
    for piece in pieces:
        if lines and lines[-1].cell_len + len(BETWEEN) + piece.cell_len <= width:
            lines[-1] = Text(BETWEEN).join((lines[-1], piece))
        else:
            lines.append(piece)
    return lines


def _fields(heading: Line, fields: list[Field]) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields:
        items = [value] if isinstance(value, str) else [f"• {item}" for item in value]
        grid.add_row(name, Text("\n".join(line for item in items for line in sanitise.lines(item))))
    whole = RichTable.grid()
    whole.add_column(overflow="fold")
    whole.add_row(_line(heading))
    whole.add_row(Padding(grid, (0, 0, 1, INDENT)))
    return whole


def _tree(tree: Tree) -> RichTree:
    rich_tree = RichTree(_line(tree.line), guide_style="dim")
    _grow(rich_tree, tree.branches)
    return rich_tree


def _grow(parent: RichTree, branches: list[Tree]) -> None:
    for branch in branches:
        _grow(parent.add(_line(branch.line)), branch.branches)
