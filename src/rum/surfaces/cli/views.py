"""Results of commands as blocks of text, and how a pipe gets them; `pretty` shows them on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from rum.model.code import CodeState
from rum.model.layers import ShownRule
from rum.model.notes import Broken
from rum.text.shorten import without_invisible


class TextPart(NamedTuple):
    """A piece of text; its kind decides the colour on a terminal."""

    text: str
    kind: str = ""


Line = tuple[TextPart, ...]


class TextLine(NamedTuple):
    """One line."""

    line: Line


class Table(NamedTuple):
    """Records; a pipe gets one line each: those in `lines`, or else the cells with tabs between them."""

    columns: tuple[str, ...]
    rows: list[tuple[TextPart, ...]]
    lines: list[str] | None = None


Field = tuple[str, str | list[str]]  # A name with a text or a list of texts


class Fields(NamedTuple):
    """One record as a short block: a heading, then fields."""

    heading: Line
    fields: list[Field]


class Tree(NamedTuple):
    """A line with child lines."""

    line: Line
    branches: list[Tree]


STEP = "  "  # The indent of a level in plain text

Block = TextLine | Table | Fields | Tree
View = list[Block]


def table(
    columns: dict[str, str], rows: Iterable[Iterable[str | TextPart]], lines: list[str] | None = None
) -> View:
    """A table from columns, by name with the kind of their cells, and a row of texts for each record."""
    cells = [
        tuple(
            TextPart(cell, kind) if isinstance(cell, str) else cell
            for cell, kind in zip(row, columns.values(), strict=True)
        )
        for row in rows
    ]
    return [Table(tuple(columns), cells, lines)] if cells else []


def heading(title: str, group_id: str) -> Line:
    """A title with the id after it."""
    return TextPart(title, "strong"), TextPart(f"[{group_id}]", "id")


def filled(fields: Iterable[Field]) -> list[Field]:
    """The fields that are not empty."""
    return [field for field in fields if field[1]]


def code_field(shown: CodeState | ShownRule) -> list[Field]:
    """What became of the code that something names, as a field; none if that is not known."""
    at = f" ({shown.code_at})" if shown.code_at else ""
    return [("code", f"{shown.freshness}{at}")] if shown.freshness else []


def text_view(text: str, kind: str = "") -> View:
    """A view of one line."""
    return [TextLine((TextPart(text, kind),))]


def skipped_notes(broken: Iterable[Broken]) -> list[str]:
    """Notes on the files that could not be read."""
    return [
        f"Skipped: {one.problem if one.file in one.problem else f'{one.file}: {one.problem}'}"
        for one in broken
    ]


def verdict(success: bool) -> TextPart:
    """`ok` or `FAIL`."""
    return TextPart("ok", "good") if success else TextPart("FAIL", "bad")


def safe_lines(text: str) -> list[str]:
    """The lines of a text without escape sequences and control characters."""
    return [line.replace("\t", "    ") for line in without_invisible(text).split("\n")]


def safe_line(text: str) -> str:
    """A text as one line without escape sequences and control characters."""
    return " ".join(part for part in map(str.strip, safe_lines(text)) if part)


def render_lines(view: View) -> Iterator[str]:
    """Yield a view as plain text: no colour, no frames; an empty line after a block of fields."""
    for block, following in pairwise([*view, None]):
        if block is not None:
            yield from _block(block)
        if isinstance(block, Fields) and following is not None:
            yield ""


def _block(block: Block) -> Iterator[str]:
    match block:
        case TextLine(line):
            yield _flat(line)
        case Table(_, rows, lines):
            tabbed = ("\t".join(safe_line(cell.text) for cell in row) for row in rows)
            yield from tabbed if lines is None else map(safe_line, lines)
        case Fields(heading, fields):
            yield _flat(heading)
            for name, value in fields:
                yield from _field(name, value)
        case Tree():
            yield from _tree(block, "")


def _flat(line: Line) -> str:
    return " ".join(text for word in line if (text := safe_line(word.text)))


def _field(name: str, value: str | list[str]) -> Iterator[str]:
    if isinstance(value, str):
        first, *rest = safe_lines(value)
        yield f"{name}: {first}".rstrip()
        # Indented, so that no line of a text can be taken for a field.
        yield from (f"{STEP * 2}{line}".rstrip() for line in rest)
    else:
        yield f"{name}:"
        yield from (f"{STEP}- {safe_line(item)}" for item in value)


def _tree(tree: Tree, indent: str) -> Iterator[str]:
    yield indent + _flat(tree.line)
    for branch in tree.branches:
        yield from _tree(branch, indent + STEP)


def rate(per_second: float) -> str:
    """Format a rate with at least two significant digits."""
    return f"{per_second:.0f}" if per_second >= 10 else f"{per_second:.2g}"


def format_size(size: float) -> str:
    """Format a number of bytes with three significant digits."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Format a number with its noun: `1 memory`, `2 memories`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
