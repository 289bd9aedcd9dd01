"""Turns recorded signals into weights and odds: one column for each kind of question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.candidate_signals import Sight
from benchmarks.quality.fitting import Curve, Floats, Lists, curves, lists, log_shares, odds, rank_weights
from rum.recall.limits import FALL, UNRIVALLED

QUESTION = ("words", "covers", "rarest", "goal", "paths", "length", "around", "reply", "beside", "here")
LONG = ("words", "rarest", "goal", "paths", "here")
FILES = ("words", "rarest", "goal", "paths", "files", "asked_files", "breadth", "file_recency", "recency")
COLUMNS: dict[str, tuple[str, ...]] = {
    "words": QUESTION,
    "words+meaning": (*QUESTION, "meaning", "meaning_next", "meaning_reply"),
    "files": FILES,
    "files+meaning": (*FILES, "meaning"),
    "long words": LONG,
    "long words+meaning": (*LONG, "meaning"),
    "long files": FILES,
    "long files+meaning": (*FILES, "meaning"),
}
# Inputs about the candidate; they stay linear, so that a better candidate is never less certain.
OWN = ("bias", "share", "score")
# Inputs about the query.
ABOUT = ("unknown", "covered", "said", "rare", "asked", "nearest", "beside", "lead", "candidates")
COUNTS = {"locomo": 1.2, "coding": 1.5, "young": 0.3, "issues": 0.5, "causes": 1.4, "causes by words": 3.0}
COUNTS |= {"causes elsewhere": 0.8, "causes elsewhere by words": 0.8}
"""The weight of a question of each set in the ranking; other sets are for the confidence alone."""
SURENESS = COUNTS | {"locomo": 3.0, "coding": 4.0, "young": 1.0, "issues": 2.0, "causes": 0.7}
SURENESS |= {"causes by words": 1.0, "causes elsewhere": 3.0, "causes elsewhere by words": 2.5}
SURENESS |= {"strangers": 3.0, "other words": 2.0, "young files": 0.5, "young reports": 1.0}
"""The same for the confidence; half of the questions of LoCoMo are foreign."""
UNANSWERABLE = ("nothing", "foreign")  # The kinds of questions without an answer
PENALTY, ODDS_PENALTY = 3.0, 1.0  # The penalty on large weights, in the ranking and in the confidence
JUDGED = 20  # The number of best candidates of each question that are used to fit the confidence


Weights = dict[str, dict[str, float]]  # By column and signal
Odds = tuple[dict[str, Curve], dict[str, float]]  # Of the best one, and of others


class Fit(NamedTuple):
    """The weights of one column, and what makes a confidence of a score: of the best one, and of others."""

    weights: dict[str, float]
    first: dict[str, Curve]
    others: dict[str, float]


def fit_all(
    seen: Sequence[Sight], kept: Weights | None = None, odds: Mapping[str, Odds] | None = None
) -> dict[str, Fit]:
    """The weights of every column, and the odds that follow from them; those that are given stay."""
    fits: dict[str, Fit] = {}
    for column, names in COLUMNS.items():
        own = [one for one in seen if one.column == column]
        weights = ranking(own, names, kept[column] if kept else {})
        likely = [one for one in own if len(one.right)]
        fits[column] = Fit(weights, *(odds[column] if odds else _confidence(likely, weights)))
    return fits


def ranking(
    seen: Sequence[Sight], names: Sequence[str], kept: Mapping[str, float] = MappingProxyType({})
) -> dict[str, float]:
    """The weights alone; those that are `kept` stay."""
    telling = [one for one in seen if one.set_name in COUNTS and one.right.any() and not one.right.all()]
    if not telling or kept.keys() >= set(names):  # nothing to fit, or nothing to fit it on
        return {name: kept.get(name, 0.0) for name in names}
    weights = rank_weights(together(telling, names), PENALTY, [kept.get(name) for name in names])
    return {name: kept.get(name, weight) for name, weight in zip(names, map(float, weights), strict=True)}


def together(seen: Sequence[Sight], names: Sequence[str]) -> Lists:
    """The candidates of all questions."""
    return lists(
        [signals(one, names) for one in seen],
        [one.right for one in seen],
        [COUNTS[one.set_name] for one in seen],
    )


def signals(sight: Sight, names: Sequence[str]) -> Floats:
    """The candidates' signals as rows."""
    return np.column_stack([sight.signals[name] for name in names])


