"""Make anchors at old commits of real repositories, and check them against later ones.

    python -m benchmarks.freshness --repo NAME=GIT_DIR ... [--anchors N] [--jobs N] [--misses] [--write FILE]

The truth is `git blame -M -C -w`. Code that blame takes for new, but that a lexer finds unchanged but for its
formatting, is formatted only; so are files of the commits in `.git-blame-ignore-revs` in which a lexer finds
the same code as before. The spans are chosen at random, with a fixed seed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.freshness import cost
from benchmarks.freshness.truth import Code, Truth, code_of, is_only_formatted, surviving_lines, truth_of
from rum.model.anchors import FRESH, MOVED
from rum.repo.anchors.check import check_anchor
from rum.repo.anchors.make import make_anchors
from rum.repo.anchors.source_file import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rum.model.anchors import Freshness

LANGUAGES = {
    **dict.fromkeys(("py", "pyi"), "Python"),
    **dict.fromkeys(("js", "mjs", "jsx"), "JavaScript"),
    **dict.fromkeys(("ts", "tsx"), "TypeScript"),
    **dict.fromkeys(("c", "h"), "C"),
    **dict.fromkeys(("cc", "cpp", "hpp"), "C++"),
    "go": "Go",
    "rs": "Rust",
    "java": "Java",
}
SEED = 19
SPANS = 40  # Spans of a file
MAX_SIZE = 200_000  # Bytes of a file: blame of larger ones takes too long
MAX_LINES = 40  # Lines of a span
PAIRS = 24  # Pairs of commits of a repository
PAGE = """# Freshness: measured

`python -m benchmarks.freshness` makes [anchors](../freshness.md) at old commits of real repositories and
checks them at later ones. Only files that were changed in between are looked at. The truth is
`git blame -M -C -w`: a span is rewritten if a line of its code is gone or new, and intact if all are there,
side by side. It is formatted only if a lexer finds the same code, or if its file is the same but for
formatting in a commit that `.git-blame-ignore-revs` names. Intact lines with new ones between them are in
neither group.

## Answers

