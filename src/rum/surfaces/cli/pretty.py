"""Views in colour and progress bars for a terminal; the only module that loads rich."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table as RichTable
from rich.text import Text
from rich.tree import Tree as RichTree

from rum.surfaces.cli.views import (
    Block,
    Field,
    Fields,
    Line,
    Table,
    TextLine,
    TextPart,
    Tree,
    View,
    rate,
    safe_line,
    safe_lines,
)

STYLES = {"good": "green", "bad": "bold red", "id": "cyan", "dim": "dim", "strong": "bold", "link": "magenta"}
NARROW = ("id", "good", "bad", "dim")  # Kinds of cells that are never wrapped
MIN_WIDTH = 100  # Terminal columns below which a record is shown as a block instead of a table row
# Kinds of cells in the heading of such a block, in this order; the others follow as details.
HEADING = (("good", "bad"), ("strong",), ("id",))
INDENT = 2
SEPARATOR = " · "


def print_view(view: View) -> None:
    """Print a view; its texts are never interpreted as markup."""
    # The caller has decided that this is for a terminal; rich still obeys NO_COLOR and TERM.
    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False, force_terminal=True)
    for block in view:
        console.print(_block(block, console.width))


def _block(block: Block, width: int) -> RenderableType:
    match block:
        case TextLine(line):
            return _line(line)
        case Table():
            if width >= MIN_WIDTH:
                return _table(block)
            return Group(*(part for row in block.rows for part in _record(block.columns, row, width)))
        case Fields(heading, fields):
            return _fields(heading, fields)
        case Tree():
            return _tree(block)


def _part(part: TextPart) -> Text:
    return Text(safe_line(part.text), style=STYLES.get(part.kind, ""))


def _line(line: Line) -> Text:
    return Text(" ").join(_part(part) for part in line if part.text)


def _table(table: Table) -> RichTable:
    grid = RichTable(box=None, padding=(0, 2, 0, 0), header_style="dim underline")
    for number, name in enumerate(table.columns):
        narrow = all(row[number].kind in NARROW for row in table.rows)
        grid.add_column(name, no_wrap=narrow, overflow="fold", ratio=None if narrow else 1)
    for row in table.rows:
        grid.add_row(*map(_part, row))
    return grid


def _record(columns: tuple[str, ...], row: Line, width: int) -> Iterator[RenderableType]:
    """Yield a heading, then all other cells, each with the name of its column."""
    heading = [cell for kinds in HEADING for cell in row if cell.kind in kinds]
    details = [
        _line((TextPart(name, "dim"), cell))
        for name, cell in zip(columns, row, strict=True)
        if cell.text and cell not in heading
    ]
    if heading == [row[0]] and row[0].kind == "id":
        # An id alone says little without the name of its column.
        heading.insert(0, TextPart(columns[0], "dim"))
    yield _line(tuple(heading))
    for line in _fill_lines(details, width - INDENT):
        yield Padding(line, (0, 0, 0, INDENT))


def _fill_lines(pieces: list[Text], width: int) -> list[Text]:
    """Join as many pieces per line as fit; only a piece longer than a line is wrapped."""
    lines: list[Text] = []
    for piece in pieces:
        if lines and lines[-1].cell_len + len(SEPARATOR) + piece.cell_len <= width:
            lines[-1] = Text(SEPARATOR).join((lines[-1], piece))
        else:
            lines.append(piece)
    return lines


def _fields(heading: Line, fields: list[Field]) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields:
        items = [value] if isinstance(value, str) else [f"• {item}" for item in value]
        grid.add_row(name, Text("\n".join(line for item in items for line in safe_lines(item))))
    whole = RichTable.grid()
    whole.add_column(overflow="fold")
    whole.add_row(_line(heading))
    whole.add_row(Padding(grid, (0, 0, 1, INDENT)))
    return whole


def _tree(tree: Tree, parent: RichTree | None = None) -> RichTree:
    line = _line(tree.line)
    node = parent.add(line) if parent else RichTree(line, guide_style="dim")
    for branch in tree.branches:
        _tree(branch, node)
    return node


class _Rate(ProgressColumn):
    """The recent rate per second, once it is known."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{rate(speed)}/s" if speed else "", style="progress.data.speed")


@contextmanager
def progress_bar(title: str, total: int | None) -> Generator[Callable[..., None]]:
    """Draw a bar on stderr while the work runs: amount done, elapsed time, rate and remaining time."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        _Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task(title, total=total)

        def report_progress(done: int, total: int | None = None) -> None:
            display.update(task, completed=done, total=total or None)

        yield report_progress
