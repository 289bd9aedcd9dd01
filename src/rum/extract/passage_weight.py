"""Weigh the passages of a run: which of them are of lasting use, and of which kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rum.extract.cues import (
    CAUSAL,
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
    statement_kind,
)
from rum.extract.entities import has_names, is_specific
from rum.extract.facts import versions_in
from rum.extract.passages import Passage
from rum.extract.rules import stated_rules
from rum.model.runs import FindingKind
from rum.text.fence import gives_orders

_ENOUGH_ALONE = 3.0  # The weight of a passage that is enough on its own
ENOUGH = 2.5  # The total weight of all passages for one kind that makes a note
_AT_LEAST = 1.0
_WEAK = 0.7  # The share of its weight that a weaker passage counts
_MAX_PASSAGE = 1000
_UNDER_HEADING = 1.5
_NO_ANCHOR = 0.4
_HEDGED = 0.3
_AMONG_CHANGES = 0.3
_STEP = 1.5
_CAUSE = 2.0  # For a reason, where the task asks for one
# Kinds that apply to everybody: a sentence about the speaker is neither of them.
_RULES = (FindingKind.CONSTRAINT, FindingKind.PATTERN)
_REASONS = (FindingKind.ERROR, FindingKind.CONSTRAINT)  # Kinds that often are the reason for a decision


class WeighedPassage(NamedTuple):
    """A passage and its weight for each kind."""

    passage: Passage
    weights: dict[FindingKind, float]
    # A plan, a pleasantry, an order, a request, or a rule of the language: never repeated.
    is_fleeting: bool = False
    is_step: bool = False  # A step that was taken; repeated only together with its result

    @property
    def best(self) -> float:
        """Its weight for the kind that it fits best."""
        return max(self.weights.values(), default=0.0)


class Verdict(NamedTuple):
    """What a run is about, with which weight, and all passages in their order."""

    kind: FindingKind | None
    weight: float
    weighed: list[WeighedPassage]


def weigh_passages(found: Sequence[Passage], *, asks_why: bool) -> Verdict:
    """Decide whether the passages are of lasting use, and of which kind; `asks_why`: something had failed."""
    blocks = [list(block) for _, block in groupby(found, lambda one: one.block)]
    weighed = [one for block in blocks for one in _block(block, asks_why)]
    totals = dict.fromkeys(FindingKind, 0.0)
    for one in weighed:
        for kind, weight in one.weights.items():
            if weight >= _AT_LEAST:
                totals[kind] += weight if weight >= _ENOUGH_ALONE else _WEAK * weight
    kind = max(totals, key=lambda one: (totals[one], one is not FindingKind.DEPENDENCY))
    return Verdict(kind if totals[kind] >= ENOUGH else None, totals[kind], weighed)


def _block(block: Sequence[Passage], asks_why: bool) -> Iterator[WeighedPassage]:
    """Weigh the passages of one block: they are about the same thing, and one may announce the others."""
    texts = [one.text[:_MAX_PASSAGE] for one in block]
    factor = 1.0 if any(map(is_specific, texts)) else _NO_ANCHOR
    has_intro = any(FINDING_INTRO.search(text) for text in texts)
    for passage, text in zip(block, texts, strict=True):
        if passage.kind == "code":
            yield WeighedPassage(passage, {})
        elif _is_fleeting(text):
            yield WeighedPassage(passage, {}, is_fleeting=True)
        else:
            is_finding = has_intro or bool(LESSON_HEADING.search(passage.heading))
            weights = _weights(passage.heading, text, factor, asks_why=asks_why, is_finding=is_finding)
            yield WeighedPassage(passage, weights, is_step=_is_step(text))


def _is_fleeting(text: str) -> bool:
    """Whether it is talk, a plan, an order, a request, or a rule of a language without names."""
    if gives_orders(text) or any(tone.search(text) for tone in (CHAT, PLAN, REQUEST)):
        return True
    general = LANGUAGE_RULE.search(LEAD_IN.sub("", text))
    return general is not None and not has_names(general["rule"])


def _weights(
    heading: str, text: str, factor: float, *, asks_why: bool, is_finding: bool
) -> dict[FindingKind, float]:
    less = _HEDGED if HEDGE.search(text) else 1.0
    if heading and CHANGE_HEADING.search(heading):
        less *= _AMONG_CHANGES
    weights: dict[FindingKind, float] = {}
    for kind in FindingKind:
        found = sum(weight for weight, cue in cues()[kind] if cue.search(text))
        found += _UNDER_HEADING if heading and headings()[kind].search(heading) else 0.0
        if found:
            weights[kind] = found * factor * less
    # Added after the factors, as an announced finding counts even if nothing specific is named.
    more = less * is_finding - _STEP * _is_step(text)
    weights = {kind: weight + more for kind, weight in weights.items()}
    if asks_why and FindingKind.ERROR in weights:
        weights[FindingKind.ERROR] += less
    # A version in use without a reason is a fact: the note is rather about the rest.
    if not CAUSAL.search(text) and any(versions_in(text, heading=heading)):
        weights |= {FindingKind.DEPENDENCY: _ENOUGH_ALONE * less, FindingKind.DECISION: 0.0}
    if is_personal(text) and not has_names(text):
        weights |= {kind: weight * _HEDGED for kind, weight in weights.items() if kind in _RULES}
    stated = statement_kind(text) or (FindingKind.CONSTRAINT if stated_rules(text) else None)
    if asks_why and not stated and not _is_step(text) and is_specific(text) and CAUSAL.search(text):
        weights[FindingKind.ERROR] = weights.get(FindingKind.ERROR, 0.0) + _CAUSE * less
    if stated and not _is_step(text):
        weights[stated] = max(weights.get(stated, 0.0), _ENOUGH_ALONE * less)
    if is_decision(text):
        # An error or a constraint in this sentence is the reason for the decision.
        most = weights.get(FindingKind.DECISION, 0.0) - 0.1
        weights |= {kind: min(weight, most) for kind, weight in weights.items() if kind in _REASONS}
    return weights


def _is_step(text: str) -> bool:
    """Whether a text describes a step that was taken; the text after "Fixed:" may be something else."""
    plain = LEAD_IN.sub("", text)
    after = plain.partition(": ")[2]  # "Updated all but one: we must stay on webpack 4 because …"
    return bool(STEP_TAKEN.search(plain)) and not (after and statement_kind(after))
