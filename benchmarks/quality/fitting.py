"""The arithmetic of fitting: weights that rank the right candidates first, and odds that hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS, RATE = 500, 0.1
FLOOR = 1e-12
ANY = 99.0  # No feature lies further from nothing


class Lists(NamedTuple):
    """Candidates of many questions, one after the other: signals, which are right, where each begins."""

    signals: Floats
    right: NDArray[np.bool_]
    starts: NDArray[np.int64]
    weights: Floats  # How much each question counts

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many candidates each question has."""
        return np.diff(np.append(self.starts, len(self.right)))


def lists(signals: Sequence[Floats], right: Sequence[NDArray[np.bool_]], weights: Sequence[float]) -> Lists:
    """Put questions together."""
    starts = np.concatenate([[0], np.cumsum([len(one) for one in right])[:-1]]).astype(np.int64)
    return Lists(
        np.concatenate(signals), np.concatenate(right), starts, np.asarray(weights, dtype=np.float64)
    )


def rank_weights(data: Lists, penalty: float, kept: Sequence[float | None] = ()) -> Floats:
    """Weights, none below zero, under which the right candidates get most of the softmax of the scores.

    Only questions count that have a right candidate and a wrong one. Weights that are `kept` stay.
    """
    spread = data.signals.std(axis=0) + FLOOR
    signals = data.signals / spread
    scale = data.weights.sum()
    fixed = np.array([math.nan if one is None else one for one in kept or [None] * len(spread)]) * spread
    free = np.isnan(fixed)
    weights = np.where(free, 0.1, fixed)
    pace, force = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = (_slope(signals, data, weights) + penalty * weights) / scale
        pace = 0.9 * pace + 0.1 * slope
        force = 0.999 * force + 0.001 * slope**2
        move = (pace / (1 - 0.9**step)) / (np.sqrt(force / (1 - 0.999**step)) + 1e-9)
        weights = np.where(free, np.maximum(0.0, weights - RATE * (1 - step / STEPS) * move), fixed)
    # A signal that never varies says nothing.
    return np.where(spread > 2 * FLOOR, weights / spread, 0.0)


def _slope(signals: Floats, data: Lists, weights: Floats) -> Floats:
    scores = signals @ weights
    top = np.repeat(np.maximum.reduceat(scores, data.starts), data.sizes)
    mass = np.exp(scores - top)
    whole = np.repeat(np.add.reduceat(mass, data.starts), data.sizes)
    good = np.where(data.right, mass, 0.0)
    hit = np.repeat(np.add.reduceat(good, data.starts), data.sizes)
    pull = np.repeat(data.weights, data.sizes) * (mass / whole - good / (hit + FLOOR))
    return pull @ signals


def log_shares(scores: Floats, data: Lists) -> Floats:
    """The logarithm of each candidate's share of its question's softmax."""
    top = np.repeat(np.maximum.reduceat(scores, data.starts), data.sizes)
    whole = np.add.reduceat(np.exp(scores - top), data.starts)
    return scores - top - np.repeat(np.log(whole), data.sizes)


class Curve(NamedTuple):
    """A parabola within what was seen of a feature; beyond that it goes on level."""

    least: float
    most: float
    slope: float
    bend: float

    def of(self, values: Floats) -> Floats:
        """What it makes of the feature's values."""
        within = np.clip(values, self.least, self.most)
        return within * (self.slope + self.bend * within)


def curves(
    features: Floats, right: NDArray[np.bool_], weights: Floats, penalty: float, straight: int
) -> list[Curve]:
    """The same with a parabola for each feature but the first ones, which stay `straight`.

    Features are measured by their spread, so that the penalty means the same for each of them.
    """
    least, most = np.percentile(features, [1, 99], axis=0)
    least[:straight], most[:straight] = -ANY, ANY
    within = np.clip(features, least, most)
    both = np.hstack([within, within[:, straight:] ** 2])
    middle, spread = both.mean(axis=0), both.std(axis=0)
    middle[0], spread[0] = 0.0, 1.0
    spread[spread < FLOOR] = 1.0
    found = odds((both - middle) / spread, right, weights, penalty) / spread
    found[0] -= found[1:] @ middle[1:]
    slopes = found[: features.shape[1]]
    bends = np.concatenate([np.zeros(straight), found[features.shape[1] :]])
    return [Curve(*map(float, one)) for one in zip(least, most, slopes, bends, strict=True)]


def odds(features: Floats, right: NDArray[np.bool_], weights: Floats, penalty: float) -> Floats:
    """Logistic regression by Newton's method; the first feature is the constant, which is not penalised."""
    ridge = np.full(features.shape[1], penalty)
    ridge[0] = 1e-6
    found = np.zeros(features.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(features @ found, -30, 30)))
        slope = features.T @ (weights * (chance - right)) + ridge * found
        bend = (features * (weights * chance * (1 - chance))[:, None]).T @ features + np.diag(ridge)
        move = np.linalg.solve(bend, slope)
        found -= move
        if np.abs(move).max() < 1e-8:
            break
    return found
