"""`python -m benchmarks.sync`: `rum sync` through a bare repository on disk, and git with the same files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from glob import glob
from itertools import islice
from typing import NamedTuple

from benchmarks import docs_page
from benchmarks.workload import memories
from benchmarks.workspace import Workspace
from rum import Rum

BATCH = 5_000
NEW = 10  # Memories of an incremental sync
REF = "refs/rum/memory"
AUTHOR = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org")


class Step(NamedTuple):
    """One sync: its seconds and the bytes that the remote grew by; git's for the same files."""

    what: str
    seconds: float
    bytes: int
    git_seconds: float  # `git add`, `commit` and `push`; of the receiver `git clone`
    push_seconds: float | None  # `git push` alone
    git_bytes: int


class Plain:
    """A repository whose files are those of the shared ref, pushed with git to a remote of its own."""

    def __init__(self, folder: str, shared: str) -> None:
        self._tree, self.remote, self._shared = os.path.join(folder, "plain"), folder + "/plain.git", shared
        _git("init", "-q", "--bare", self.remote)
        _git("init", "-q", "-b", "main", self._tree)

    def push(self) -> tuple[float, float, int]:
        """Take over the files of the ref, then add, commit and push: seconds, those of the push, bytes."""
        archive = subprocess.Popen(("git", "-C", self._shared, "archive", REF), stdout=subprocess.PIPE)
        subprocess.run(("tar", "-x", "-C", self._tree), stdin=archive.stdout, check=True)
        assert archive.wait() == 0
        size = disk_bytes(self.remote)
        saved = _seconds(self._save)
        pushed = _seconds(lambda: _git("-C", self._tree, "push", "-q", self.remote, "main"))
        return saved + pushed, pushed, disk_bytes(self.remote) - size

    def _save(self) -> None:
        _git("-C", self._tree, "add", "-A")
        if subprocess.run(("git", "-C", self._tree, "status", "--porcelain"), stdout=subprocess.PIPE).stdout:
            _git("-C", self._tree, *AUTHOR, "commit", "-q", "-m", "Save")


def measure(folder: str, size: int) -> list[Step]:
    """Sync a memory of this size for the first time, again, with new memories, and to another machine."""
    workspace = Workspace(os.path.join(folder, "one")).enter()
    remote = os.path.join(folder, "remote.git")
    _git("init", "-q", "--bare", remote)
    _git("-C", workspace.checkout, "remote", "add", "origin", remote)
    os.environ["RUM_SHARE"] = "all"
    source = memories()
    for start in range(0, size, BATCH):
        workspace.fill(islice(source, min(BATCH, size - start)))
    plain = Plain(folder, remote)
    steps = [_sent(f"first, {size:,} memories", workspace, remote, plain, size)]
    steps.append(_sent("nothing new", workspace, remote, plain, 0))
    workspace.fill(islice(source, NEW))
    steps.append(_sent(f"{NEW} new", workspace, remote, plain, NEW))
    steps.append(_received(folder, workspace, remote, plain, size + NEW))
    return steps


def _sent(what: str, workspace: Workspace, remote: str, plain: Plain, expected: int) -> Step:
    before = disk_bytes(remote)
    seconds, sent, _ = _sync(workspace.open_rum())
    assert sent == expected, f"{sent} memories were sent, not {expected}"
    return Step(what, seconds, disk_bytes(remote) - before, *plain.push())


def _received(folder: str, one: Workspace, remote: str, plain: Plain, expected: int) -> Step:
    """The first sync of another machine: a clone of the checkout with an empty home."""
    clone, home, copy = (os.path.join(folder, name) for name in ("two", "home", "copy.git"))
    _git("clone", "-q", one.checkout, clone)
    _git("-C", clone, "remote", "set-url", "origin", remote)
    seconds, _, received = _sync(Rum.open(clone, agent="benchmark", home=home))
    assert received == expected, f"{received} memories came, not {expected}"
    cloned = _seconds(lambda: _git("clone", "-q", "--bare", "--no-local", plain.remote, copy))
    own = sum(map(disk_bytes, glob(os.path.join(home, "projects", "*", "*.git"))))
    return Step("first of another machine", seconds, own, cloned, None, disk_bytes(copy))


def _sync(opened: Rum) -> tuple[float, int, int]:
    """The seconds of a sync, and how many memories were sent and received."""
    with opened as rum:
        began = time.perf_counter()
        said = rum.sync()
        taken = time.perf_counter() - began
    return taken, said.sent.get("memory", 0), said.received.get("memory", 0)


def disk_bytes(repository: str) -> int:
    """The bytes of all objects of a bare repository, loose and packed."""
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(os.path.join(repository, "objects"))
        for name in names
        if not name.endswith((".idx", ".rev"))
    )


def table(steps: list[Step]) -> str:
    """The figures as Markdown."""
    rows = [
        (
            "sync",
            "seconds",
            "`git add`, `commit`, `push`",
            "ratio",
            "`git push` alone",
            "bytes",
            "bytes of git",
        ),
        ("---",) * 7,
        *(_row(step) for step in steps),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _row(step: Step) -> tuple[str, ...]:
    return (
        step.what,
        f"{step.seconds:.2f}",
        f"{step.git_seconds:.2f}",
        f"{step.seconds / step.git_seconds:.1f} ×",
        "" if step.push_seconds is None else f"{step.push_seconds:.2f}",
        f"{step.bytes:,}",
        f"{step.git_bytes:,}",
    )


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _git(*words: str) -> None:
    subprocess.run(("git", *words), check=True)


def main() -> None:
    """Measure at each size named on the command line."""
    steps: list[Step] = []
    for size in map(int, sys.argv[1:] or ["1000", "10000", "40000"]):
        with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
            steps += measure(folder, size)
        print(f"{size:,} memories measured", file=sys.stderr, flush=True)
    print(table(steps), docs_page.machine(), sep="\n\n")


if __name__ == "__main__":
    main()
