"""How well chapters and wisdom answer a question: by the words of it that they hold, rarer ones first."""

from __future__ import annotations

from math import log
from typing import NamedTuple

from rum.store.base import Store
from rum.store.chapters import Held
from rum.store.terms import query_terms

LEAST = 0.25
"""What answers with less than that is no answer."""
IN_TEXT, IN_TITLE = 0.6, 0.35
"""What all words of a question are worth where they stand anywhere; and besides, in a title or among tags."""
LOOKED_AT = 20
"""So many of those that hold most of the words are looked at."""
FEWEST = 2
"""So many words of a question must be held for their share to count, unless it has fewer."""


class Known(NamedTuple):
    """A chapter or wisdom, how surely it answers, and the share of the question's words that it holds.

    The share is 0 where it holds a single word of several.
    """

    kind: str
    id: str
    confidence: float
    share: float


def ranked(store: Store, text: str, least: float = LEAST) -> list[Known]:
    """The chapters and wisdom that answer a question, the surest first."""
    asked = query_terms(text)
    held = store.knowledge.holding(asked, LOOKED_AT)
    if not held:
        return []
    total, counts = store.chapters.count() + store.wisdom.count(), store.knowledge.holders(asked)
    weights = {term: log(1 + (total + 1) / (count + 0.5)) for term, count in counts.items()}
    known = [_known(one, weights) for one in held]
    return sorted(
        (one for one in known if one.confidence >= least), key=lambda one: (-one.confidence, one.kind, one.id)
    )


def _known(one: Held, weights: dict[str, float]) -> Known:
    whole = sum(weights.values())
    share, titled = (sum(map(weights.__getitem__, terms)) / whole for terms in (one.terms, one.titled))
    enough = len(one.terms) >= min(FEWEST, len(weights))
    return Known(one.kind, one.id, round(share * (IN_TEXT + IN_TITLE * titled), 2), share if enough else 0.0)
