"""`python -m benchmarks.quality`: put questions with known answers to RUM and to simpler searches."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.quality import causes, coding, locomo, report
from benchmarks.quality.arms import Arm, FullText, Grep, Nobody
from benchmarks.quality.cases import Case
from benchmarks.quality.rum_arm import ThroughMcp
from benchmarks.quality.score import run
from benchmarks.quality.shifted_embedder import Shifted

ARMS: dict[str, Callable[[], Arm]] = {
    "rum": ThroughMcp,
    "rum-text": partial(ThroughMcp, RUM_EMBEDDER="none"),
    "fts5": FullText,
    "grep": Grep,
    "none": Nobody,
    "rum-shifted": Shifted,
}
USUAL = [name for name in ARMS if name != "rum-shifted"]  # What is asked if nothing else is said
SETS = ("coding", "locomo", "causes")


def main() -> None:
    """Ask, print, and write the page where one is asked for."""
    options = _options()
    results: list[report.Result] = []
    for name, cases in _sets(options):
        arms = {arm: _scored(name, arm, cases, options.limit) for arm in options.arms}
        results.append(report.Result(name, len(cases), sum(len(case.pieces) for case in cases), arms))
        print(report.section(results[-1]), end="\n\n", flush=True)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(report.page(results, f"{len(coding.rows()):,}"))


def _scored(name: str, arm: str, cases: list[Case], limit: int) -> report.Scores:
    print(f"{name}: {arm} ...", file=sys.stderr, flush=True)
    return run(cases, ARMS[arm], limit)


def _sets(options: argparse.Namespace) -> Iterator[tuple[str, list[Case]]]:
    wanted = SETS if options.set == "all" else (options.set,)
    if "coding" in wanted:
        yield "coding", coding.cases(options.fold)
    if "locomo" in wanted:
        yield "locomo", locomo.cases(options.locomo)
    if "causes" in wanted:
        yield "causes", causes.cases(dict(options.repo), options.commits, options.questions)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--set", choices=(*SETS, "all"), default="coding")
    parser.add_argument("--locomo", metavar="FILE", help="locomo10.json, for that set")
    parser.add_argument("--repo", action="append", default=[], type=_named, metavar="NAME=GIT_DIR")
    parser.add_argument(
        "--commits", type=int, default=5_000, help="newest ones that causes are looked for in"
    )
    parser.add_argument("--questions", type=int, default=300, help="of causes, a repository")
    parser.add_argument(
        "--fold", choices=("dev", "test"), help="half of the coding questions; both if not given"
    )
    parser.add_argument("--arms", type=_arms, default=USUAL, metavar=",".join(ARMS))
    parser.add_argument("--limit", type=int, default=20, help="answers looked at")
    parser.add_argument("--write", metavar="FILE", help="write the page there, as docs/reference/quality.md")
    options = parser.parse_args()
    if options.set in ("locomo", "all") and not options.locomo:
        parser.error("the LoCoMo set needs --locomo FILE")
    if options.set in ("causes", "all") and not options.repo:
        parser.error("commit causes need a repository: --repo NAME=GIT_DIR")
    return options


def _arms(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in ARMS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such arm: {', '.join(unknown)}; there are {', '.join(ARMS)}")
    return names


def _named(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=GIT_DIR")
    return name, path


if __name__ == "__main__":
    main()
