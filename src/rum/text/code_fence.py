"""Markdown code fences: where one opens and closes."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OPENS = re.compile(r" {0,3}(?:(?P<ticks>`{3,})[^`]*|(?P<waves>~{3,}).*)")
_CLOSES = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")


def fenced_lines(lines: list[str]) -> set[int]:
    """The lines that stand in a code fence; one that is never closed is none."""
    found: set[int] = set()
    unclosed: dict[str, int] = {}
    number = 0
    while number < len(lines):
        mark = opening(lines[number])
        if mark and len(mark) < unclosed.get(mark[0], len(mark) + 1):
            end = _closing(lines, number, mark)
            if end is None:
                # Nor is any later one that is as long, so that nobody need look for its end.
                unclosed[mark[0]] = len(mark)
            else:
                found.update(range(number, end + 1))
                number = end
        number += 1
    return found


def lines_outside_code(lines: Iterable[str]) -> Iterator[str]:
    """The lines outside code fences, with an empty line for each line of a fence.

    Unlike in `fenced_lines`, a fence that is never closed goes on to the end, as the text may have been cut
    there; and it may be indented, as in a list.
    """
    mark: str | None = None
    for line in lines:
        if mark is not None:
            mark = None if closes(line.lstrip(), mark) else mark
            yield ""
        else:
            mark = opening(line.lstrip())
            yield line if mark is None else ""


def _closing(lines: list[str], start: int, mark: str) -> int | None:
    for number in range(start + 1, len(lines)):
        if closes(lines[number], mark):
            return number
    return None


def opening(line: str) -> str | None:
    """The marks with which a line opens a code fence."""
    found = _OPENS.fullmatch(line)
    return (found["ticks"] or found["waves"]) if found else None


def closes(line: str, mark: str) -> bool:
    """Whether a line closes a code fence that was opened with these marks."""
    found = _CLOSES.fullmatch(line)
    return found is not None and found[1].startswith(mark)


def open_fence(text: str) -> str | None:
    """The marks that close the code fence in which a text ends, if it ends in one."""
    mark: str | None = None
    for line in text.split("\n"):
        if mark is None:
            mark = opening(line.rstrip("\r"))
        elif closes(line.rstrip("\r"), mark):
            mark = None
    return mark
