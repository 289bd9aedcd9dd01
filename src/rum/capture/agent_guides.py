"""Split instruction files for agents, such as CLAUDE.md and AGENTS.md, by their headings."""

from __future__ import annotations

import re
from typing import NamedTuple

from rum.model.notes import LONGEST_TITLE, MOST_WORDS
from rum.text.sentences import lines_outside_code
from rum.text.shorten import without_invisible

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_OURS = re.compile(r"<!-- (rum[\w-]*): begin.*?<!-- \1: end -->[ \t]*\n?", re.DOTALL)
_MAX_LEVEL = 3  # Headings below this level are part of the section above them


class Section(NamedTuple):
    """A heading and the text under it."""

    title: str
    content: str


def sections_of(text: str, name: str) -> list[Section]:
    """Return the sections of a file that have text; text before the first heading is named after the file.

    What RUM itself wrote into it is left out. A section too long for a note is split between paragraphs.
    """
    found: list[tuple[str, list[str]]] = [(name, [])]
    lines = _OURS.sub("", without_invisible(text)).splitlines()
    for line, plain in zip(lines, lines_outside_code(lines), strict=True):
        heading = _HEADING.match(plain)
        if heading and len(heading[1]) <= _MAX_LEVEL and heading[2].strip():
            found.append((" ".join(heading[2].split())[:LONGEST_TITLE].strip(), []))
        else:
            found[-1][1].append(line)
    return [part for title, lines in found for part in _parts(title, "\n".join(lines).strip())]


def _parts(title: str, content: str) -> list[Section]:
    if not content.strip("-*_ \n"):
        return []
    parts: list[list[str]] = [[]]
    for paragraph in re.split(r"\n\s*\n", content):
        words = paragraph.split()
        if sum(len(one.split()) for one in parts[-1]) + len(words) > MOST_WORDS and parts[-1]:
            parts.append([])
        parts[-1].append(paragraph if len(words) <= MOST_WORDS else " ".join(words[:MOST_WORDS]))
    return [
        Section(f"{title[:190]} ({number})" if number > 1 else title, "\n\n".join(part))
        for number, part in enumerate(parts, 1)
    ]
