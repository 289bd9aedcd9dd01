"""Ask `why` about lines of public repositories whose reason is known.

python -m benchmarks.why --repo NAME=GIT_DIR [--repo ...] [--import]

Right: the first commit of the answer is the one that introduced the line, found by searching the history for
its text, not by blame. Reason: the answer has the words of the message that give it, chosen by a reader.
Time is that of an answer in an open process, as a ratio to `git blame -L` of the same line.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rum import Rum

QUESTIONS = Path(__file__).with_name("questions.jsonl")
ROUNDS = 3  # Of a measurement, of which the shortest counts


class Score(NamedTuple):
    """The result for one line."""

    right: bool
    reason: bool
    ratio: float
    tokens: int


def questions(repository: str) -> list[dict[str, Any]]:
    """The questions about a repository."""
    lines = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["repository"] == repository]


def has_words(text: str, words: str) -> bool:
    """Whether a text has these words in this order, however it is wrapped."""
    return " ".join(words.split()).casefold() in " ".join(text.split()).casefold()


def play(name: str, git_dir: str, *, imported: bool) -> list[Score]:
    """The scores for the lines of one repository, in a checkout of its own."""
    asked = questions(name)
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        subprocess.run(
            ["git", "clone", "--quiet", "--shared", "--no-checkout", git_dir, checkout], check=True
        )
        subprocess.run(["git", "checkout", "--quiet", asked[0]["at"]], cwd=checkout, check=True)
        with Rum.open(checkout, home=Path(folder) / "home") as rum:
            if imported:
                rum.import_git()
            return [_score(rum, checkout, one) for one in asked]


def _score(rum: Rum, checkout: Path, one: dict[str, Any]) -> Score:
    target, line = f"{one['path']}:{one['line']}", str(one["line"])
    answer = rum.why(target)
    blame = ["git", "blame", f"-L{line},{line}", "--", one["path"]]
    floor = _shortest(lambda: subprocess.run(blame, cwd=checkout, capture_output=True, check=True))
    first = answer.sources[0].commit if answer.sources else None
    right = bool(first and one["commit"].startswith(first))
    score = Score(
        right,
        has_words(answer.text, one["reason"]),
        _shortest(lambda: rum.why(target)) / floor,
        answer.token_estimate,
    )
    missed = [what for what, hit in (("another commit", right), ("no reason", score.reason)) if not hit]
    if missed:
        print(f"{one['repository']} {target}: {', '.join(missed)}")
    return score


def _shortest(run: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def report(scores: Iterable[Score]) -> str:
    """The figures of all lines."""
    all_scores = list(scores)
    count = len(all_scores)
    ratios = sorted(one.ratio for one in all_scores)
    return (
        f"{count} lines: right commit first {sum(one.right for one in all_scores)}, "
        f"reason {sum(one.reason for one in all_scores)}; "
        f"median time {ratios[count // 2]:.1f} x git blame, longest {ratios[-1]:.1f} x; "
        f"at most {max(one.tokens for one in all_scores)} tokens"
    )


def main() -> None:
    """Play the given repositories and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.why", usage=__doc__)
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=GIT_DIR")
    parser.add_argument("--import", dest="imported", action="store_true")
    options = parser.parse_args()
    given = dict(one.split("=", 1) for one in options.repo)
    scores = [
        score for name, git_dir in given.items() for score in play(name, git_dir, imported=options.imported)
    ]
    print(report(scores) if scores else "Give repositories with --repo.")


if __name__ == "__main__":
    main()
