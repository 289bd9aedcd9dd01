"""Shorten text: on one line, or to a number of characters, cut at a word."""

from __future__ import annotations

from rum.text.invisible import without_unseen

ELLIPSIS = "…"


def shorten(text: str, most: int, mark: str = ELLIPSIS) -> str:
    """A text of at most `most` characters; a longer one is cut at a word and ends with `mark`.

    The second half is searched for the end of a word: a text without blanks, as in Chinese or an address, is
    cut where it is full.
    """
    if len(text) <= most:
        return text
    room = max(0, most - len(mark))
    end = max(text.rfind(blank, most // 2, room + 1) for blank in (" ", "\n"))
    return text[: end if end > 0 else room].rstrip(" \n,.;:") + mark


def shorten_start(text: str, most: int) -> str:
    """The end of a text, in at most `most` characters: of a program's output it says most."""
    return text if len(text) <= most else ELLIPSIS + text[1 - most :]


def one_line(text: str, most: int | None = None) -> str:
    """A text on one line without invisible characters, shortened to at most `most` characters."""
    line = " ".join(without_unseen(text).split())
    return line if most is None else shorten(line, most)
