"""Lower the confidence of memories that state something about code that has changed since."""

from __future__ import annotations

import math
from collections.abc import Collection

from rum.model.anchors import CHANGED, GONE, Freshness
from rum.model.memory import Memory, OriginKind
from rum.recall.query import Match

# What the log odds of an answer lose if all of its code has changed: fitted by
# `python -m benchmarks.freshness.questions --fit`, as the data behind `fitted.py` have no changed code.
CODE_CHANGED = 0.4


def share_outdated(memory: Memory, found: Freshness | None) -> float:
    """How much of the code of a memory is not what it states, from 0 to 1.

    What was tried and failed stays true, and so does what a commit did. Work that is not part of the checkout
    is not what its code is.
    """
    if found is None or not memory.outcome.success:
        return 0.0
    if found.unmerged:
        return 1.0
    is_claim = memory.origin.kind is not OriginKind.COMMIT
    return found.share if is_claim and found.state in (CHANGED, GONE) else 0.0


def lowered(confidence: float, share: float) -> float:
    """A confidence if this share of the code has changed since."""
    if not 0 < confidence < 1:
        return confidence
    odds = confidence / (1 - confidence) * math.exp(-CODE_CHANGED * share)
    return odds / (1 + odds)


def lower(found: Collection[tuple[Memory, Match]], fresh: dict[str, Freshness]) -> None:
    """Lower the confidence of matches by the freshness of their memories, but of none asked for literally."""
    for memory, match in found:
        match.outdated = 0.0 if match.literal is not None else share_outdated(memory, fresh.get(memory.id))
        match.confidence = lowered(match.confidence, match.outdated)
