"""Takes the words of an agent apart: sentences and items, each with its heading and block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rum.extract.noise import is_mostly_noise, is_noise
from rum.text.code_fence import closes, opening
from rum.text.sentences import split_sentences

LONGEST = 60_000
"""Characters that are looked at: the first and the last half of these."""
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$|\s{0,3}\*\*([^*]{2,60}?):?\*\*:?\s*$")
_LABEL = re.compile(r"\s*([A-Z][\w' /-]{1,40}):\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(.*)")
_ROW = re.compile(r"\s*\|(.*)\|\s*$")
_RULE = re.compile(r"[\s|:-]*$")
_WORD = re.compile(r"\w+")


class Passage(NamedTuple):
    """A sentence, a list item, a table row, or a block of code."""

    text: str
    heading: str = ""
    block: int = 0
    kind: str = "sentence"
    """sentence, item (its first sentence), more (a further one of it), or code"""


def passages(text: str) -> list[Passage]:
    """What an agent said, without what programs said."""
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n\n" + text[-LONGEST // 2 :]
    found: list[Passage] = []
    heading = ""
    for number, lines in enumerate(_blocks(text.splitlines())):
        if mark := opening(lines[0]):
            code = lines[1:-1] if len(lines) > 1 and closes(lines[-1], mark) else lines[1:]
            if code and not is_mostly_noise(code):
                found.append(Passage("\n".join(code), heading, number, "code"))
        elif title := _heading(lines):
            heading = title
        elif not is_mostly_noise(lines):
            kept = [line for line in lines if not is_noise(line)]
            label = _LABEL.match(kept[0]) if len(kept) > 1 and _ITEM.match(kept[1]) else None
            under = label[1] if label else heading
            found += [Passage(said, under, number, kind) for kind, said in _said(kept[1:] if label else kept)]
    return found


def without_repeats(said: Sequence[Passage]) -> list[Passage]:
    """What was said, each once: not what another passage begins with, and goes on from."""
    words = [tuple(_WORD.findall(one.text.lower())) for one in said]
    order = sorted(range(len(said)), key=lambda one: (words[one], -one))
    repeats = {
        one for one, other in pairwise(order) if words[one] and words[other][: len(words[one])] == words[one]
    }
    return [one for place, one in enumerate(said) if place not in repeats or one.kind == "code"]


def _heading(lines: list[str]) -> str:
    """The words of a line that stands alone above others."""
    match = (_HEADING.match(lines[0]) or _LABEL.match(lines[0])) if len(lines) == 1 else None
    return next((words for words in match.groups() if words), "") if match else ""


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Lines that belong together: those between blank ones, a fence with what is in it, a heading alone."""
    block: list[str] = []
    fence = ""
    for line in lines:
        mark = opening(line)
        if fence:
            block.append(line)
            if closes(line, fence):
                yield block
                block, fence = [], ""
        elif mark or _HEADING.match(line) or not line.strip():
            if block:
                yield block
            block = []
            if mark:
                block, fence = [line], mark
            elif line.strip():
                yield [line]
        else:
            block.append(line)
    if block:
        yield block


def _said(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The items and sentences of a block."""
    prose: list[str] = []
    item: list[str] = []
    for line in [*lines, "- "]:
        match, row = _ITEM.match(line), _ROW.match(line)
        if not (match or row or item):
            prose.append(line.strip())
            continue
        if (match or row) and item:
            first, *more = split_sentences(" ".join(item)) or [""]
            yield from (("item", first), *(("more", one) for one in more))
        if prose:
            yield from (("sentence", one) for one in split_sentences(" ".join(prose)))
            prose = []
        if row:
            item = [] if _RULE.match(line) else [" | ".join(cell.strip() for cell in row[1].split("|"))]
        elif match:
            item = [match[2].strip()]
        else:
            item.append(line.strip())
