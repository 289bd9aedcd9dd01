"""Split an agent's output into passages: sentences and list items, each with its heading and block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rum.text.sentences import closes_fence, fence_marker, split_sentences

_MAX_LINE = 300  # Characters of a line that are compared with the patterns
_NOISE_PATTERNS = (
    # typed into a shell, or into an interpreter
    r"[$%❯] \S",
    r">>> ",
    # a log: its time or its level first
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d",
    r"\[?\d\d:\d\d:\d\d",
    r"\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|NOTICE)\b[\]: ]",
    # package managers and builds
    r"(?:npm|yarn|pnpm) (?:WARN|ERR!|warn|error|notice|info)\b",
    r"added \d+ packages|found \d+ vulnerabilit|\d+ packages are looking|run `npm (?:fund|audit)",
    r"(?:Collecting|Downloading|Installing|Unpacking|Selecting|Resolving|Fetched|Using cached) \S+",
    r"(?:Building|Compiling|Linking|Running|Starting|Loading|Checking|Copying|Writing|Reading) [^a-z]",
    r"(?:building|loading|reading|writing|copying|checking) [\[\w ]{1,30}(?:\]:|\.\.\.)",
    r"=> |\[\+\] |\[\d+/\d+\] |Step \d+/\d+|Get:\d+|Hit:\d+|(?:build|compilation) (?:succeeded|failed)\b",
    # tests
    r"(?:PASS|FAIL|PASSED|FAILED|ok|not ok|--- PASS|--- FAIL)(?:[:\s]|$)",
    r"(?:Test Suites|Tests|Snapshots|Test Files|Time|Duration|Elapsed|Ran|Finished)\b[: ]+\S*\d",
    r"collected \d+ items|rootdir: |platform \w+ -- |plugins: |\d+ (?:passed|failed|passing|failing)\b",
    r"\S+\.(?:py|js|ts|rb|go) [.sFEx]{3,}",
    # horizontal rules, and tables printed by a program
    r"={3,}|-{4,}|\*{4,}|_{4,}|[-+|= ]{6,}$|\(\d+ rows?\)",
    # stack traces
    r"at \S.*[(:/]\S*:\d+|File \".*\", line \d+|Traceback \(|\^+\s*$|goroutine \d+ \[",
    r"(?:[\w.]{1,80}\.)?[A-Z]\w{1,60}(?:Error|Exception|Warning)(?::|$)",
    # diffs and listings
    r"diff --git |index [0-9a-f]{6,}\.\.|--- [ab/]|\+\+\+ [ab/]|@@ -\d",
    r"[bcdlps-](?:[r-][w-][xsStT-]){3}|total \d+$",
)
_NOISE = re.compile("|".join(_NOISE_PATTERNS))
_PROGRESS = re.compile(r"\[\s*\d{1,3}%\]|\b\d{1,3}%\s*[|█#=]|[█▓░]{2}")


def is_noise(line: str) -> bool:
    """Whether a line is a program's output or a shell command."""
    start = line.strip()[:_MAX_LINE]
    return bool(_NOISE.match(start) or _PROGRESS.search(start))


def _is_mostly_noise(lines: list[str]) -> bool:
    """Whether a block is mostly a program's output; its other lines are then treated as output too."""
    is_diff = any(line.startswith(("diff --git ", "@@ -")) for line in lines)
    return is_diff or sum(map(is_noise, lines)) * 2 > len(lines)


MAX_OUTPUT = 60_000  # Characters that are read: half of them at the start, half at the end
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$|\s{0,3}\*\*([^*]{2,60}?):?\*\*:?\s*$")
_LABEL = re.compile(r"\s*([A-Z][\w' /-]{1,40}):\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(.*)")
_ROW = re.compile(r"\s*\|(.*)\|\s*$")
_TABLE_SEPARATOR = re.compile(r"[\s|:-]*$")
_FIGURE = re.compile(r"[~<>≈]?\d[\d.,]* ?[\w/%]*$")  # A cell that is a number
_WORD = re.compile(r"\w+")


class Passage(NamedTuple):
    """A sentence, a list item, a table row, or a block of code."""

    text: str
    heading: str = ""
    block: int = 0
    # "sentence", "item" (first sentence of a list item), "more" (its other sentences) or "code".
    kind: str = "sentence"


def passages(text: str) -> list[Passage]:
    """Return the passages of an agent's output, without the output of programs in it."""
    # Keep both ends: the start describes the approach, the end the conclusions.
    if len(text) > MAX_OUTPUT:
        text = text[: MAX_OUTPUT // 2] + "\n\n" + text[-MAX_OUTPUT // 2 :]
    result: list[Passage] = []
    heading = ""
    for number, lines in enumerate(_blocks(text.splitlines())):
        match = (_HEADING.match(lines[0]) or _LABEL.match(lines[0])) if len(lines) == 1 else None
        if mark := fence_marker(lines[0]):
            code = lines[1:-1] if len(lines) > 1 and closes_fence(lines[-1], mark) else lines[1:]
            if code and not _is_mostly_noise(code):
                result.append(Passage("\n".join(code), heading, number, "code"))
        elif match and (title := next(filter(None, match.groups()), "")):
            heading = title
        elif not _is_mostly_noise(lines):
            prose = [line for line in lines if not is_noise(line)]
            label = _LABEL.match(prose[0]) if len(prose) > 1 and _ITEM.match(prose[1]) else None
            passage_heading = label[1] if label else heading
            result += [
                Passage(text, passage_heading, number, kind)
                for kind, text in _items_and_sentences(prose[1:] if label else prose)
            ]
    return result


def without_repeats(found: Sequence[Passage]) -> list[Passage]:
    """Remove duplicates, and passages whose words are a prefix of another passage (code is always kept)."""
    words = [tuple(_WORD.findall(passage.text.lower())) for passage in found]
    order = sorted(range(len(found)), key=lambda index: (words[index], -index))
    repeats = {
        index
        for index, following in pairwise(order)
        if words[index] and words[following][: len(words[index])] == words[index]
    }
    return [passage for index, passage in enumerate(found) if index not in repeats or passage.kind == "code"]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield blocks of lines: those between blank lines, a whole code fence, a heading."""
    block: list[str] = []
    fence = ""
    for line in lines:
        mark = fence_marker(line)
        if fence:
            block.append(line)
            if closes_fence(line, fence):
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


def _items_and_sentences(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) for the items and sentences of a block."""
    prose: list[str] = []
    item: list[str] = []
    for line in [*lines, "- "]:  # the empty item at the end flushes the last one
        match, row = _ITEM.match(line), _ROW.match(line)
        if not (match or row or item):
            prose.append(line.strip())
            continue
        if (match or row) and item:
            first, *more = split_sentences(" ".join(item)) or [""]
            yield from (("item", first), *(("more", sentence) for sentence in more))
        if prose:
            yield from (("sentence", sentence) for sentence in split_sentences(" ".join(prose)))
            prose = []
        if row:
            cells = [cell.strip() for cell in row[1].split("|")]
            is_data = len(cells) > 2 and 2 * sum(map(bool, map(_FIGURE.match, cells))) > len(cells)
            item = [] if is_data or _TABLE_SEPARATOR.match(line) else [" | ".join(cells)]
        elif match:
            item = [match[2].strip()]
        else:
            item.append(line.strip())
