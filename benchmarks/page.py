"""The page of the documentation: two tables, and what they mean."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable

from benchmarks.report import Line, ratio, rounded
from benchmarks.speed import Speed

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
  recall by text is FTS5's own five best for any of the words of the same question. Here RUM goes by words
  alone (`RUM_EMBEDDER=none`).
- The floor of a semantic question embeds the same text with the same model, compares every vector as 32-bit
  floats in numpy, and reads five rows. The first one counts from launching the server, a recall by file
  before it included: numpy, the model and all vectors are loaded in that time. RUM keeps the vectors of the
  last few questions; none of the later ones is among them. Vectors of memories are random directions, as
  large as real ones; those of the memories asked about are real.
- "By text, then by meaning" is what a question gets by default: the words decide, and where they are not
  sure, the meaning too. Its floor does both.
- The floor of `rum import git` has git print every commit with its changes, and writes a row, an FTS5 row
  and its files for each. The history is made up: every commit changes two to four files, one in ten names
  an earlier one, which it mends or, one time in four, reverts. Memory is RUM's own, without git's; bytes
  are without vectors, which add about 0.4 KB a memory.
- The floor of a brief finds five memories of the file and five for the words of the task, and goes through
  the notes' patterns as plain words; 50 rules and 100 facts are there besides. RUM ranks all of it, and fits
  it into 600 tokens.
- Growth is measured with the small and the large store asked in turn.
- A hook is a process of its own, from launching `rum-hook` with the event to its end; the floor is
  `python -c pass` of the same environment. After the first call nothing new is left to be said of the file.
- "Through MCP" is the same recall asked of `rum mcp` and of the floor as a server.

## The archive

The largest store once more, and a copy of it in which the oldest nine tenths are [archived](archive.md); both
are asked in turn. Here RUM goes by words alone, unless the row says otherwise. A memory is found by id if all
of it is as it was, by its ticket or goal if it is among the five that are given.

{archived}

## Again

Measured on {machine}. Again on yours: `make bench`; on other sizes:
`make bench ARGS="--sizes 1000,10000 --commits 40000"`.

## Where a budget is not met

- **Recall by file.** An indexed SELECT takes some 0.02 ms. Checking the question, telling a file from a
  folder, counting what was found, cutting it to the depth asked for and estimating its tokens take
  about 0.4 ms together, whatever the size of the store. An agent waits for the line through MCP.
- **Store.** Before the commit RUM cuts out secrets, looks for near-duplicates, and notes the branch, the
  commit and the content of every file: about 2 ms of work, on top of a commit of three times the pages. It
  shows where a disk confirms a write in a quarter of a millisecond, as here; a slower disk hides it.
- **Recall by text in a small store.** RUM looks closely at some eighty memories, and at those before and
  after them in their sessions, to put the right one first ([how](signals.md)). From a thousand memories to
  a hundred thousand that takes two to three times as long; the floor, a hundred times. So it shows in a
  small store, where the floor is done in 2 ms and finds a single name in 0.2 ms (second table).
- **Semantic recall.** A question of 18 tokens is embedded in 11 ms on a core that nobody else uses: nearly
  all of the floor's time among ten thousand memories, and more than half of RUM's. The rest ranks what was
  found as any other recall does. Where other programs keep the cores busy, read the ratio.
- **Hooks.** A prompt that names something rare is looked up as any recall is, in seven to eight times what an
  interpreter takes to start; a hook before a tool takes nearly three times that. Which row is over its
  budget, if any, differs from run to run: `make bench ARGS=--hooks` measures them alone.
"""


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
        cells = (f"{rounded(p.floor.p50)}, {rounded(p.rum.p50)}: {ratio(p):.2f} ×" for p in pairs)
        rows.append((kind, *cells))
    return _markdown(rows)


def page(rows: list[Line], speeds: list[Speed], archived: str) -> str:
    """The whole page for the documentation."""
    return PAGE.format(table=table(rows), kinds=kinds_table(speeds), archived=archived, machine=machine())
