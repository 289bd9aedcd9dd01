"""Writes the figures as Markdown tables with a description of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.docs_page import machine
from benchmarks.quality import metrics
from benchmarks.quality.score import Scores, false_answers

PAGE = """# Quality of recall

<!-- Made by `make quality ARGS="--fold test --write docs/reference/quality.md"`. -->

Questions with known answers, put to RUM (through `rum mcp`) and to simpler searches. Everything runs offline.

| search | description |
|---|---|
| `rum` | RUM with its built-in embedder |
| `rum-text` | RUM with `RUM_EMBEDDER=none` |
| `fts5` | SQLite FTS5 with the porter stemmer: any word, ranked by bm25 |
| `grep` | any word or path of the question, ranked by number of hits, then newest first |
| `none` | no memory |

- **any@k**: percentage of questions with a right answer among the first k.
- **MRR**: mean of 1 / rank of the first right answer, in percent.
- **tokens**: characters / 4 that an agent reads with RUM's defaults, per question answered right. The other
  searches print their five best hits in full.
- **calibration error**: distance between confidence and the share of right answers. Part of it comes from
  incomplete labels.
- **false**: percentage of questions without an answer in the store that are answered with a confidence of 0.5
  or more (sure), or at all (any). **foreign**: the same for questions about another store; a few of them have
  an answer here.

{sets}

## The coding set

{counts} hand-written questions about the histories of Flask, Requests and curl, stored with their answers in
`benchmarks/quality/data/`. One half (`dev`) is for fitting, the other (`test`) only for measuring.

| kind | question |
|---|---|
| `file` | a file and a task |
| `symptom` | what a user would see, in other words than the commit's |
| `cause` | why something is as it is |
| `failure` | what was tried and reverted |
| `words` | an ordinary question that shares words with the answer |
| `keywords` | two to five words, as agents send them |
| `typo` | a question with typing errors |
| `nothing` | a question that no commit answers |

Two more sets are not in the repository: LoCoMo (`--locomo FILE`; its licence forbids commercial use), and
commit causes from any git directory (`--repo NAME=GIT_DIR`): later commits that fix, revert or follow up an
earlier one.

Measured on {machine}. To repeat it, run `make quality`.
"""
ABOUT = {"coding": "Coding memory", "locomo": "LoCoMo", "causes": "Commit causes"}


class Result(NamedTuple):
    """What the arms made of one set."""

    name: str
    stores: int
    pieces: int
    arms: dict[str, Scores]


def section(result: Result, reliable: int | None = None) -> str:
    """All tables of one set; with `reliable`, bins of confidence only of that many searches."""
    scores = next(iter(result.arms.values()))
    size = (
        f"{len(scores.asked):,} questions; stores: {result.stores}, with {result.pieces:,} memories together."
    )
    parts = [f"## {ABOUT[result.name]}", size, _ranking(result), _kinds(result), _trust(result)]
    calibrated = [one for one in result.arms.items() if one[1].calibration()[0] is not None]
    parts += [_reliability(arm, scores) for arm, scores in calibrated[:reliable]]
    return "\n\n".join(part for part in parts if part)


def page(results: Sequence[Result], counts: str) -> str:
    """The whole document."""
    sets = "\n\n".join(section(result, reliable=1) for result in results)
    return PAGE.format(sets=sets, counts=counts, machine=machine())


def _ranking(result: Result) -> str:
    head = ["search", *(f"any@{first}" for first in metrics.CUTOFFS), "MRR", "tokens", "ms"]
    rows = (
        [
            f"`{arm}`",
            *_figures(scores),
            _number(scores.tokens_per_right(), 0),
            _number(scores.milliseconds(), 1),
        ]
        for arm, scores in result.arms.items()
    )
    return _table(head, rows)


def _kinds(result: Result) -> str:
    scores = next(iter(result.arms.values()))
    kinds = list(dict.fromkeys(one.question.kind for one in scores.answerable))
    head = ["kind", "questions", *(f"`{arm}` @1 / @5 / MRR" for arm in result.arms)]
    rows = (
        [f"`{kind}`", str(len(scores.of_kind(kind).asked)), *map(_short, _of_kind(result, kind))]
        for kind in kinds
    )
    return _table(head, rows)


def _of_kind(result: Result, kind: str) -> Iterator[Scores]:
    return (scores.of_kind(kind) for scores in result.arms.values())


def _trust(result: Result) -> str:
    head = ["search", "calibration error, first", "all", "false, sure", "any", "foreign, sure", "any"]
    rows = (
        [f"`{arm}`", *(_number(error, 3) for error in scores.calibration()), *_false(scores)]
        for arm, scores in result.arms.items()
    )
    return _table(head, rows)


def _false(scores: Scores) -> Iterator[str]:
    sayable = scores.calibration()[0] is not None
    for asked in (scores.unanswerable, scores.foreign):
        sure, some = false_answers(asked)
        yield _percent(sure) if asked and sayable else "–"
        yield _percent(some) if asked else "–"


def _reliability(arm: str, scores: Scores) -> str:
    all_pairs = [one.pairs for one in scores.asked]
    first = {one.low: one for one in metrics.bins(pairs[0] for pairs in all_pairs if pairs)}
    every = {one.low: one for one in metrics.bins(pair for pairs in all_pairs for pair in pairs)}
    head = [f"`{arm}`: confidence", "first answers", "mean", "right", "all answers", "mean", "right"]
    rows = (
        [f"{low:.1f} to {low + 0.1:.1f}", *_bin(first.get(low)), *_bin(every.get(low))]
        for low in sorted(every)
    )
    return _table(head, rows)


def _bin(one: metrics.Bin | None) -> list[str]:
    return [f"{one.size:,}", f"{one.mean:.2f}", f"{one.share:.2f}"] if one else ["", "", ""]


def _figures(scores: Scores) -> list[str]:
    figures = (*(scores.any_at(first) for first in metrics.CUTOFFS), scores.reciprocal_rank())
    return [_percent(figure) for figure in figures]


def _short(scores: Scores) -> str:
    return " / ".join(_percent(one) for one in (scores.any_at(1), scores.any_at(5), scores.reciprocal_rank()))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _table(head: list[str], rows: Iterator[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
