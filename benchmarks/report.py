"""One Markdown table of all figures: the floor, RUM, their ratio, the budget, and whether it is met."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.cold import Cold
from benchmarks.growth import Growth
from benchmarks.speed import Speed
from benchmarks.timing import Pair, Times
from benchmarks.writers import Writers

PAGE = """# Benchmarks

<!-- Made by `make bench ARGS="--write docs/benchmarks.md"`. -->

Each figure stands beside a floor measured in the same run, in turn with it: the least that the same work
costs on the same machine. Ratios travel from machine to machine; milliseconds do not.

{table}

{kinds}

Times are milliseconds, as least / median / 95th percentile; ratios are of medians. Each question is asked
twice and its better time counts. The second table has the medians of recall by text, floor and RUM, by what
was asked: a goal, the words that stuck, a file's stem, a ticket, a path.

- A start is from launching the server to its list of tools; the floor is a loop over JSON lines and SQLite,
  with only the standard library loaded (`python -S -E benchmarks/floors.py`).
- The floor of `store` is one row, one FTS5 row and a commit with `synchronous = FULL`.
- The floor of recall by file is one indexed SELECT of the five rows that RUM answers with; the floor of
  recall by text is FTS5's own five best for any of the words of the same question.
- Growth is measured with the small and the large store asked in turn.
- "Through MCP" is the same recall asked of `rum mcp` and of the floor as a server.

Measured on {machine}. Again on yours: `make bench`; on other sizes: `make bench ARGS="--sizes 1000,10000"`.

## Where a budget is not met

- **Recall by file.** An indexed SELECT takes some 0.02 ms. Checking the question, telling a file from a
  folder, counting what was found, cutting it to the depth asked for and estimating its tokens take
  about 0.4 ms together, whatever the size of the store. An agent waits for the line through MCP.
- **Store.** Before the commit RUM cuts out secrets, looks for near-duplicates, and notes the branch, the
  commit and the content of every file: about 2 ms of work, on top of a commit of three times the pages. It
  shows where a disk confirms a write in a quarter of a millisecond, as here; a slower disk hides it.
- **Recall by text, one name in a small store.** Among a thousand memories the floor finds a single name in
  0.2 ms, and RUM takes about 1 ms to weigh what it found (second table). From there on the floor grows
  with the store; RUM hardly does.
"""
FLAT = 1.5
"""How much slower the largest size may be than the smallest to be called flat."""


class Line(NamedTuple):
    """One row of the table; `met` is None where there is no budget."""

    what: str
    floor: str
    rum: str
    ratio: str
    budget: str
    met: bool | None


def lines(
    cold: Cold, speeds: list[Speed], flat: Growth | None, steady: Growth | None, writers: Writers
) -> Iterator[Line]:
    """Everything that was measured, each against its budget."""
    yield _against("start of `rum mcp` → tools listed", cold.listed, 2.5)
    yield _against("start of `rum mcp` → first recall answered", cold.answered, None)
    resident = cold.resident[1]
    yield Line(
        "memory held, tools listed",
        f"{cold.resident[0]:.0f} MB",
        f"{resident:.0f} MB",
        "",
        "≤ 45 MB",
        resident <= 45,
    )
    for which, most in (("all", 3_500), ("core", 1_500)):
        count = cold.tokens[which]
        yield Line(f"tool list, `--tools {which}`", "", f"{count:,} tokens", "", f"≤ {most:,}", count <= most)
    for speed in speeds:
        yield from _at_size(speed)
    if flat and steady:
        first, before, last = speeds[0].size, speeds[-2].size, speeds[-1].size
        yield _growth("recall by file, median", (first, last), flat, FLAT)
        yield _growth("recall by text, 95th percentile", (before, last), steady, 3)
    yield Line(
        "stores of 4 processes at once",
        "",
        f"{writers.acknowledged} acknowledged, {writers.found} found, {len(writers.errors)} errors",
        "",
        f"{writers.asked}, {writers.asked}, 0",
        writers.acknowledged == writers.found == writers.asked and not writers.errors,
    )


def _at_size(speed: Speed) -> Iterator[Line]:
    at = f"{speed.size:,} memories"
    yield _against(f"store, {at}", speed.store, 3)
    yield _against(f"recall by file, {at}", speed.file, 3)
    yield _against(f"recall by file through MCP, {at}", speed.file_served, 3)
    yield _against(f"recall by text, {at}", speed.text, 1.5)
    yield _against(f"recall by text through MCP, {at}", speed.text_served, 1.5)


def _growth(what: str, sizes: tuple[int, int], growth: Growth, most: float) -> Line:
    span = f"{sizes[0]:,} → {sizes[1]:,}"
    floor, rum = (f"× {factor:.2f}" for factor in growth)
    return Line(f"{what}, {span}", floor, rum, "", f"≤ × {most:g}", growth.rum <= most)


def _against(what: str, pair: Pair, most: float | None) -> Line:
    ratio = _ratio(pair)
    met = None if most is None else ratio <= most
    budget = "" if most is None else f"≤ {most:g} ×"
    return Line(what, _shown(pair.floor), _shown(pair.rum), f"{ratio:.2f} ×", budget, met)


def _ratio(pair: Pair) -> float:
    return pair.rum.p50 / pair.floor.p50


def _shown(times: Times) -> str:
    return " / ".join(map(_rounded, times))


def _rounded(milliseconds: float) -> str:
    return f"{milliseconds:.3g}" if milliseconds < 1 else f"{milliseconds:.1f}"


def _markdown(rows: Iterable[Iterable[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def table(rows: list[Line]) -> str:
    """The rows as Markdown."""
    head = ("what", "floor", "RUM", "ratio", "budget", "met")
    said = {True: "yes", False: "**no**", None: ""}
    return _markdown([head, ("---",) * len(head), *((*row[:5], said[row.met]) for row in rows)])


def machine() -> str:
    """What it was measured on."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def _processor() -> str:
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def kinds_table(speeds: list[Speed]) -> str:
    """Recall by text by kind of question: medians of the floor and of RUM, and their ratio."""
    rows = [("asked", *(f"{speed.size:,} memories" for speed in speeds)), ("---",) * (len(speeds) + 1)]
    for kind in speeds[0].kinds:
        pairs = [speed.kinds[kind] for speed in speeds]
        cells = (f"{_rounded(p.floor.p50)}, {_rounded(p.rum.p50)}: {_ratio(p):.2f} ×" for p in pairs)
        rows.append((kind, *cells))
    return _markdown(rows)


def page(rows: list[Line], speeds: list[Speed]) -> str:
    """The whole page for the documentation."""
    return PAGE.format(table=table(rows), kinds=kinds_table(speeds), machine=machine())
