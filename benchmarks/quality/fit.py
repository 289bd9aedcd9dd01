"""`python -m benchmarks.quality.fit`: fit the weights of recall and its confidence, and see what they bring.

Fitted on LoCoMo, on commit causes, on issues, on the `dev` half of the coding set, on young stores, and, the
confidence alone, on questions that a store cannot answer. With `--write` the results go to
`src/rum/recall/fitted.py`, `docs/reference/signals.md` and `ablations.md`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator
from itertools import groupby

from benchmarks.quality import causes, coding, issues, locomo, strangers
from benchmarks.quality.candidate_signals import CachedEmbedder, Sight, sights
from benchmarks.quality.cases import Case
from benchmarks.quality.fit_columns import Odds, fit_all
from benchmarks.quality.fitting import Curve
from benchmarks.quality.history import read
from benchmarks.quality.small_stores import small
from benchmarks.quality.tables import ablations, python, reweighed, tables
from rum.recall import fitted

LIMIT = 20
COMMITS, CAUSES = 2_000, 250  # The size of a store of causes, and the number of questions
ISSUE_COMMITS, ISSUES = 1_200, 150  # The same for issues
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FITTED = os.path.join(ROOT, "src", "rum", "recall", "fitted.py")
PAGE = os.path.join(ROOT, "docs", "reference", "signals.md")
ABLATIONS = os.path.join(ROOT, "benchmarks", "quality", "ablations.md")


def main() -> None:
    """Look on while questions are asked, fit, and tell."""
    options = _options()
    seen = list(observed(options))
    kept = fitted.WEIGHTS if options.keep_ranking or options.new else None
    if options.new:
        fits = fit_all(seen, kept, _odds())
        with open(PAGE, encoding="utf-8") as file:
            texts = {PAGE: reweighed(file.read(), fits)}
    else:
        fits = fit_all(seen, kept)
        texts = {PAGE: tables(fits, seen, kept)}
    if not (options.quick or kept):
        texts[ABLATIONS] = ablations(fits, seen)
    print(*texts.values(), sep="\n")
    if options.write:
        for path, text in {FITTED: python(fits), **texts}.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


def _odds() -> dict[str, Odds]:
    """Those that there are."""
    return {
        column: ({name: Curve(*curve) for name, curve in first.items()}, fitted.OTHERS[column])
        for column, first in fitted.FIRST.items()
    }


def observed(options: argparse.Namespace) -> Iterator[Sight]:
    """Every question of every set as the ranking sees it, by words alone and with vectors."""
    vectors = CachedEmbedder(options.cache)
    # Cases that are asked of the same memories follow one another; one store is filled for them.
    wanted = (named for named in sets(options) if options.only in (None, named[0]))
    for _, same in groupby(wanted, key=lambda named: named[1].pieces):
        cases = list(same)
        print(*(f"{name}: {case.name}" for name, case in cases), sep=", ", file=sys.stderr, flush=True)
        yield from sights(cases, LIMIT, vectors, options.records)


def sets(options: argparse.Namespace) -> Iterator[tuple[str, Case]]:
    """What is fitted on."""
    for case in coding.cases("dev"):
        yield "coding", case
        for young in small(case):
            yield "young", young
    if options.locomo:
        for case in locomo.cases(options.locomo):
            yield "locomo", case
    reported = [
        issues.case(repo, path, options.tasks, ISSUE_COMMITS, ISSUES) for repo, path in options.issues
    ]
    for case, other in zip(reported, reported[1:] + reported[:1], strict=True):
        yield "issues", case
        if case is not other:
            yield "strangers", strangers.asked(case, [one.text for one in other.questions])
        for young in issues.young(case):
            yield "young", young
        for young in issues.young(case, "report"):
            yield "young reports", young
    # Questions of flask are foreign to all repositories of causes; reports are, too.
    talked = [one.text for one in coding.cases("dev")[0].questions if not one.files]
    talked += [one.text for case in reported for one in case.questions]
    for name, repos in (("causes", options.repo), ("causes elsewhere", options.other_repo)):
        for repo, path in repos:
            case = _causes(repo, *path.rsplit("@", 1))
            yield name, case
            yield (
                f"{name} by words",
                case._replace(questions=[one._replace(files=()) for one in case.questions]),
            )
            yield "strangers", strangers.asked(case, talked)
            yield "other words", strangers.about_files(case, talked)
            for young in strangers.young_with_files(case, talked):
                yield "young files", young


def _causes(name: str, git_dir: str, until: str | None = None) -> Case:
    history = [causes.readable(commit) for commit in read(git_dir, newest=COMMITS, until=until)]
    asked = list(causes.questions(history))
    random.Random(causes.SEED).shuffle(asked)
    return Case(name, [causes.remembered(commit) for commit in history], asked[:CAUSES], [])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.fit", description=__doc__)
    parser.add_argument("--locomo", metavar="FILE", help="conversations of LoCoMo")
    for option, purpose in (
        ("--repo", "for commit causes"),
        ("--other-repo", "the same, counted less: so that one project's habits aren't taken for a law"),
    ):
        parser.add_argument(
            option, action="append", default=[], type=_named, metavar="NAME=GIT_DIR[@DATE]", help=purpose
        )
    parser.add_argument(
        "--issues", action="append", default=[], type=_named, metavar="NAME=GIT_DIR", help="as psf__requests"
    )
    parser.add_argument("--tasks", metavar="GIT_DIR", help="of github.com/SWE-bench/swe-bench-tasks")
    parser.add_argument(
        "--cache", default=":memory:", metavar="FILE", help="where vectors are kept for next time"
    )
    parser.add_argument(
        "--records",
        default="",
        metavar="FOLDER",
        help="where the signals of each store are kept: an interrupted fit goes on there. "
        "Empty it after a change of the search or of the signals",
    )
    parser.add_argument("--quick", action="store_true", help="without the ablations")
    parser.add_argument(
        "--keep-ranking", action="store_true", help="fit the confidence only, for the weights that there are"
    )
    parser.add_argument(
        "--new", action="store_true", help="fit only signals that have no weight yet; all else stays"
    )
    parser.add_argument("--only", metavar="SET", help="ask the questions of this set alone, such as locomo")
    parser.add_argument(
        "--write", action="store_true", help="write fitted.py, docs/reference/signals.md and ablations.md"
    )
    return parser.parse_args()


def _named(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    return name, path


if __name__ == "__main__":
    main()
