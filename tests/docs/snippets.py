"""Find the fenced snippets of a Markdown document."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

RUN = {"console", "bash", "python"}
PARSED = {"json", "toml"}
SHOWN = {"text", "mermaid", "sql", "yaml", "markdown", "diff"}

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,}) *(?P<language>[\w+-]*)")
NOT_RUN = re.compile(r"^ *<!-- not run: \S.* -->$")


class BadDocumentError(Exception):
    """An invalid snippet, or a `not run` comment that is not directly above one."""


@dataclass(frozen=True)
class Snippet:
    """One fenced block: its language, its text and the line it starts at."""

    language: str
    text: str
    line: int
    runs: bool


def fences(lines: list[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """The first and last line of each fenced block, and the match of its opening line."""
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if opening:
            end = _closing(lines, number, opening["ticks"])
            yield number, end, opening
            number = end
        number += 1


def _closing(lines: list[str], start: int, ticks: str) -> int:
    for number in range(start + 1, len(lines)):
        closing = lines[number].strip()
        if closing.startswith(ticks) and not closing.strip(ticks[0]):
            return number
    raise BadDocumentError(f"line {start + 1}: this fence is never closed")


def snippets(markdown: str) -> list[Snippet]:
    """Every fenced block of a document, in order."""
    lines = markdown.splitlines()
    excuses = {number for number, line in enumerate(lines) if NOT_RUN.match(line)}
    found: list[Snippet] = []
    for start, end, opening in fences(lines):
        inside = [_unindented(line, len(opening["indent"])) for line in lines[start + 1 : end]]
        runs = start - 1 not in excuses
        excuses -= set(range(start - 1, end))
        found.append(_snippet(opening["language"], "\n".join(inside), start + 1, runs=runs))
    if excuses:
        raise BadDocumentError(
            f"line {min(excuses) + 1}: this `not run` comment is not directly above a snippet"
        )
    return found


def _unindented(line: str, width: int) -> str:
    return line[width:] if not line[:width].strip() else line


def _snippet(language: str, text: str, line: int, *, runs: bool) -> Snippet:
    # A mistyped or missing language would silently take a snippet out of the tests.
    if language not in RUN | PARSED | SHOWN:
        known = ", ".join(sorted(RUN | PARSED | SHOWN))
        raise BadDocumentError(f"line {line}: fence language {language!r} is none of: {known}")
    return Snippet(language, text, line, runs)


def parse(snippet: Snippet) -> None:
    """Raise if a JSON or TOML snippet is not valid."""
    if snippet.language == "json":
        json.loads(snippet.text)
    elif snippet.language == "toml":
        tomllib.loads(snippet.text)
