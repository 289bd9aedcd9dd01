"""What a command has to say, before it is known whether a terminal or a pipe will see it."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """A piece of text and what it is, from which a terminal takes its colour."""

    text: str
    kind: str = ""


Line = tuple[Word, ...]


class Said(NamedTuple):
    """One line."""

    line: Line


class Table(NamedTuple):
    """Records; a pipe gets one line each: those in `lines`, or else the cells with tabs between them."""

    columns: tuple[str, ...]
    rows: list[tuple[Word, ...]]
    lines: list[str] | None = None


Field = tuple[str, str | list[str]]
"""A name with a text or a list of texts."""


class Fields(NamedTuple):
    """One record as a short block: a heading, then fields."""

    heading: Line
    fields: list[Field]


class Tree(NamedTuple):
    """A line and what hangs on it."""

    line: Line
    branches: list[Tree]


Block = Said | Table | Fields | Tree
View = list[Block]


def said(text: str, kind: str = "") -> View:
    """A view of one line."""
    return [Said((Word(text, kind),))]


def verdict(success: bool) -> Word:
    """Whether it worked, in a word of one width."""
    return Word("ok", "good") if success else Word("FAIL", "bad")
