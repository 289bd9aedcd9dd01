"""Results of commands as blocks of text, independent of whether a terminal or a pipe shows them."""

from __future__ import annotations

from typing import NamedTuple


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


Field = tuple[str, str | list[str]]
"""A name with a text or a list of texts."""


class Fields(NamedTuple):
    """One record as a short block: a heading, then fields."""

    heading: Line
    fields: list[Field]


class Tree(NamedTuple):
    """A line with child lines."""

    line: Line
    branches: list[Tree]


Block = TextLine | Table | Fields | Tree
View = list[Block]


def text_view(text: str, kind: str = "") -> View:
    """A view of one line."""
    return [TextLine((TextPart(text, kind),))]


def verdict(success: bool) -> TextPart:
    """`ok` or `FAIL`."""
    return TextPart("ok", "good") if success else TextPart("FAIL", "bad")
