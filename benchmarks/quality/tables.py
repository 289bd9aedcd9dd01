"""Writes fitted weights as the module that recall reads, and as tables for people."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.quality import metrics
from benchmarks.quality.candidate_signals import Sight
from benchmarks.quality.fit_columns import COLUMNS, Fit, confidences, fit, rank, ranking
from benchmarks.quality.fitting import Curve

FOLDS = 5
SEED = 3
MIN_CONFIDENCE = 0.15  # The default threshold; see the table of thresholds
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)

MODULE = '''"""The fitted weights of the ranking signals and the confidence; never edited by hand.

Written by `python -m benchmarks.quality.fit --write`; `docs/signals.md` describes the signals.
"""

from __future__ import annotations

# The weight of each signal, for queries without and with files, by words alone and with vectors.
WEIGHTS: dict[str, dict[str, float]] = {{
{weights}
}}

# The log odds that the best candidate is right: by its share among all, its score, and the query.
#
# For each input: minimum and maximum in the fitted data (values beyond are clamped), slope and curvature.
FIRST: dict[str, dict[str, tuple[float, float, float, float]]] = {{
{first}
}}

# The log odds of the other candidates: the slope of each input.
OTHERS: dict[str, dict[str, float]] = {{
{others}
}}

MIN_CONFIDENCE = {least}  # The default threshold: results with a lower confidence are not returned
'''

PAGE = """# Ranking signals

<!-- Made by `python -m benchmarks.quality.fit --write`. -->

Recall computes signals for each candidate. Their weighted sum is the score. The confidence follows from the
score, the candidate's share among all candidates, and the query. `rum recall --explain` shows the shares for
your own query.

| signal | meaning |
| --- | --- |
| words, rarest | query words in the memory, by rarity; the rarest of them |
| goal, paths | query words in its goal; in its file names |
| length | its length |
| around, beside | query words in neighbouring or linked memories: those missing in the memory itself; all |
| here | created recently in this session |
| meaning, meaning_next | its vector is similar to the query's; a neighbour's vector is similar |
| files, asked_files | files of the query that it touched, by rarity; their share |
| breadth | touched many files |
| file_recency, recency | among the latest work on these files; among the latest work |

## Weights

Fitted on the development sets of the [quality measurements](quality.md): {sets}.
`young` are small stores made from the coding set, `elsewhere` are other repositories (with less weight), and
`by words` means without files. The columns are queries without and with files, by words alone and with
vectors. What each signal adds is in [ablations](../benchmarks/quality/ablations.md).

{weights}

## Is the confidence true?

Measured by cross-validation on five folds. The error is the mean distance between confidence and the share of
right answers, in steps of 0.1. *By chance* is the error that a perfect confidence would show on the first
answer with this few questions. *False and sure* is the share of unanswerable questions answered with a
confidence of 0.5 or more. Labels are incomplete.

{calibration}

## The threshold

With a limit of {limit}: the share of answerable questions that get a right answer, and of unanswerable ones
that get any answer. The default threshold is in bold.

{thresholds}
"""


ABLATIONS = """# What each ranking signal adds

<!-- Made by `python -m benchmarks.quality.fit --write`. -->

The ranking with all [signals](../../docs/signals.md), and fitted again without one. Each cell has the
percentage of questions with a right answer among the first 5 and 10, and the mean reciprocal rank, on the
questions used for fitting.

