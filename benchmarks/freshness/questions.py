"""Ask about code that changed since: is it said of stale answers, and how much must they count less?

    python -m benchmarks.freshness.questions --repo NAME=GIT_DIR ... [--past NAME=GIT_DIR ...] [--fit]

`--repo`: an agent stores what each commit did while a clone is pulled commit by commit. At the end it asks
about functions, in three ways: by their names, in words of a memory whose lines were rewritten since, and in
words of one whose lines are all there. Right is the work whose lines are there, by `git blame -M -C -w` of
the last commit. `--past`: the questions of the coding set (dev half) about an imported history. They ask what
was done and why, so answers about changed code are right, too. There commits are treated as if agents had
stored them.

`--fit` finds the weight with the least log loss, in which both count the same.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.freshness.__main__ import content, git, language_of
from benchmarks.freshness.truth import Code, code_of, truth_of
from benchmarks.quality import coding
from rum import Rum
from rum.model.anchors import CHANGED, GONE
from rum.recall import outdated

COMMITS = 400  # Newest ones of a repository that are stored
MAX_HUNKS = 4  # Of a commit: its largest
QUESTIONS = 150  # Of a kind, of a repository
LIMIT = 20
MAX_SIZE = 200_000
ATTRIBUTES = "*.py diff=python\n*.go diff=golang\n*.rs diff=rust\n*.java diff=java\n*.[ch] diff=cpp\n"
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@ ?(.*)")
_NAME = re.compile(
    r"\b(?:def|class|func|function|fn|struct|enum|trait|impl|interface|type)\s+(?:\([^)]*\)\s*)?(\w{3,})"
    r"|(\w{3,})\s*\("
)
_COMMON = frozenset(
    ("the", "and", "for", "with", "from", "into", "that", "this", "when", "add", "fix", "test")
)
SHOWN = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # Weights whose log loss is printed


class Hunk(NamedTuple):
    """Lines that a commit added, in the function that git names."""

    path: str
    start: int
    end: int
    symbol: str


class Given(NamedTuple):
    """One answer to a question."""

    confidence: float
    share: float  # How much of its code changed, by its label
    is_right: bool
    is_stale: bool  # Whether lines of it were rewritten, by blame
    is_labelled: bool


Asked = dict[str, list[list[Given]]]  # The answers to each question, by kind


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freshness.questions", description=__doc__)
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=GIT_DIR")
    parser.add_argument("--past", action="append", default=[], metavar="NAME=GIT_DIR")
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    present: Asked = defaultdict(list)
    past: list[list[Given]] = []
    weight, outdated.CODE_CHANGED = outdated.CODE_CHANGED, 0.0  # the weight is applied below
    for one in given.repo:
        name, _, git_dir = one.partition("=")
        for kind, answers in replay(git_dir, given.commits).items():
            present[kind] += answers
            print(f"{name}: {len(answers)} questions by {kind}", flush=True)
    for one in given.past:
        past += questions_of_the_past(*one.split("=", 1))
    if given.fit:
        every = [answers for kind in present.values() for answers in kind]
        losses = {at / 10: loss(every, at / 10) + loss(past, at / 10) for at in range(61)}
        weight = min(losses, key=lambda at: losses[at])
        print("log loss by weight:", {at: round(losses[at], 4) for at in SHOWN})
    print(report({**present, "the past": past} if past else present, weight))


def replay(git_dir: str, commits: int) -> Asked:
    """The answers to questions about the functions that the newest commits of a repository changed."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        run("git", "clone", "-q", "--shared", "--no-checkout", git_dir, str(checkout))
        Path(folder, "attributes").write_text(ATTRIBUTES, encoding="utf-8")
        history = git(
            git_dir, "rev-list", "--first-parent", "--reverse", f"--max-count={commits}", "HEAD"
        ).split()
        run("git", "checkout", "-q", "-B", "work", f"{history[0]}", cwd=checkout)
        hunks: dict[str, list[Hunk]] = {}
        words: dict[str, str] = {}
        commits_of: dict[str, str] = {}
        with Rum.open(checkout, home=Path(folder) / "home") as rum:
            for commit in history[1:]:
                run("git", "merge", "-q", "--ff-only", commit, cwd=checkout)
                changed = list(hunks_of(checkout, commit, Path(folder) / "attributes"))
                if not changed:
                    continue
                subject, _, body = git(git_dir, "show", "-s", "--format=%B", commit).strip().partition("\n")
                memory = rum.store(**as_memory(subject, body, changed)).memory_id
                hunks[memory], words[memory], commits_of[memory] = changed, subject, commit
            rum.tidy(math.inf)
            stale, intact = fates(git_dir, hunks, commits_of)
            return ask(rum, hunks, words, stale, intact)


