"""Weighs what an agent said: which passages tell something that lasts, and of what kind it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rum.extract.assertions import is_decision, is_personal, states
from rum.extract.cues import cues, headings
from rum.extract.entities import is_anchored, is_named
from rum.extract.passages import Passage
from rum.extract.tone import (
    CHANGES,
    CHAT,
    DOING,
    FOUND,
    GENERAL,
    HEDGE,
    LEAD,
    LESSONS,
    PLAN,
    WISH,
)
from rum.model.extraction import Kind
from rum.text.fence import gives_orders

TELLING = 3.0
"""What a passage must weigh to tell something by itself."""
ENOUGH = 2.5
"""What all passages must weigh for one kind together."""
_AT_LEAST = 1.0
_WEAK = 0.7
"""How much a passage counts that tells nothing by itself."""
_LOOKED_AT = 1000
_UNDER_HEADING = 1.5
_NO_ANCHOR = 0.4
_HEDGED = 0.3
_AMONG_CHANGES = 0.3
_DONE = 1.5
_RULES = (Kind.CONSTRAINT, Kind.PATTERN)
"""What holds for all, and so is never about those who talk."""
_REASONS = (Kind.ERROR, Kind.CONSTRAINT)
"""What people give as the reason for a decision."""


class Judged(NamedTuple):
    """A passage and what it weighs for each kind."""

    passage: Passage
    weights: dict[Kind, float]
    fleeting: bool = False
    """A plan, a pleasantry, an order, a wish, what holds everywhere: not to be repeated."""
    done: bool = False
    """A step that was taken, which is repeated only beside what it led to."""

    @property
    def best(self) -> float:
        """What it weighs for the kind it weighs most for."""
        return max(self.weights.values(), default=0.0)


class Verdict(NamedTuple):
    """What a run is about, how surely, and every passage in its order."""

    kind: Kind | None
    weight: float
    judged: list[Judged]


def judge(said: Sequence[Passage], *, asks_why: bool) -> Verdict:
    """Whether something lasting was said, and of which kind; `asks_why` says that something had failed."""
    blocks = [list(block) for _, block in groupby(said, lambda one: one.block)]
    judged = [one for block in blocks for one in _block(block, asks_why)]
    totals = {kind: sum(_counted(one.weights.get(kind, 0.0)) for one in judged) for kind in Kind}
    kind = max(totals, key=lambda one: totals[one])
    return Verdict(kind if totals[kind] >= ENOUGH else None, totals[kind], judged)


def _counted(weight: float) -> float:
    if weight >= TELLING:
        return weight
    return _WEAK * weight if weight >= _AT_LEAST else 0.0


def _block(block: Sequence[Passage], asks_why: bool) -> Iterator[Judged]:
    """Passages that stand together are about the same things, and one may announce the others."""
    texts = [one.text[:_LOOKED_AT] for one in block]
    factor = 1.0 if any(map(is_anchored, texts)) else _NO_ANCHOR
    found = any(FOUND.search(text) for text in texts)
    for passage, text in zip(block, texts, strict=True):
        if passage.kind == "code":
            yield Judged(passage, {})
        elif _is_fleeting(text):
            yield Judged(passage, {}, fleeting=True)
        else:
            told = found or bool(LESSONS.search(passage.heading))
            weights = _weights(passage.heading, text, factor, asks_why=asks_why, told=told)
            yield Judged(passage, weights, done=_is_done(text))


def _is_fleeting(text: str) -> bool:
    """Talk, plans, orders, what was asked for, and what everybody knows who names nothing of this project."""
    if gives_orders(text) or any(tone.search(text) for tone in (CHAT, PLAN, WISH)):
        return True
    general = GENERAL.search(LEAD.sub("", text))
    return general is not None and not is_named(general["rule"])


def _weights(heading: str, text: str, factor: float, *, asks_why: bool, told: bool) -> dict[Kind, float]:
    less = _HEDGED if HEDGE.search(text) else 1.0
    if heading and CHANGES.search(heading):
        less *= _AMONG_CHANGES
    weights = {kind: weight * factor * less for kind in Kind if (weight := _weight(kind, heading, text))}
    more = less * told - _DONE * _is_done(text)
    weights = {kind: weight + more for kind, weight in weights.items()}
    if asks_why and Kind.ERROR in weights:
        weights[Kind.ERROR] += less
    if is_personal(text) and not is_named(text):
        weights |= {kind: weight * _HEDGED for kind, weight in weights.items() if kind in _RULES}
    if (stated := states(text)) and not _is_done(text):
        weights[stated] = max(weights.get(stated, 0.0), TELLING * less)
    if is_decision(text):
        # Whatever went wrong, or must be, is the reason here.
        most = weights.get(Kind.DECISION, 0.0) - 0.1
        weights |= {kind: min(weight, most) for kind, weight in weights.items() if kind in _REASONS}
    return weights


def _is_done(text: str) -> bool:
    """Whether it tells a step that was taken; what follows "Fixed:" may well be something else."""
    return bool(DOING.search(LEAD.sub("", text)))


def _weight(kind: Kind, heading: str, text: str) -> float:
    found = sum(weight for weight, cue in cues()[kind] if cue.search(text))
    return found + (_UNDER_HEADING if heading and headings()[kind].search(heading) else 0.0)