{tables}
"""


def python(fits: dict[str, Fit]) -> str:
    """The module `fitted.py`."""
    return MODULE.format(
        weights="\n".join(_entry(column, one.weights) for column, one in fits.items()),
        first="\n".join(_entry(column, one.first) for column, one in fits.items()),
        others="\n".join(_entry(column, one.others) for column, one in fits.items()),
        least=MIN_CONFIDENCE,
    )


def _entry(column: str, values: Mapping[str, float | Curve]) -> str:
    lines = "".join(f'        "{name}": {_number(value)},\n' for name, value in values.items())
    return f'    "{column}": {{\n{lines}    }},'


def _number(value: float | Curve) -> str:
    if isinstance(value, Curve):
        return f"({', '.join(_number(one) for one in value)})"
    return repr(float(f"{value:.4g}")) if abs(value) < 1 else repr(round(value, 3))


def tables(fits: dict[str, Fit], seen: Sequence[Sight]) -> str:
    """The page `docs/signals.md`."""
    names = {
        name: sum(one.set_name == name for one in seen) // 2
        for name in dict.fromkeys(one.set_name for one in seen)
    }
    held = list(_held_out(seen))
    return PAGE.format(
        sets=", ".join(f"{name} ({count} questions)" for name, count in names.items()),
        weights=_table(("signal", *fits), _weights(fits)),
        calibration=_table(
            ("column", "set", "first answer", "by chance", "all", "false and sure"),
            _calibration(held),
        ),
        limit=5,
        thresholds=_table(
            ("threshold", "answerable, answered right", "unanswerable, but answered"), _thresholds(held)
        ),
    )


def ablations(fits: dict[str, Fit], seen: Sequence[Sight]) -> str:
    """The page `benchmarks/quality/ablations.md`."""
    return ABLATIONS.format(tables="\n\n".join(_ablation(column, fits[column], seen) for column in fits))


def _weights(fits: dict[str, Fit]) -> Iterator[Sequence[str]]:
    for name in dict.fromkeys(name for one in fits.values() for name in one.weights):
        yield name, *(f"{one.weights[name]:.2f}" if name in one.weights else "" for one in fits.values())


def _ablation(column: str, whole: Fit, seen: Sequence[Sight]) -> str:
    own = [one for one in seen if one.column == column]
    sets = [name for name in dict.fromkeys(one.set_name for one in own) if name != "young"]
    rows = [("all", *_figures(own, sets, whole.weights))]
    for left_out in COLUMNS[column]:
        without = ranking(own, [name for name in COLUMNS[column] if name != left_out])
        rows.append((f"without {left_out}", *_figures(own, sets, without)))
    return f"## {column}\n\n" + _table(("signals", *sets), rows)


def _figures(seen: Sequence[Sight], sets: Sequence[str], weights: dict[str, float]) -> Iterator[str]:
    for name in sets:
        ranks = [rank(sight, weights) for sight in seen if sight.set_name == name and answerable(sight)]
        shares = (metrics.mean([float(place <= first) for place in ranks]) for first in (5, 10))
        mrr = metrics.mean([1 / place for place in ranks])
        yield " ".join(f"{100 * share:.1f}" for share in (*shares, mrr))


def answerable(sight: Sight) -> bool:
    """Whether the question has an answer in the store it was put to."""
    return sight.kind not in ("nothing", "foreign")


def _held_out(seen: Sequence[Sight]) -> Iterator[tuple[Sight, list[tuple[float, bool]]]]:
    """Each question with the confidences of its best candidates, by weights that were fitted without it."""
    for column, names in COLUMNS.items():
        own = [one for one in seen if one.column == column]
        random.Random(SEED).shuffle(own)
        for fold in range(FOLDS):
            fitted = fit([one for at, one in enumerate(own) if at % FOLDS != fold], names)
            for sight in own[fold::FOLDS]:
                yield sight, confidences(sight, fitted) if sight.right else []


def _calibration(held: list[tuple[Sight, list[tuple[float, bool]]]]) -> Iterator[Sequence[str]]:
    for column in COLUMNS:
        for name in dict.fromkeys(sight.set_name for sight, _ in held if sight.column == column):
            own = [one for one in held if one[0].column == column and one[0].set_name == name]
            firsts = [pairs[0] for _, pairs in own if pairs]
            first, chance = metrics.calibration_error(firsts), metrics.error_by_chance(firsts)
            every = metrics.calibration_error([pair for _, pairs in own for pair in pairs])
            nothing = [pairs for sight, pairs in own if not answerable(sight)]
            sure = metrics.mean([float(bool(pairs) and pairs[0][0] >= 0.5) for pairs in nothing])
            figures = (f"{first:.3f}", f"{chance:.3f}", f"{every:.3f}")
            yield column, name, *figures, f"{100 * sure:.1f} %" if nothing else ""


def _thresholds(held: list[tuple[Sight, list[tuple[float, bool]]]]) -> Iterator[Sequence[str]]:
    for least in THRESHOLDS:
        right = [
            any(good for chance, good in pairs[:5] if chance >= least)
            for sight, pairs in held
            if answerable(sight)
        ]
        wrong = [bool(pairs) and pairs[0][0] >= least for sight, pairs in held if not answerable(sight)]
        shares = (f"{100 * sum(those) / max(1, len(those)):.1f} %" for those in (right, wrong))
        yield [f"**{one}**" if least == MIN_CONFIDENCE else one for one in (f"{least}", *shares)]


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