def scored(sight: Sight, weights: dict[str, float]) -> Floats:
    """The candidates' scores."""
    return signals(sight, list(weights)) @ np.array(list(weights.values()))


class Evidence(NamedTuple):
    """What the odds of the best candidates of a question are made of, which lead, and which are right."""

    rows: Floats
    first: NDArray[np.bool_]
    right: NDArray[np.bool_]


def evidence(sight: Sight, weights: dict[str, float]) -> Evidence:
    """The best candidates of a question, best first."""
    scores = scored(sight, weights)
    alone = Lists(scores[:, None], sight.right, np.array([0]), np.ones(1))
    best = np.argsort(-scores, kind="stable")[:JUDGED]
    # Signals that depend on the order are computed again: they were recorded with the previous weights.
    lead = float(scores[best[0]] - scores[best[1]]) if len(best) > 1 else UNRIVALLED
    seen = sight.about | {
        "beside": float(sight.signals["beside"][best[0]]),
        "lead": lead,
        "candidates": math.log(len(scores)),
    }
    about = [seen[name] for name in ABOUT]
    shares = log_shares(scores, alone)
    rows = np.array([[1.0, shares[at], scores[at], *about] for at in best])
    return Evidence(rows, scores[best] == scores[best[0]], sight.right[best])


def _confidence(seen: Sequence[Sight], weights: dict[str, float]) -> Odds:
    """What makes a confidence of the best score, and of the others."""
    found = [evidence(sight, weights) for sight in seen]
    rows, first, right = (np.concatenate(parts) for parts in zip(*found, strict=True))
    worth = sureness(seen)
    counts = np.concatenate(
        [
            np.full(len(one.right), worth[sight.set_name, sight.kind in UNANSWERABLE])
            for one, sight in zip(found, seen, strict=True)
        ]
    )
    best = curves(rows[first], right[first], counts[first], ODDS_PENALTY, len(OWN))
    others = map(float, odds(rows[~first], right[~first], counts[~first], ODDS_PENALTY))
    return dict(zip((*OWN, *ABOUT), best, strict=True)), dict(zip((*OWN, *ABOUT), others, strict=True))


def sureness(seen: Sequence[Sight]) -> dict[tuple[str, bool], float]:
    """How much a question counts, by its set and whether it has no answer.

    Those without one count no more than those with one, taken together, however many a set has; a set may
    also have no others.
    """
    asked = Counter((sight.set_name, sight.kind in UNANSWERABLE) for sight in seen)
    return {
        (name, none): SURENESS[name] * (min(1.0, (asked[name, False] or count) / count) if none else 1.0)
        for (name, none), count in asked.items()
    }


def confidences(sight: Sight, fit: Fit) -> list[tuple[float, bool]]:
    """The confidences of the best candidates, each with whether it was right, surest first."""
    rows, first, right = evidence(sight, fit.weights)
    bent = sum(curve.of(column) for curve, column in zip(fit.first.values(), rows.T, strict=True))
    best, others = (1 / (1 + np.exp(-one)) for one in (bent, rows @ np.array(list(fit.others.values()))))
    most = best[0] * np.exp(FALL * (rows[:, 2] - rows[0, 2]))
    chances = np.where(first, best, np.minimum(most, others))
    return [(float(chance), bool(good)) for chance, good in zip(chances, right, strict=True)]


def rank(sight: Sight, weights: dict[str, float]) -> float:
    """At which place the first right candidate comes, from 1; infinite if there is none."""
    if not len(sight.right):
        return math.inf
    order = np.argsort(-scored(sight, weights), kind="stable")
    places = np.flatnonzero(sight.right[order])
    return float(places[0] + 1) if len(places) else math.inf
