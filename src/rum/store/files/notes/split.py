"""Where the entries of a note begin and end, found by its lines without parsing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rum.text.sentences import fenced_lines

RULE = "---"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_KEY = re.compile(r"""["']?[A-Za-z_][\w -]*["']?[ \t]*:(?:[ \t]|$)""")
_OURS = re.compile(r"""["']?(?:title|whenToUse)["']?[ \t]*:(?:[ \t]|$)""")
_LONGEST_FRONTMATTER = 1000
"""Maximum lines of frontmatter."""


class Section(NamedTuple):
    """The positions of one entry: its separator, its frontmatter (if it has one) and its body."""

    separator: int
    start: int
    frontmatter: tuple[int, int] | None
    body: int
    end: int
    line: int
    """The line of the frontmatter's first field, from 1; of the entry if it has no frontmatter."""


class _Block(NamedTuple):
    """The lines of frontmatter: its first `---`, its last one, and where its separator begins."""

    separator: int
    first: int
    last: int


class _Lines:
    """The lines of a text without their ends, and where each begins."""

    def __init__(self, text: str) -> None:
        found = list(_LINE.finditer(text))
        self.starts = [match.start() for match in found] + [len(text)]
        self.texts = [match[0].rstrip("\r\n") for match in found]
        self.rules = [number for number, line in enumerate(self.texts) if line.rstrip() == RULE]
        self.first = next((number for number, line in enumerate(self.texts) if line.strip()), -1)

    def blank(self, first: int, end: int) -> bool:
        return not any(line.strip() for line in self.texts[first:end])


def sections(text: str, is_mapping: Callable[[str], bool]) -> list[Section]:
    """The entries of a note.

    Frontmatter stands between two rules, and names a title or when to use it. It follows a rule of its own,
    the separator; where that was lost it must also be valid, as `is_mapping` says, or else the rules around
    it are plain ones. A rule in a code fence is none. Text before the first frontmatter is an entry too.
    """
    lines = _Lines(text)
    blocks = list(_blocks(text, lines, is_mapping))
    found: list[Section] = []
    first = lines.starts[blocks[0].separator] if blocks else len(text)
    if not blocks or text[:first].strip():
        found.append(Section(0, 0, None, 0, first, 1))
    ends = [lines.starts[block.separator] for block in blocks[1:]] + [len(text)]
    for block, end in zip(blocks, ends, strict=False):
        inner = lines.starts[block.first + 1], lines.starts[block.last]
        start, body = lines.starts[block.first], lines.starts[block.last + 1]
        found.append(Section(lines.starts[block.separator], start, inner, body, end, block.first + 2))
    return found


def _blocks(text: str, lines: _Lines, is_mapping: Callable[[str], bool]) -> Iterator[_Block]:
    fenced, after = fenced_lines(lines.texts), 0
    rules = [number for number in lines.rules if number not in fenced]
    for before, rule, closing in zip([-1, *rules], rules, rules[1:], strict=False):
        if rule < after:
            continue
        at_top = rule == lines.first
        separated = before >= after and lines.blank(before + 1, rule)
        if not _is_frontmatter(lines.texts[rule + 1 : closing], at_top=at_top):
            continue
        if at_top or separated or is_mapping(text[lines.starts[rule + 1] : lines.starts[closing]]):
            yield _Block(before if separated else rule, rule, closing)
            after = closing + 1


def _is_frontmatter(inner: list[str], *, at_top: bool) -> bool:
    """Whether lines between two `---` are frontmatter."""
    said = [line for line in inner if line.strip() and not line.startswith("#")]
    if not said or len(inner) > _LONGEST_FRONTMATTER or not _KEY.match(said[0]):
        return False
    return at_top or any(_OURS.match(line) for line in said)


def unclosed_frontmatter(text: str) -> bool:
    """Whether a text begins with frontmatter that has no end."""
    said = [line for line in text.split("\n", _LONGEST_FRONTMATTER) if line.strip()]
    return len(said) > 1 and said[0].rstrip() == RULE and _KEY.match(said[1]) is not None
