"""Texts that others wrote, set into Markdown so that they stay text: no heading, link or cell of theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rum.text.shorten import shorten

_SIGNS = re.compile(
    r"[\\`*\[\]<>|~$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it emphasises nothing
    r"|&(?=#|\w+;)"
    r"|:(?=//)|(?<=www)\.",  # else an address becomes a link by itself
    re.IGNORECASE,
)
_NO_CODE = re.compile(r"[`\\|]")


def text(said: str, most: int) -> str:
    """A text on one line, cut at a word.

    What stands at the beginning of a line could still begin a list or a heading: put other words before it.
    """
    return _SIGNS.sub(lambda sign: "\\" + sign[0], cut(said, most))


def code(name: str, most: int = 120) -> str:
    """A path or id as code; as text where code has no way to say it."""
    name = cut(name, most)
    return text(name, most) if _NO_CODE.search(name) or not name else f"`{name}`"


def table(head: Sequence[str], numbers: Sequence[int], rows: Sequence[Sequence[str]]) -> str:
    """A table; the columns at `numbers` are set to the right."""
    rule = ["--:" if place in numbers else "---" for place in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def cut(said: str, most: int) -> str:
    """The beginning of a text, on one line."""
    return shorten(" ".join(said.split()), most)
