"""Writes docs/reference/benchmarks.md: the tables and how to read them."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from collections.abc import Iterable
from itertools import groupby

from benchmarks.report import Line, ratio, rounded
from benchmarks.speed import Speed

PAGE = """# Benchmarks

<!-- Made by `make bench ARGS="--write docs/reference/benchmarks.md"`. -->

Each figure is compared with a floor: a minimal implementation of the same work on the same machine, measured
in the same run. Compare ratios between machines, not milliseconds.

Times are medians in milliseconds. Each query runs twice and the faster time counts. `make bench` also prints
minimum and 95th percentile.

{table}

The columns are numbers of memories; each cell is `floor, RUM: ratio`. A missed budget is in bold.

{sizes}

Recall by text, by kind of query:

{kinds}

## How it is measured

| measurement | floor |
| --- | --- |
| start of `rum mcp` | a loop over JSON lines and SQLite, standard library only (`benchmarks/floors.py`) |
| store | one row, one FTS5 row and a commit with `synchronous = FULL` |
| recall by file | one indexed SELECT of the same five rows |
| recall by text, with `RUM_EMBEDDER=none` | the five best FTS5 matches of any word of the query |
| semantic recall | the same model, all vectors compared as 32-bit floats in numpy, five rows read |
| recall by text and meaning (the default) | both of the above |
| brief | five memories of the file, five for the words of the task, and a plain word search in the notes |
| hook | `python -c pass` in the same environment |
| recall right after many stores | the same server before the stores, with all vectors |
| `rum import git` with nothing new | `git rev-list HEAD` |
| `rum import git` | git printing all commits with changes; a row, an FTS5 row and file rows for each |

- "Through MCP" means that both RUM and the floor run as a server.
- The first semantic answer includes loading numpy, the model and all vectors. Later queries are not cached.
  Vectors are random, except those of the memories that are queried.
- For the brief, the store also contains 50 rules and 100 facts.
- A hook is timed from start to exit. Only the first call has memories to show; later ones find nothing
  new.
- The git history is synthetic: commits change two to four files, and one in ten fixes or reverts an earlier
  one. Database sizes exclude vectors, which add about 0.4 KB per memory.

## Archive

The store with the most memories, compared with a copy in which the oldest 90 % are [archived](../archive.md).
Times are minimum / median / 95th percentile. Recall is by words alone unless the row says otherwise.
"Found by id" means that the complete memory is returned; "found by ticket" or "by goal" means among the first
five.

{archived}

## Missed budgets

- **Recall by file.** Validating the query, counting matches, shortening texts and estimating tokens take
  about 0.25 ms for a store of any size; the floor takes 0.01 ms. Agents use the row "through MCP".
- **Store.** Removing secrets, finding near-duplicates and recording the branch, commit and file contents take
  about 1 ms of computing. The slower the disk, the less this counts.
- **Recall by text in a small store.** RUM ranks about eighty candidates and their neighbours
  ([signals](signals.md)). This takes two to three times longer with 100,000 memories than with 1,000; the
  floor takes a hundred times longer.
- **Semantic recall.** Embedding a query of 18 tokens takes 11 ms on an idle core, more than half of the time.
- **Hooks.** A prompt hook runs a recall. Which hook exceeds its budget differs from run to run
  (`make bench ARGS=--hooks` measures hooks alone).

Measured on {machine}. To repeat it, run `make bench`; for other sizes
`make bench ARGS="--sizes 1000,10000 --commits 40000"`.
"""


SIZE = re.compile(r", ([\d,]+) memories$")


def _markdown(rows: Iterable[Iterable[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def table(rows: list[Line]) -> str:
    """The rows as Markdown."""
    head = ("what", "floor", "RUM", "ratio", "budget", "met")
    said = {True: "yes", False: "**no**", None: ""}
    return _markdown([head, ("---",) * len(head), *((*row[:5], said[row.met]) for row in rows)])


def _median(cell: str) -> str:
    return cell.split(" / ")[1] if cell.count(" / ") == 2 else cell


def single_table(rows: list[Line]) -> str:
    """The rows that were measured once, with medians alone."""
    return table(
        [
            row._replace(floor=_median(row.floor), rum=_median(row.rum))
            for row in rows
            if not SIZE.search(row.what)
        ]
    )


def size_tables(rows: list[Line]) -> str:
    """The rows that were measured in stores of several sizes; a table for each set of sizes."""
    measured: dict[str, dict[str, Line]] = {}
    for row in rows:
        if size := SIZE.search(row.what):
            measured.setdefault(row.what[: size.start()], {})[size[1]] = row
    groups = groupby(measured.items(), key=lambda item: tuple(item[1]))
    return "\n\n".join(_size_table(sizes, dict(group)) for sizes, group in groups)


def _size_table(sizes: tuple[str, ...], measured: dict[str, dict[str, Line]]) -> str:
    head = ("what", *sizes, "budget")
    body = [
        (
            what,
            *map(_size_cell, by_size.values()),
            _budget_cell(by_size),
        )
        for what, by_size in measured.items()
    ]
    return _markdown([head, ("---",) * len(head), *body])


def _budget_cell(by_size: dict[str, Line]) -> str:
    """The budget of the first size; those of other sizes, where they differ, in brackets."""
    sizes: dict[str, list[str]] = {}
    for size, row in by_size.items():
        sizes.setdefault(row.budget, []).append(size)
    first, *others = sizes
    return first + "".join(f" ({', '.join(sizes[one])}: {one or 'none'})" for one in others)


def _size_cell(row: Line) -> str:
    cell = f"{_median(row.floor)}, {_median(row.rum)}" + (f": {row.ratio}" if row.ratio else "")
    return f"**{cell}**" if row.met is False else cell


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
    rows = [("query", *(f"{speed.size:,} memories" for speed in speeds)), ("---",) * (len(speeds) + 1)]
    for kind in speeds[0].kinds:
        pairs = [speed.kinds[kind] for speed in speeds]
        cells = (f"{rounded(p.floor.p50)}, {rounded(p.rum.p50)}: {ratio(p):.2f} ×" for p in pairs)
        rows.append((kind, *cells))
    return _markdown(rows)


def page(rows: list[Line], speeds: list[Speed], archived: str) -> str:
    """The whole page for the documentation."""
    return PAGE.format(
        table=single_table(rows),
        sizes=size_tables(rows),
        kinds=kinds_table(speeds),
        archived=archived,
        machine=machine(),
    )
