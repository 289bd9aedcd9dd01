"""What words are worth among some texts: the rarer, the more; and how much of one text another has too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log

from rum.text.terms import says_little, terms

Words = frozenset[str]
"""The terms of a text that say something."""

_CLAIM = 400
"""Characters of a text that is asked about again and again."""


def telling_words(text: str) -> Words:
    """The words of a text that say something, stemmed."""
    return _of_claim(text) if len(text) <= _CLAIM else _telling(text)


@lru_cache(maxsize=4096)
def _of_claim(text: str) -> Words:
    return _telling(text)


def _telling(text: str) -> Words:
    return frozenset(term for term in set(terms(text)) if not _says_little(term))


@lru_cache(maxsize=8192)
def _says_little(term: str) -> bool:
    return says_little((term,))


def figures(words: Words) -> Words:
    """The numbers among words, and the names that have one."""
    return frozenset(word for word in words if any(one.isdigit() for one in word))


class Vocabulary:
    """How rare each word is among some texts."""

    def __init__(self, texts: Sequence[Words]) -> None:
        self._count = len(texts)
        self._holders = Counter(word for words in texts for word in words)
        self._weights = {word: self._weighed(holders) for word, holders in self._holders.items()}
        self._unknown = self._weighed(0)
        self._sums: dict[Words, int] = {}

    def _weighed(self, holders: int) -> int:
        # A whole number: a sum of others depends on the order of a set, which changes from run to run.
        return round(1000 * log(1 + (1 + self._count) / (1 + holders)))

    def weight(self, words: Words) -> int:
        """What words count together: each the more, the fewer texts have it."""
        weight, unknown = self._weights.get, self._unknown
        return sum([weight(word, unknown) for word in words])

    def share(self, words: Words, other: Words) -> float:
        """How much of some words another text has too, from 0 to 1."""
        if not words:
            return 0.0
        whole = self._sums.get(words)
        if whole is None:  # the same words are asked for with many others
            whole = self._sums[words] = self.weight(words)
        return self.weight(words & other) / whole

    def rarest(self, words: Iterable[str], most: int) -> list[str]:
        """The words that fewest texts have."""
        return sorted(words, key=lambda word: (self._holders[word], word))[:most]
