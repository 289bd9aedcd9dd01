"""How the page slows down from a small store to a large one, in a real Chromium.

`PYTHONPATH=tests python -m benchmarks.page 100000` measures first content and search at that size and at 100
memories, in turn. First content: from asking for the address until the first memories are there; the least
times are compared. Search: from the last key until the answer is shown, with the pause for further keys, and
again from the request on, without that pause; the medians are compared, as every question is another one.
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
SEARCH, ALONE = "search", "search without its pause"
BUDGETS = {"first content: overview": 1.5, "first content: timeline": 1.5, SEARCH: 2.0, ALONE: 2.0}
FIRST = ".entry-goal"


class Growth(NamedTuple):
    """Milliseconds at the small and at the large size."""

    what: str
    small: Times
    large: Times

    @property
    def factor(self) -> float:
        """By what the large one is slower."""
        if self.what in (SEARCH, ALONE):
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


# Types a question; returns the milliseconds from the request until its answer is drawn.
ANSWER = """async (text) => {
  const isSearch = (one) => one.name.includes("/search?");
  const requests = () => performance.getEntriesByType("resource").filter(isSearch);
  const before = requests().length;
  const field = document.getElementById("question");
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  for (;;) {
    await new Promise(requestAnimationFrame);
    if (requests().length > before && document.querySelector(".results[aria-busy=false]"))
      return performance.now() - requests().at(-1).startTime;
  }
}"""


def answer(opened: Tab, text: str) -> float:
    """Milliseconds from the request until its answer is shown, in the open search page."""
    return opened.page.evaluate(ANSWER, text)


def measure(small: Tab, large: Tab, texts: tuple[list[str], list[str]]) -> list[Growth]:
    """Both sizes in turn, so that a busy moment affects both."""
    found: list[Growth] = []
    for route in ("overview", "timeline"):
        ways = first_content(small, route), first_content(large, route)
        times = timed(*ways, range(WARM_UP + TIMES), 1)[WARM_UP:]
        found.append(Growth(f"first content: {route}", *paired(times)))
    asks = search(small, texts[0]), search(large, texts[1])
    count = WARM_UP + QUESTIONS
    times = timed(*asks, range(count), 1)[WARM_UP:]
    found.append(Growth(SEARCH, *paired(times)))
    others = zip(texts[0][count:], texts[1][count:], strict=True)
    alone = [(answer(small, one), answer(large, other)) for one, other in others][WARM_UP:]
    return [*found, Growth(ALONE, *paired(alone))]


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
    return list(texts)[: 2 * (WARM_UP + QUESTIONS)]


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
