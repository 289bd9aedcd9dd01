"""`rum import git` on a generated history: speed, memory and disk; then a second import of the same."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import repository
from benchmarks.server import resident_mb, rum_script
from benchmarks.timing import Pair, compare
from benchmarks.workspace import Workspace

if TYPE_CHECKING:
    from benchmarks.floors import Row

AT_ONCE = 200  # Commits per transaction of the floor; the same as in RUM
TIMES = 10  # Imports with nothing new
LOOK_EVERY = 0.02  # Seconds between two measurements of memory use


class Run(NamedTuple):
    """One import: seconds, the most megabytes that were seen, and what it said it did."""

    seconds: float
    resident: float
    said: dict[str, Any]


class Imported(NamedTuple):
    """What was measured."""

    commits: int
    floor_seconds: float
    floor_bytes: int
    bytes: int
    first: Run
    again: Run
    nothing_new: Pair  # git listing the commits, and RUM finding that none is new

    @property
    def complete(self) -> bool:
        """Whether the first run added every commit, and the second none."""
        first, again = self.first.said, self.again.said
        return first["added"] == again["unchanged"] == self.commits and not again["added"] + again["updated"]


def measure(workspace: Workspace, commits: int) -> Imported:
    """Make the history, and import it twice."""
    repository.fill(workspace.checkout, commits)
    began = time.perf_counter()
    _floor(workspace)
    floor = time.perf_counter() - began
    first = _import(workspace)
    kept = os.path.getsize(os.path.join(workspace.project_folder, "rum.db"))
    again = _import(workspace)
    return Imported(
        commits, floor, os.path.getsize(workspace.floor_path), kept, first, again, _nothing_new(workspace)
    )


def _nothing_new(workspace: Workspace) -> Pair:
    listing = ("git", "-C", workspace.checkout, "rev-list", "HEAD")
    with workspace.open_rum() as rum:
        return compare(
            lambda _: subprocess.run(listing, check=True, stdout=subprocess.DEVNULL),
            lambda _: rum.import_git(),
            range(TIMES),
        )


def _import(workspace: Workspace) -> Run:
    began = time.perf_counter()
    command = [rum_script(), "import", "git", "--json"]
    with subprocess.Popen(command, cwd=workspace.checkout, stdout=subprocess.PIPE) as process:
        assert process.stdout
        most = 0.0
        while process.poll() is None:
            most = max(most, resident_mb(process.pid))
            time.sleep(LOOK_EVERY)
        taken = time.perf_counter() - began
        return Run(taken, most, json.loads(process.stdout.read()))


def _floor(workspace: Workspace) -> None:
    """Have git print every commit with its changes; a row, an FTS5 row and its files for each."""
    floor = workspace.open_floor()
    records = _commit_records(workspace.checkout)
    while batch := list(islice(records, AT_ONCE)):
        floor.fill(batch)
    floor.close()


def _commit_records(folder: str) -> Iterator[tuple[Row, str, tuple[str, ...]]]:
    shown = "--format=%x01%H%x00%ct%x00%s%x00%b%x00"
    command = ("git", "-C", folder, "log", "--reverse", "--raw", "-p", "-U0", shown, "HEAD")
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        lines: list[str] = []
        for line in process.stdout:
            if line.startswith("\x01") and lines:
                yield _row("".join(lines))
                lines = []
            lines.append(line)
        yield _row("".join(lines))


def _row(record: str) -> tuple[Row, str, tuple[str, ...]]:
    sha, at, subject, body, changes = record[1:].split("\0")
    files = tuple(line[6:] for line in changes.splitlines() if line.startswith("+++ b/"))
    row = (sha, int(at), subject, 1, body, json.dumps({"subject": subject, "body": body, "files": files}))
    return row, f"{subject}\n{body}\n{' '.join(files)}", files
