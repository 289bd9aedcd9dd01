"""How well chapters and wisdom answer a query, by the words that they hold; rare words count more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from rum.store.base import Store
from rum.store.chapters import GroupMatch
from rum.text.terms import query_terms, terms

MIN_CONFIDENCE = 0.25  # Default threshold for answers
# Weight of the words found anywhere, and additional weight of those in a title or among tags.
IN_TEXT, IN_TITLE = 0.6, 0.35
# Total weight of words from which on a line counts as a full answer.
SAYS_ENOUGH = 6.0
MAX_CANDIDATES = 20  # Maximum number of chapters and wisdom ranked, those with the most words
MIN_WORDS = 2  # Minimum number of words that must match, unless the query has fewer


class Known(NamedTuple):
    """A chapter or wisdom, its confidence, and the share of the query's words that it holds.

    The share is 0 if it holds a single word of several.
    """

    kind: str
    id: str
    confidence: float
    share: float


def ranked(store: Store, text: str, min_confidence: float = MIN_CONFIDENCE) -> list[Known]:
    """The chapters and wisdom that answer a query, highest confidence first."""
    asked = query_terms(text)
    found = store.find_groups(asked, MAX_CANDIDATES)
    weights = {term: log(1 + (found.total + 1) / (count + 0.5)) for term, count in found.counts.items()}
    known = [_known(one, weights) for one in found.matches]
    return sorted(
        (one for one in known if one.confidence >= min_confidence),
        key=lambda one: (-one.confidence, one.kind, one.id),
    )


def _known(one: GroupMatch, weights: dict[str, float]) -> Known:
    whole = sum(weights.values())
    share, titled = (sum(map(weights.__getitem__, terms)) / whole for terms in (one.terms, one.title_terms))
    enough = len(one.terms) >= min(MIN_WORDS, len(weights))
    return Known(one.kind, one.id, round(share * (IN_TEXT + IN_TITLE * titled), 2), share if enough else 0.0)


class MatchingLines:
    """Finds the lines of a chapter or wisdom that answer a query, by the weights of its words."""

    def __init__(
        self, weights: Mapping[str, float], title: str, tags: Sequence[str], min_share: float
    ) -> None:
        self._weights = weights
        self._min_share = min_share
        """The share of the query's weight that a line must hold, together with title and tags."""
        self._title_terms = self._held(" \n ".join((title, *tags)))

    def matching(self, lines: Sequence[str]) -> list[str]:
        """The lines that answer the query, highest share first."""
        held = {line: self._held(line) for line in lines}
        found = [line for line in held if held[line] and self._enough(held[line] | self._title_terms)]
        return sorted(found, key=lambda line: -self._share(held[line]))

    def title_matches(self) -> bool:
        """Whether title and tags alone contain enough of the query."""
        return self._enough(self._title_terms)

    def confidence(self, line: str) -> float:
        """The confidence of a line; lower the more memories hold its words."""
        held, titled = self._held(line) | self._title_terms, self._share(self._title_terms)
        weight = min(1.0, sum(map(self._weights.__getitem__, held)) / SAYS_ENOUGH)
        return round(self._share(held) * weight * (IN_TEXT + IN_TITLE * titled), 2)

    def _held(self, text: str) -> frozenset[str]:
        return frozenset(terms(text)).intersection(self._weights)

    def _share(self, held: frozenset[str]) -> float:
        return sum(map(self._weights.__getitem__, held)) / (sum(self._weights.values()) or 1.0)

    def _enough(self, held: frozenset[str]) -> bool:
        return len(held) >= min(MIN_WORDS, len(self._weights)) and self._share(held) >= self._min_share
