"""Weigh words by their rarity among some texts, and measure how much of one text another contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log

from rum.text.terms import says_little, terms

Words = frozenset[str]  # The terms of a text, without stop words

_MAX_CACHED = 400  # Characters: only short texts, such as claims, are asked for repeatedly


def telling_words(text: str) -> Words:
    """The words of a text without stop words, stemmed."""
    return _cached_words(text) if len(text) <= _MAX_CACHED else _words(text)


def _words(text: str) -> Words:
    return frozenset(term for term in set(terms(text)) if not _is_stop_word(term))


_cached_words = lru_cache(maxsize=4096)(_words)


@lru_cache(maxsize=8192)
def _is_stop_word(term: str) -> bool:
    return says_little((term,))


def figures(words: Words) -> Words:
    """The numbers among words, and the names that have one."""
    return frozenset(word for word in words if any(one.isdigit() for one in word))


class Vocabulary:
    """The weight of words among some texts: the rarer, the more."""

    def __init__(self, texts: Sequence[Words]) -> None:
        self._count = len(texts)
        self._holders = Counter(word for words in texts for word in words)
        self._weights = {word: self._weight_of(holders) for word, holders in self._holders.items()}
        self._unknown = self._weight_of(0)
        self._sums: dict[Words, int] = {}

    def _weight_of(self, holders: int) -> int:
        # A whole number: a sum of floats depends on the order of a set, which changes from run to run.
        return round(1000 * log(1 + (1 + self._count) / (1 + holders)))

    def weight(self, words: Words) -> int:
        """The sum of the words' weights."""
        weight, unknown = self._weights.get, self._unknown
        return sum([weight(word, unknown) for word in words])

    def share(self, words: Words, other: Words) -> float:
        """The weighted share of some words that another text has too, from 0 to 1."""
        if not words:
            return 0.0
        whole = self._sums.get(words)
        if whole is None:  # the same words are compared with many others
            whole = self._sums[words] = self.weight(words)
        return self.weight(words & other) / whole

    def rarest(self, words: Iterable[str], most: int) -> list[str]:
        """The words that occur in the fewest texts."""
        return sorted(words, key=lambda word: (self._holders[word], word))[:most]
