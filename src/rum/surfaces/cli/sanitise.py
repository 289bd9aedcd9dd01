"""Remove escape sequences and control characters from text before it is printed."""

from __future__ import annotations

from rum.text.invisible import without_unseen


def lines(text: str) -> list[str]:
    """The lines of a text without escape sequences and control characters."""
    return [line.replace("\t", "    ") for line in without_unseen(text).split("\n")]


def line(text: str) -> str:
    """A text as one such line."""
    return " ".join(part for part in map(str.strip, lines(text)) if part)
