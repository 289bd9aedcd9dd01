"""How well chapters and wisdom answer a question: by the words of it that they hold, rarer ones first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from rum.store.base import Store
from rum.store.chapters import GroupMatch
from rum.text.terms import query_terms, terms

LEAST = 0.25  # What answers with less than that is no answer
# What all words of a question are worth where they stand anywhere; and besides, in a title or among tags.
IN_TEXT, IN_TITLE = 0.6, 0.35
# What words must say together, by their rarity, for a claim to be taken for what was asked for.
SAYS_ENOUGH = 6.0
LOOKED_AT = 20  # So many of those that hold most of the words are looked at
FEWEST = 2  # So many words of a question must be held for their share to count, unless it has fewer


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
    found = store.find_groups(asked, LOOKED_AT)
    weights = {term: log(1 + (found.total + 1) / (count + 0.5)) for term, count in found.counts.items()}
    known = [_known(one, weights) for one in found.matches]
    return sorted(
        (one for one in known if one.confidence >= least), key=lambda one: (-one.confidence, one.kind, one.id)
    )


def _known(one: GroupMatch, weights: dict[str, float]) -> Known:
    whole = sum(weights.values())
    share, titled = (sum(map(weights.__getitem__, terms)) / whole for terms in (one.terms, one.title_terms))
    enough = len(one.terms) >= min(FEWEST, len(weights))
    return Known(one.kind, one.id, round(share * (IN_TEXT + IN_TITLE * titled), 2), share if enough else 0.0)


class MatchingLines:
    """Which lines of a chapter or wisdom answer a question, by the weights of the words asked for."""

    def __init__(self, weights: Mapping[str, float], title: str, tags: Sequence[str], least: float) -> None:
        self._weights = weights
        self._least = least
        """The share of what was asked for that a line has to hold, together with title and tags."""
        self._titled = self._held(" \n ".join((title, *tags)))

    def telling(self, lines: Sequence[str]) -> list[str]:
        """The lines that answer, those that say most first."""
        own = {line: self._held(line) for line in lines}
        fitting = [line for line in own if own[line] and self._enough(own[line] | self._titled)]
        return sorted(fitting, key=lambda line: -self._share(own[line]))

    def titled(self) -> bool:
        """Whether title and tags answer by themselves."""
        return self._enough(self._titled)

    def confidence(self, line: str) -> float:
        """How surely a line answers: the less, the more memories hold its words."""
        held, titled = self._held(line) | self._titled, self._share(self._titled)
        said = min(1.0, sum(map(self._weights.__getitem__, held)) / SAYS_ENOUGH)
        return round(self._share(held) * said * (IN_TEXT + IN_TITLE * titled), 2)

    def _held(self, text: str) -> frozenset[str]:
        return frozenset(terms(text)).intersection(self._weights)

    def _share(self, held: frozenset[str]) -> float:
        return sum(map(self._weights.__getitem__, held)) / (sum(self._weights.values()) or 1.0)

    def _enough(self, held: frozenset[str]) -> bool:
        return len(held) >= min(FEWEST, len(self._weights)) and self._share(held) >= self._least
