"""Views in colour for a terminal; the one module that knows rich's tables and trees."""

from __future__ import annotations

import sys

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text
from rich.tree import Tree as RichTree

from rum.surfaces.cli import defuse
from rum.surfaces.cli.views import Block, Field, Fields, Line, Said, Table, Tree, View, Word

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


def show(view: View) -> None:
    """Print a view; nothing in its texts is taken for markup."""
    # That it is for a terminal is settled already; NO_COLOR and TERM still say how much colour.
    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False, force_terminal=True)
    for block in view:
        console.print(_block(block))


def _block(block: Block) -> RenderableType:
    match block:
        case Said(line):
            return _line(line)
        case Table():
            return _table(block)
        case Fields(heading, fields):
            return _fields(heading, fields)
        case Tree():
            return _tree(block)


def _word(word: Word) -> Text:
    return Text(defuse.line(word.text), style=STYLES.get(word.kind, ""))


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


def _fields(heading: Line, fields: list[Field]) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields:
        items = [value] if isinstance(value, str) else [f"• {item}" for item in value]
        grid.add_row(name, Text("\n".join(line for item in items for line in defuse.lines(item))))
    whole = RichTable.grid()
    whole.add_row(_line(heading))
    whole.add_row(Padding(grid, (0, 0, 1, 2)))
    return whole


def _tree(tree: Tree) -> RichTree:
    rich_tree = RichTree(_line(tree.line), guide_style="dim")
    _grow(rich_tree, tree.branches)
    return rich_tree


def _grow(parent: RichTree, branches: list[Tree]) -> None:
    for branch in branches:
        _grow(parent.add(_line(branch.line)), branch.branches)