def run(*command: str, cwd: Path | None = None) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=cwd, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def hunks_of(checkout: Path, commit: str, attributes: Path) -> Iterator[Hunk]:
    """The largest ranges of lines that a commit added to code."""
    command = ("git", "-c", f"core.attributesFile={attributes}", "diff", "-U0", "-M", "--no-ext-diff")
    found: list[Hunk] = []
    path = ""
    for line in run(*command, f"{commit}^", commit, cwd=checkout).splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else ""
        elif path and language_of(path) and (hunk := _HUNK.match(line)):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            named = _NAME.search(hunk[3])
            if count:
                symbol = (named[1] or named[2]) if named else ""
                found.append(Hunk(path, start, start + count - 1, symbol))
    found.sort(key=lambda one: one.start - one.end)
    yield from found[:MAX_HUNKS]


def as_memory(subject: str, body: str, hunks: Iterable[Hunk]) -> dict[str, Any]:
    """What an agent stores of its work."""
    actions = [
        {"type": "file_edit", "file_path": one.path, "lines_affected": f"{one.start}-{one.end}"}
        for one in hunks
    ]
    summary = " ".join(body.split())[:400] or subject
    return {
        "intent": {"goal": subject[:300] or "work", "task_type": "feature_add"},
        "actions": actions,
        "outcome": {"success": True, "summary": summary or "done"},
    }


def fates(
    git_dir: str, hunks: dict[str, list[Hunk]], commits: dict[str, str]
) -> tuple[dict[str, set[Hunk]], dict[str, set[Hunk]]]:
    """The hunks of each memory with lines that were rewritten, and those whose lines are all there."""
    survivors: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    now: dict[str, Code | None] = {}
    for path in sorted({one.path for some in hunks.values() for one in some}):
        data = content(git_dir, "HEAD", path)
        now[path] = code_of(data, path) if data is not None and len(data) <= MAX_SIZE else None
        if data is None or now[path] is None:
            continue
        sha, origin, line = "", 0, 0
        for printed in git(git_dir, "blame", "-M", "-C", "-w", "--line-porcelain", "HEAD", "--", path).split(
            "\n"
        ):
            head = printed.split(" ")
            if len(head[0]) == 40 and len(head) >= 3 and not printed.startswith("\t"):
                sha, origin, line = head[0], int(head[1]), int(head[2])
            elif printed.startswith("filename ") and printed[9:] == path:
                survivors[sha, path].setdefault(origin, line)
    stale: dict[str, set[Hunk]] = defaultdict(set)
    intact: dict[str, set[Hunk]] = defaultdict(set)
    for memory, some in hunks.items():
        for hunk in some:
            data, new = content(git_dir, commits[memory], hunk.path), now[hunk.path]
            old = code_of(data, hunk.path) if data is not None and len(data) <= MAX_SIZE else None
            if old is None or new is None:
                continue
            lines = survivors[commits[memory], hunk.path]
            truth = truth_of((hunk.start, hunk.end), old, new, lines, [old.whole(), new.whole()])
            if truth and truth.kind == "rewritten":
                stale[memory].add(hunk)
            elif truth and truth.kind == "intact":
                intact[memory].add(hunk)
    return stale, intact


def ask(
    rum: Rum,
    hunks: dict[str, list[Hunk]],
    words: dict[str, str],
    stale: dict[str, set[Hunk]],
    intact: dict[str, set[Hunk]],
) -> Asked:
    """The answers to questions about functions that some memories tell rightly, and others no longer."""
    old: dict[tuple[str, str], list[str]] = defaultdict(list)
    right: dict[tuple[str, str], list[str]] = defaultdict(list)
    for memory, some in hunks.items():
        for hunk in some:
            place = (hunk.path, hunk.symbol)
            if hunk in stale[memory]:
                old[place].append(memory)
            elif hunk in intact[memory] and not stale[memory]:
                right[place].append(memory)
    asked: Asked = defaultdict(list)
    places = [place for place in old if place in right and place[1]]
    for path, symbol in places[:QUESTIONS]:
        place = (path, symbol)
        wordings = {
            "name": f"{symbol} {Path(path).stem}",
            "words of the past": told(words[old[place][-1]], symbol),
            "words of today": told(words[right[place][-1]], symbol),
        }
        for kind, wording in wordings.items():
            found = rum.recall(query=wording, limit=LIMIT, include_similar=True).memories
            given = [
                Given(
                    one.confidence,
                    share_of(one.freshness, one.code_changed),
                    one.id in right[place],
                    bool(stale.get(one.id)),
                    one.freshness in (CHANGED, GONE),
                )
                for one in found
            ]
            asked[kind].append(given)
    return asked