"""
ARMS = ("RUM", "same file content", "file not touched", "same symbol")


class Checked(NamedTuple):
    """One anchor: what happened to it, and what each arm says."""

    language: str
    truth: Truth
    said: Freshness
    moved: bool  # Whether its code is at another place now
    fresh: tuple[bool, ...]  # Whether each arm calls it fresh
    where: str


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freshness", description=__doc__)
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=GIT_DIR", required=True)
    parser.add_argument("--anchors", type=int, default=3000, help="of each repository")
    parser.add_argument("--jobs", type=int, default=1, help="repositories at once")
    parser.add_argument("--misses", action="store_true", help="print wrong answers")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    names = [repo.partition("=")[0] for repo in given.repo]
    folders = [repo.partition("=")[2] for repo in given.repo]
    with ProcessPoolExecutor(given.jobs) as pool:
        found = pool.map(replay_all, folders, [given.anchors] * len(folders))
        checked = dict(zip(names, found, strict=True))
    page = PAGE + report(checked) + "\n## Cost\n\n" + cost.measure()
    print(page)
    if given.misses:
        print(*misses([one for found in checked.values() for one in found]), sep="\n")
    if given.write:
        given.write.write_text(page, encoding="utf-8")


def replay_all(git_dir: str, wanted: int) -> list[Checked]:
    """The anchors of one repository."""
    began = time.monotonic()
    found = list(replay(git_dir, random.Random(SEED), wanted))
    found += replay_formatting(git_dir, random.Random(SEED), wanted // 3)
    print(f"{git_dir}: {len(found)} anchors in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return found


def replay(git_dir: str, rng: random.Random, wanted: int) -> Iterator[Checked]:
    """Anchors made at commits of the first-parent history, checked against later ones."""
    history = git(git_dir, "rev-list", "--first-parent", "--reverse", "HEAD").split()
    per_pair = -(-wanted // PAIRS)
    for _ in range(PAIRS):
        at = rng.randrange(len(history) // 10, len(history) - 2)
        later = min(len(history) - 1, at + rng.choice((10, 50, 250, 1000, len(history))))
        old, new = history[at], history[later]
        try:
            names = renamed(git_dir, old, new)
        except subprocess.CalledProcessError:  # a clone may lack some contents
            continue
        files = [path for path in git(git_dir, "ls-tree", "-r", "-z", "--name-only", old).split("\0") if path]
        files = [path for path in files if language_of(path)]
        touched = set(git(git_dir, "log", "--format=", "--name-only", "-z", f"{old}..{new}").split("\0"))
        changed = [path for path in files if path in touched]
        rng.shuffle(changed)
        left = per_pair
        for path in changed:
            if left <= 0:
                break
            for one in check_file(git_dir, (old, new), path, names.get(path, path), rng):
                left -= 1
                yield one


def replay_formatting(git_dir: str, rng: random.Random, wanted: int) -> Iterator[Checked]:
    """Anchors made before the commits that only formatted code, and checked after them."""
    listed = content(git_dir, "HEAD", ".git-blame-ignore-revs") or b""
    commits = [line.split()[0].decode() for line in listed.splitlines() if line[:40].isalnum()]
    commits = [one for one in commits if content(git_dir, one, "", kind="commit") is not None]
    for new in commits:
        old = git(git_dir, "rev-parse", f"{new}^").strip()
        changed = git(git_dir, "diff", "--name-only", "-z", "--diff-filter=M", old, new).split("\0")
        changed = [path for path in changed if language_of(path)]
        rng.shuffle(changed)
        left = -(-wanted // len(commits))
        for path in changed:
            if left <= 0:
                break
            for one in check_file(git_dir, (old, new), path, path, rng, formatting=True):
                left -= 1
                yield one


def check_file(
    git_dir: str,
    commits: tuple[str, str],
    path: str,
    new_path: str | None,
    rng: random.Random,
    *,
    formatting: bool = False,
) -> Iterator[Checked]:
    """Some spans of a file that was changed between two commits; with `formatting` only formatted ones."""
    old, new = commits
    before = content(git_dir, old, path)
    now = content(git_dir, new, new_path) if new_path else None
    if before is None or now is None or max(len(before), len(now)) > MAX_SIZE:
        return
    old_code, new_code = code_of(before, path), code_of(now, new_path or path)
    if old_code is None or new_code is None or (formatting and not is_only_formatted(old_code, new_code)):
        return
    spans = random_spans(old_code, rng)
    anchors = {(one.start, one.end): one for one in make_anchors(SourceFile(before, path), spans, old)}
    if not anchors:
        return
    survivors = surviving_lines(git_dir, old, new, new_path or path, path)
    texts, file = [old_code.whole(), new_code.whole()], SourceFile(now, path)
    for span, anchor in anchors.items():
        truth = truth_of(span, old_code, new_code, survivors, texts)
        if formatting and truth and truth.kind in ("rewritten", "grown"):
            truth = Truth("formatted")
        if truth is None or (formatting and truth.kind == "intact"):
            continue
        said = check_anchor(anchor, file, new_path or path)
        symbol = anchor.symbol.encode()
        fresh = (said.state in (FRESH, MOVED), before == now, False, bool(symbol) and symbol in now)
        moved = truth.kind == "intact" and (truth.start, truth.end) != code_range(old_code, span)
        where = f"{old[:10]}..{new[:10]} {path}:{span[0]}-{span[1]}"
        yield Checked(language_of(path), truth, said, moved, fresh, where)


def random_spans(code: Code, rng: random.Random) -> list[tuple[int, int]]:
    """Spans like those of changes: mostly short."""
    size = len(code.lines) - 3
    spans: list[tuple[int, int]] = []
    for _ in range(SPANS if size > 0 else 0):
        start = rng.randint(1, size)
        spans.append((start, min(size, start + min(MAX_LINES, int(rng.expovariate(1 / 8))))))
    return list(dict.fromkeys(spans))


def code_range(code: Code, span: tuple[int, int]) -> tuple[int, int]:
    """The first and last line of a span that has code."""
    own = [number for number in range(span[0], span[1] + 1) if code.lines[number]]
    return own[0], own[-1]


def language_of(path: str) -> str:
    """The language of a file; empty for those that are not measured."""
    return LANGUAGES.get(path.rpartition(".")[2], "")


def renamed(git_dir: str, old: str, new: str) -> dict[str, str | None]:
    """The new names of files; None for those that were deleted."""
    fields = git(git_dir, "diff", "--name-status", "-z", "-M", "--diff-filter=DR", old, new).split("\0")
    names: dict[str, str | None] = {}
    at = 0
    while at < len(fields) - 1:
        if fields[at].startswith("R"):
            names[fields[at + 1]] = fields[at + 2]
            at += 3
        else:
            names[fields[at + 1]] = None
            at += 2
    return names


def git(git_dir: str, *arguments: str) -> str:
    """Git's output."""
    command = ["git", f"--git-dir={git_dir}", "-c", "diff.renameLimit=2000", *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def content(git_dir: str, commit: str, path: str, kind: str = "blob") -> bytes | None:
    """A file of a commit, or the commit itself; None if there is none."""
    name = f"{commit}:{path}" if kind == "blob" else commit
    command = ["git", f"--git-dir={git_dir}", "cat-file", kind, name]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def report(checked: dict[str, list[Checked]]) -> str:
    """The figures by language and for each arm."""
    every = [one for found in checked.values() for one in found]
    groups: dict[str, list[Checked]] = defaultdict(list)
    for one in every:
        groups[one.language].append(one)
    rows = [
        f"{len(every)} anchors of {len(checked)} repositories ({', '.join(checked)}).",
        "",
        "| | anchors | rewritten | called fresh | intact | called stale | formatted only | called stale "
        "| moved | right place |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *(row(name, found) for name, found in [*sorted(groups.items()), ("all", every)]),
        "",
        "| arm | called fresh although rewritten | called stale although intact or formatted only |",
        "|---|---|---|",
    ]
    rewritten = [one for one in every if one.truth.kind == "rewritten"]
    same = [one for one in every if one.truth.kind in ("intact", "formatted")]
    for at, arm in enumerate(ARMS):
        wrong = share(sum(one.fresh[at] for one in rewritten), len(rewritten))
        rows.append(f"| {arm} | {wrong} | {share(sum(not one.fresh[at] for one in same), len(same))} |")
    return "\n".join(rows) + "\n"


def row(name: str, found: list[Checked]) -> str:
    """The figures of RUM for some anchors."""
    kinds: dict[str, list[Checked]] = defaultdict(list)
    for one in found:
        kinds[one.truth.kind].append(one)
    rewritten, intact, formatted = kinds["rewritten"], kinds["intact"], kinds["formatted"]
    moved = [one for one in intact if one.moved and one.fresh[0]]
    right = sum((one.said.start, one.said.end) == (one.truth.start, one.truth.end) for one in moved)
    figures = (
        *(len(found), len(rewritten), share(sum(one.fresh[0] for one in rewritten), len(rewritten))),
        *(len(intact), share(sum(not one.fresh[0] for one in intact), len(intact))),
        *(len(formatted), share(sum(not one.fresh[0] for one in formatted), len(formatted))),
        *(len(moved), share(right, len(moved))),
    )
    return f"| {name} | {' | '.join(map(str, figures))} |"


def share(part: int, whole: int) -> str:
    """A share in percent."""
    return f"{100 * part / whole:.2f} %" if whole else "-"


def misses(every: list[Checked]) -> Iterator[str]:
    """Wrong answers, at most 40 of each kind."""
    seen = Counter[str]()
    for one in every:
        kind = one.truth.kind
        wrong = one.fresh[0] if kind == "rewritten" else not one.fresh[0] and kind != "grown"
        is_misplaced = one.moved and one.fresh[0] and one.said.start != one.truth.start
        if (wrong or is_misplaced) and seen[kind] < 40:
            seen[kind] += 1
            yield f"{kind} {one.truth.start}-{one.truth.end}, said {one.said}: {one.where}"


if __name__ == "__main__":
    main()
