"""Foreign text escaped for Markdown, so that it makes no heading, link or table cell; and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rum.text.shorten import shorten

_SIGNS = re.compile(
    r"[\\`*\[\]<>|~$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it does not emphasise
    r"|&(?=#|\w+;)"
    r"|:(?=//)|(?<=www)\.",  # or an address becomes a link
    re.IGNORECASE,
)
_NO_CODE = re.compile(r"[`\\|]")


def text(content: str, most: int) -> str:
    """A text on one line, escaped and cut at a word.

    At the beginning of a line it could still begin a list or a heading: put other words before it.
    """
    return _SIGNS.sub(lambda sign: "\\" + sign[0], cut(content, most))


def code(name: str, most: int = 120) -> str:
    """A path or id as code; as text where it holds characters that code cannot hold."""
    name = cut(name, most)
    return text(name, most) if _NO_CODE.search(name) or not name else f"`{name}`"


def table(head: Sequence[str], numbers: Sequence[int], rows: Sequence[Sequence[str]]) -> str:
    """A table; the columns at the places `numbers` are aligned to the right."""
    rule = ["--:" if place in numbers else "---" for place in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def cut(content: str, most: int) -> str:
    """The beginning of a text on one line, cut at a word."""
    return shorten(" ".join(content.split()), most)