def told(subject: str, symbol: str) -> str:
    """A question about a function in some words of a message."""
    words = [word for word in re.findall(r"[A-Za-z_]{3,}", subject) if word.casefold() not in _COMMON]
    return " ".join((symbol, *words[:4]))


def share_of(state: object, changed: object) -> float:
    """How much of the code changed, as an answer says it."""
    if state == GONE:
        return 1.0
    return float(changed) if isinstance(changed, float) and state == CHANGED else 0.0


def questions_of_the_past(name: str, git_dir: str) -> list[list[Given]]:
    """The answers to the questions of the coding set about an imported history."""
    _, questions = coding.load("dev")
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        run("git", "clone", "-q", "--shared", git_dir, str(checkout))
        with Rum.open(checkout, home=Path(folder) / "home") as rum:
            rum.import_git()
            rum.tidy(math.inf)
            asked: list[list[Given]] = []
            for one in questions[name]:
                if one.kind in ("failure", "nothing"):  # what was undone is told as such
                    continue
                files = list(one.files) or None
                found = rum.recall(query=one.text, file=files, limit=LIMIT, include_similar=True).memories
                given: list[Given] = []
                for memory in found:
                    origin = rum.show(memory.id).origin
                    commit = str(origin.reference if origin else "")
                    share = share_of(memory.freshness, memory.code_changed)
                    is_right = any(commit.startswith(answer) for answer in one.answers)
                    given.append(Given(memory.confidence, share, is_right, False, bool(share)))
                asked.append(given)
    print(f"{name}: {len(asked)} questions about the past", flush=True)
    return asked


def loss(asked: Iterable[list[Given]], weight: float) -> float:
    """The mean log loss of the confidences of all answers."""
    losses = [
        -math.log(max(1e-9, chance if one.is_right else 1 - chance))
        for answers in asked
        for one in answers
        for chance in [min(1 - 1e-6, lowered(one, weight))]
    ]
    return sum(losses) / max(1, len(losses))


def lowered(one: Given, weight: float) -> float:
    """The confidence of an answer with a weight."""
    if one.confidence in (0.0, 1.0):
        return one.confidence
    odds = one.confidence / (1 - one.confidence) * math.exp(-weight * one.share)
    return odds / (1 + odds)


def report(asked: Asked, weight: float) -> str:
    """How often the first answers are right and stale, without and with the weight."""
    rows = [
        "| questions | | weight | right first | right in 5 | MRR | stale first | log loss |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind, answers in asked.items():
        for one in (0.0, weight):
            rows.append(f"| {kind} | {len(answers)} | {one:.1f} | {figures(answers, one)} |")
    every = [one for kind, answers in asked.items() if kind != "the past" for some in answers for one in some]
    stale = [one for one in every if one.is_stale]
    silent = sum(not one.is_labelled for one in stale)
    fresh = [one for one in every if one.is_right]
    rows += [
        "",
        f"Stale answers: {len(stale)}, without a label {silent}. "
        f"Right answers: {len(fresh)}, called changed or gone {sum(one.is_labelled for one in fresh)}.",
    ]
    return "\n".join(rows)


def figures(asked: list[list[Given]], weight: float) -> str:
    """The cells of a row."""
    ranked = [sorted(answers, key=lambda one: -lowered(one, weight)) for answers in asked]
    count = max(1, len(ranked))
    ranks = [next((at for at, one in enumerate(some) if one.is_right), None) for some in ranked]
    cells = (
        100 * sum(rank == 0 for rank in ranks) / count,
        100 * sum(rank is not None and rank < 5 for rank in ranks) / count,
        100 * sum(1 / (rank + 1) for rank in ranks if rank is not None) / count,
        100 * sum(bool(some) and some[0].is_stale for some in ranked) / count,
    )
    return " | ".join([*(f"{one:.1f}" for one in cells), f"{loss(asked, weight):.4f}"])


if __name__ == "__main__":
    main()
