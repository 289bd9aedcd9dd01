"""Archives nine tenths of a store: size and speed before and after, and whether everything is still found.

`python -m benchmarks.archiving 100000`, or as the last part of `python -m benchmarks`.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import copy
from itertools import islice
from typing import NamedTuple

from benchmarks import vectors
from benchmarks.server import Server, rum_command
from benchmarks.timing import Pair, compare, summed_up
from benchmarks.workload import SEED, Memory, memories, paths, questions, worded_otherwise
from benchmarks.workspace import SPACING, Workspace
from rum import Rum
from rum.store.filters import Filters

SHARE = 0.9
ASKED = 100
TIMES = 2
SAMPLE = 1_000
STARTS = 5
BATCH = 5_000


class Found(NamedTuple):
    """How many archived memories of a sample are found by id, ticket and goal: before and after."""

    asked: int
    before: tuple[int, int, int]
    after: tuple[int, int, int]


class Archiving(NamedTuple):
    """What an archive did to a store of a size; of each pair the first is before it, the second after."""

    size: int
    archived: int
    seconds: float
    bytes: tuple[int, int]
    live: Pair  # Recall by text, asked about memories that stay live
    packed: Pair  # The same about memories that are archived
    otherwise: Pair  # Questions in other words, by meaning too, about either
    file: Pair
    first: Pair  # From the start of a server to its first semantic answer
    held: tuple[float, float]  # Megabytes that the server holds then
    found: Found


def measure(workspace: Workspace, sample: int = SAMPLE, asked: int = ASKED) -> Archiving:
    """Archive a copy of a workspace whose memories have vectors, and ask both in turn."""
    size, cut = len(workspace.stored), round(SHARE * len(workspace.stored))
    after = _copied(workspace)
    sizes, archived, seconds = _archive(after, cut)
    old, young = workspace.stored[:cut], workspace.stored[cut:]
    with workspace.open_rum() as one, after.open_rum() as other:
        live, packed = (
            _by_text(one, other, [asked.text for asked in questions(part, asked)]) for part in (young, old)
        )
        file = compare(
            lambda path: one.recall(file=path),
            lambda path: other.recall(file=path),
            paths(workspace.stored, asked),
            TIMES,
        )
        some = random.Random(SEED).sample(old, min(sample, cut))
        found = _found(one, other, some, _ids(workspace, some))
    with workspace.by_meaning(), workspace.open_rum() as one, after.open_rum() as other:
        otherwise = _by_text(one, other, list(worded_otherwise(workspace.stored, asked // 2)))
    first, held = _first(workspace, after)
    return Archiving(size, archived, seconds, sizes, live, packed, otherwise, file, first, held, found)


def _copied(workspace: Workspace) -> Workspace:
    """The same project once more, which nobody has asked anything yet."""
    folder = os.path.dirname(workspace.checkout)
    other = copy(workspace)
    other.checkout, other.home = (os.path.join(folder, "archived", name) for name in ("checkout", "home"))
    shutil.copytree(workspace.checkout, other.checkout)
    shutil.copytree(workspace.home, other.home)
    # A copy at another path is another project until somebody says otherwise.
    subprocess.run(
        [sys.executable, "-m", "rum", "projects", "join", os.path.basename(workspace.project_folder)],
        cwd=other.checkout,
        env=os.environ | {"RUM_HOME": str(other.home)},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for name in ("activity.db", "activity.db-wal", "activity.db-shm"):
        path = os.path.join(other.project_folder, name)
        if os.path.exists(path):
            os.remove(path)
    return other


def _archive(workspace: Workspace, cut: int) -> tuple[tuple[int, int], int, float]:
    days = (time.time() - (workspace.began + (cut - 0.5) * SPACING)) / 86_400
    with workspace.open_rum() as rum:
        began = time.perf_counter()
        archived = rum.archive(older_than=days)
        if archived.hint:
            raise RuntimeError(archived.hint)
        return (archived.bytes_before, archived.bytes_after), archived.archived, time.perf_counter() - began


def _by_text(one: Rum, other: Rum, texts: Sequence[str]) -> Pair:
    return compare(lambda text: one.recall(query=text), lambda text: other.recall(query=text), texts, TIMES)


def _found(one: Rum, other: Rum, some: Sequence[Memory], ids: dict[int, str]) -> Found:
    """Found by id: complete and equal; by its ticket, and by its goal: among the first five."""

    def counted(rum: Rum) -> tuple[int, int, int]:
        def given(ask: Callable[[Memory], str]) -> int:
            answers = ((memory, rum.recall(query=ask(memory)).memories) for memory in some)
            return sum(ids[memory.number] in [found.id for found in answer] for memory, answer in answers)

        same = sum(_content(rum, one_id) == _content(one, one_id) for one_id in ids.values())
        return same, given(lambda memory: memory.ticket), given(lambda memory: memory.goal)

    return Found(len(some), counted(one), counted(other))


def _ids(workspace: Workspace, some: Sequence[Memory]) -> dict[int, str]:
    """The ids of memories by their numbers: they were stored in that order."""
    store = workspace.open_store()
    keys = [memory.number + 1 for memory in some]
    found = store.search.describe(keys, Filters(superseded=True))
    store.close()
    return {one.row.key - 1: one.row.id for one in found.memories}


def _content(rum: Rum, memory_id: str) -> object:
    shown = rum.show(memory_id, "full")
    return shown.intent, shown.outcome, shown.reasoning, shown.perception, shown.actions, shown.files


def _first(workspace: Workspace, after: Workspace) -> tuple[Pair, tuple[float, float]]:
    taken: tuple[list[float], list[float]] = [], []
    held: tuple[list[float], list[float]] = [], []
    texts = list(worded_otherwise(workspace.stored[-len(workspace.stored) // 10 :], STARTS + 1))
    for text in texts:
        for which, one in enumerate((workspace, after)):
            with one.enter().by_meaning():
                began = time.perf_counter()
                server = Server(rum_command(), one.checkout)
                server.tools()
                server.call("recall", {"query": text})
                taken[which].append(1000 * (time.perf_counter() - began))
                held[which].append(server.resident_mb())
                server.close()
    workspace.enter()
    return Pair(*(summed_up(one[1:]) for one in taken)), (max(held[0]), max(held[1]))


def table(archiving: Archiving) -> str:
    """The figures as Markdown."""
    found = archiving.found
    rows = [
        ("what", "before", "after", "ratio"),
        ("---",) * 4,
        _sized("bytes of rum.db", archiving.bytes),
        _timed("recall by text, about live memories", archiving.live),
        _timed("recall by text, about archived memories", archiving.packed),
        _timed("recall by text and meaning, query paraphrased", archiving.otherwise),
        _timed("recall by file", archiving.file),
        _timed("start of `rum mcp` → first answer by meaning", archiving.first),
        ("RSS after the first answer by meaning", *(f"{held:.0f} MB" for held in archiving.held), ""),
        *(
            (f"found by {what}, of {found.asked:,} archived", f"{before:,}", f"{after:,}", "")
            for what, before, after in zip(("id", "ticket", "goal"), found.before, found.after, strict=True)
        ),
    ]
    share = f"{archiving.archived:,} of {archiving.size:,} memories archived"
    rate = f"{archiving.archived / archiving.seconds:,.0f} per second"
    return f"{share}, {rate}:\n\n" + "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _timed(what: str, pair: Pair) -> tuple[str, ...]:
    shown = (" / ".join(f"{one:.1f}" for one in times) for times in pair)
    return (what, *shown, f"{pair.rum.p50 / pair.floor.p50:.2f} ×")


def _sized(what: str, sizes: tuple[int, int]) -> tuple[str, ...]:
    return (what, *(f"{size:,}" for size in sizes), f"{sizes[1] / sizes[0]:.2f} ×")


def main() -> None:
    """Measure at each size named on the command line."""
    for size in map(int, sys.argv[1:] or ["100000"]):
        with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
            workspace = Workspace(os.path.join(folder, "workspace")).enter()
            source = memories()
            for start in range(0, size, BATCH):
                workspace.fill(islice(source, min(BATCH, size - start)))
            vectors.give(workspace, worded_otherwise(workspace.stored, ASKED // 2).values())
            print(table(measure(workspace)))


if __name__ == "__main__":
    main()
