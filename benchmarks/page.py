"""How the page slows down from a small store to a large one, in a real Chromium.

`PYTHONPATH=tests python -m benchmarks.page 100000` measures first content and search at that size and at 100
memories, in turn. First content: from asking for the address until the first memories are there; the least
times are compared. Search: from the last key until the answer is shown, with the pause for further keys; the
medians are compared, because every question is another one.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.timing import Times, paired, timed
from benchmarks.workload import memories, questions
from benchmarks.workspace import SPACING, Workspace
from support.browser import Tab, launched, served, tab

SMALL = 100
BATCH = 5_000
TIMES = 7
WARM_UP = 2
QUESTIONS = 15  # Different ones: the same text again asks nothing
# At most this many times as slow as with 100 memories.
SEARCH = "search"
BUDGETS = {"first content: overview": 1.5, "first content: timeline": 1.5, SEARCH: 2.0}
FIRST = ".entry-goal"


class Growth(NamedTuple):
    """Milliseconds at the small and at the large size."""

    what: str
    small: Times
    large: Times

    @property
    def factor(self) -> float:
        """By what the large one is slower."""
        if self.what == SEARCH:
            return self.large.p50 / self.small.p50
        return self.large.least / self.small.least


def first_content(opened: Tab, route: str) -> Callable[[object], object]:
    """Load the page anew and wait for its first memory."""

    def load(_: object) -> object:
        opened.page.goto("about:blank")
        opened.page.goto(f"{opened.base}/#/{route}", wait_until="commit")
        return opened.page.wait_for_selector(FIRST)

    return load


def search(opened: Tab, texts: list[str]) -> Callable[[int], object]:
    """Ask a question in the open search page and wait for its answer."""
    opened.open("search")

    def ask(number: int) -> object:
        text = texts[number]
        with opened.page.expect_response(lambda response: "/search?" in response.url):
            opened.page.fill("#question", text)
        return opened.page.wait_for_selector(".results:not(.pending)")

    return ask


def measure(small: Tab, large: Tab, texts: tuple[list[str], list[str]]) -> list[Growth]:
    """Both sizes in turn, so that a busy moment affects both."""
    found: list[Growth] = []
    for route in ("overview", "timeline"):
        ways = first_content(small, route), first_content(large, route)
        times = timed(*ways, range(WARM_UP + TIMES), 1)[WARM_UP:]
        found.append(Growth(f"first content: {route}", *paired(times)))
    asks = search(small, texts[0]), search(large, texts[1])
    times = timed(*asks, range(WARM_UP + QUESTIONS), 1)[WARM_UP:]
    return [*found, Growth(SEARCH, *paired(times))]


def filled(folder: str, size: int) -> Workspace:
    """A project with so many memories, the newest of them just now: the overview shows the last weeks."""
    os.makedirs(folder)
    workspace = Workspace(os.path.join(folder, "workspace")).enter()
    workspace.began = int(time.time()) - size * SPACING
    source = memories()
    for start in range(0, size, BATCH):
        workspace.fill(islice(source, min(BATCH, size - start)))
    return workspace


def distinct(workspace: Workspace) -> list[str]:
    """Questions about its memories, none of them twice."""
    texts = dict.fromkeys(one.text for one in questions(workspace.stored, 200))
    return list(texts)[: WARM_UP + QUESTIONS]


def table(found: list[Growth], size: int) -> str:
    """The figures as a table."""
    lines = [
        f"| least (median) ms | {SMALL} memories | {size:,} | factor | budget |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        times = (f"{each.least:.0f} ({each.p50:.0f})" for each in (one.small, one.large))
        lines.append(f"| {one.what} | {' | '.join(times)} | {one.factor:.2f} × | {BUDGETS[one.what]:.1f} × |")
    return "\n".join(lines)


def main() -> int:
    """Measure at the size named on the command line; 1 if a budget is exceeded."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="rum-page-") as folder, ExitStack() as stack:
        spaces = [filled(os.path.join(folder, str(one)), one) for one in (SMALL, size)]
        browser = stack.enter_context(launched())
        tabs = [
            stack.enter_context(tab(browser, stack.enter_context(served(Path(one.checkout), Path(one.home)))))
            for one in spaces
        ]
        texts = [distinct(space) for space in spaces]
        found = measure(tabs[0], tabs[1], (texts[0], texts[1]))
    print(table(found, size))
    return int(any(one.factor > BUDGETS[one.what] for one in found))


if __name__ == "__main__":
    sys.exit(main())
