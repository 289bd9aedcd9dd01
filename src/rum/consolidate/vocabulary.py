"""What words are worth among some texts: the rarer, the more; and how much of one text another has too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from rum.store.terms import says_little, terms

Words = frozenset[str]
"""The terms of a text that say something."""


def telling_words(text: str) -> Words:
    """The words of a text that say something, stemmed."""
    return frozenset(term for term in set(terms(text)) if not says_little((term,)))


def figures(words: Words) -> Words:
    """The numbers among words, and the names that have one."""
    return frozenset(word for word in words if any(one.isdigit() for one in word))


class Vocabulary:
    """How rare each word is among some texts."""

    def __init__(self, texts: Sequence[Words]) -> None:
        self._count = len(texts)
        self._holders = Counter(word for words in texts for word in words)
        self._weights = {word: self._weighed(holders) for word, holders in self._holders.items()}

    def _weighed(self, holders: int) -> int:
        # A whole number: a sum of others depends on the order of a set, which changes from run to run.
        return round(1000 * log(1 + (1 + self._count) / (1 + holders)))

    def weight(self, words: Words) -> int:
        """What words count together: each the more, the fewer texts have it."""
        unknown = self._weighed(0)
        return sum(self._weights.get(word, unknown) for word in words)

    def share(self, words: Words, other: Words) -> float:
        """How much of some words another text has too, from 0 to 1."""
        return self.weight(words & other) / self.weight(words) if words else 0.0

    def rarest(self, words: Iterable[str], most: int) -> list[str]:
        """The words that fewest texts have."""
        return sorted(words, key=lambda word: (self._holders[word], word))[:most]
