"""Weigh the passages of a run: which of them say something that lasts, and of which kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rum.extract.cues import (
    CHANGE_HEADING,
    CHAT,
    FINDING_INTRO,
    HEDGE,
    LANGUAGE_RULE,
    LEAD_IN,
    LESSON_HEADING,
    PLAN,
    REQUEST,
    STEP_TAKEN,
    cues,
    headings,
    is_decision,
    is_personal,
    stated_kind,
)
from rum.extract.entities import is_anchored, is_named
from rum.extract.passages import Passage
from rum.model.extraction import Kind
from rum.text.fence import gives_orders

ENOUGH_ALONE = 3.0
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


class WeighedPassage(NamedTuple):
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
    judged: list[WeighedPassage]


def weigh_passages(found: Sequence[Passage], *, asks_why: bool) -> Verdict:
    """Whether the passages say something lasting, and of which kind; `asks_why`: something had failed."""
    blocks = [list(block) for _, block in groupby(found, lambda one: one.block)]
    judged = [one for block in blocks for one in _block(block, asks_why)]
    totals = {kind: sum(_counted(one.weights.get(kind, 0.0)) for one in judged) for kind in Kind}
    kind = max(totals, key=lambda one: totals[one])
    return Verdict(kind if totals[kind] >= ENOUGH else None, totals[kind], judged)


def _counted(weight: float) -> float:
    if weight >= ENOUGH_ALONE:
        return weight
    return _WEAK * weight if weight >= _AT_LEAST else 0.0


def _block(block: Sequence[Passage], asks_why: bool) -> Iterator[WeighedPassage]:
    """Passages that stand together are about the same things, and one may announce the others."""
    texts = [one.text[:_LOOKED_AT] for one in block]
    factor = 1.0 if any(map(is_anchored, texts)) else _NO_ANCHOR
    found = any(FINDING_INTRO.search(text) for text in texts)
    for passage, text in zip(block, texts, strict=True):
        if passage.kind == "code":
            yield WeighedPassage(passage, {})
        elif _is_fleeting(text):
            yield WeighedPassage(passage, {}, fleeting=True)
        else:
            is_finding = found or bool(LESSON_HEADING.search(passage.heading))
            weights = _weights(passage.heading, text, factor, asks_why=asks_why, is_finding=is_finding)
            yield WeighedPassage(passage, weights, done=_is_done(text))


def _is_fleeting(text: str) -> bool:
    """Whether it is talk, a plan, an order, a request, or a rule of the language that names nothing here."""
    if gives_orders(text) or any(tone.search(text) for tone in (CHAT, PLAN, REQUEST)):
        return True
    general = LANGUAGE_RULE.search(LEAD_IN.sub("", text))
    return general is not None and not is_named(general["rule"])


def _weights(
    heading: str, text: str, factor: float, *, asks_why: bool, is_finding: bool
) -> dict[Kind, float]:
    less = _HEDGED if HEDGE.search(text) else 1.0
    if heading and CHANGE_HEADING.search(heading):
        less *= _AMONG_CHANGES
    weights = {kind: weight * factor * less for kind in Kind if (weight := _weight(kind, heading, text))}
    more = less * is_finding - _DONE * _is_done(text)
    weights = {kind: weight + more for kind, weight in weights.items()}
    if asks_why and Kind.ERROR in weights:
        weights[Kind.ERROR] += less
    if is_personal(text) and not is_named(text):
        weights |= {kind: weight * _HEDGED for kind, weight in weights.items() if kind in _RULES}
    if (stated := stated_kind(text)) and not _is_done(text):
        weights[stated] = max(weights.get(stated, 0.0), ENOUGH_ALONE * less)
    if is_decision(text):
        # Whatever went wrong, or must be, is the reason here.
        most = weights.get(Kind.DECISION, 0.0) - 0.1
        weights |= {kind: min(weight, most) for kind, weight in weights.items() if kind in _REASONS}
    return weights


def _is_done(text: str) -> bool:
    """Whether it tells a step that was taken; what follows "Fixed:" may well be something else."""
    return bool(STEP_TAKEN.search(LEAD_IN.sub("", text)))


def _weight(kind: Kind, heading: str, text: str) -> float:
    found = sum(weight for weight, cue in cues()[kind] if cue.search(text))
    return found + (_UNDER_HEADING if heading and headings()[kind].search(heading) else 0.0)
