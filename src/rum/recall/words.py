"""The words of a question: how rare each is, which memories hold them, and how many a memory covers."""

from __future__ import annotations

import math
import string

from rum.recall import weights
from rum.store.terms import query_terms, says_little

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rum.store.filters import Filters
    from rum.store.search import Search, TextRow

_LETTERS = string.ascii_lowercase
RESPELLED = 8
"""So many unknown words of a question are taken for misspelt; each means hundreds of look-ups."""
_PLACES = tuple(
    (credit, [at for at, other in enumerate(weights.FIELD_CREDIT) if other == credit])
    for credit in sorted(set(weights.FIELD_CREDIT), reverse=True)
)
"""The fields by what a word is worth in them, best first."""


class Words:
    """The terms of a question with their weights; a term nobody used gets the spellings next to it."""

    def __init__(self, search: Search, text: str) -> None:
        self._search = search
        self._text = text
        self.terms = query_terms(text)
        self.counts = {term: search.frequency(term, weights.COMMON) for term in self.terms}
        self._says_little = says_little(self.terms)
        self._size = max(search.size(), 1) if self.terms else 1
        self.variants: dict[str, list[str]] = {}
        self._sought: list[tuple[float, list[tuple[float, str]]]] | None = None
        self._weight = 0.0

    def respell(self) -> bool:
        """Look for typing errors in the terms no memory holds; whether any was found."""
        self._sought = None
        for term in [term for term in self.terms if not self.counts[term]][:RESPELLED]:
            near = self._search.existing(spellings(term))
            for other in near:
                self.counts.setdefault(other, self._search.frequency(other, weights.COMMON))
            if near:
                self.variants[term] = near
        return bool(self.variants)

    def known(self) -> bool:
        """Whether any memory holds any of the words, in whatever spelling."""
        return any(self.counts.values())

    def rarity(self, term: str) -> float:
        """The rarer a term, the more it says; one that only exists in another spelling is as rare as that."""
        count = max((self.counts[other] for other in self.variants.get(term, [term])), default=0)
        known = 1.0 if count else weights.UNKNOWN
        return known * math.log(1 + (self._size - min(count, self._size) + 0.5) / (count + 0.5))

    def candidates(self, filters: Filters, most: int) -> tuple[list[TextRow], bool]:
        """The memories worth a closer look, and whether that is every memory with one of the words.

        Ranking takes the longer the commoner the words, so only the rarest are ranked by; memories with more
        of the words are looked for as well.
        """
        known = self._rarest_first()
        rare = self._affordable(known)
        ranked = self._search.by_terms(rare, False, filters, most) if rare else []
        if len(rare) == len(known):
            return ranked, True
        found: dict[str, TextRow] = {}
        for row in [*self._narrowed(known, 2 if rare else 1, filters, most), *ranked]:
            found.setdefault(row[0], row)
        return list(found.values()), False

    def literally(self, filters: Filters, most: int) -> list[TextRow]:
        """The memories whose goal is the question: among many alike they need not score best."""
        score = sum(map(self.rarity, self.terms))
        return [(*row, score) for row in self._search.by_goal(self._text, filters, most)]

    def _rarest_first(self) -> list[str]:
        """The terms that memories hold. The denser the newest with a common term lie, the commoner it is."""
        known = [term for term, count in self.counts.items() if count]
        density = {t: self._search.nth_newest(t, weights.SAMPLE) for t in known if self._is_common(t)}
        return sorted(known, key=lambda term: (self.counts[term], density.get(term, 0), term))

    def _affordable(self, known: Sequence[str]) -> Sequence[str]:
        """The terms that may be ranked by: as many as are affordable, but the first unless it is common."""
        total = 0
        for at, term in enumerate(known):
            total += self.counts[term]
            if total > weights.AFFORDABLE:
                return known[: at or not self._is_common(term)]
        return known

    def _narrowed(self, known: Sequence[str], size: int, filters: Filters, most: int) -> list[TextRow]:
        """The newest memories with so many of the rarest terms, with twice as many, until there are few.

        This way round a search ends soon: either many memories have the terms, or few terms are looked for.
        """
        found: list[TextRow] = []
        while True:
            rows = self._newest(known[:size], False, filters, most)
            found = [*rows, *found][:most]
            if len(rows) < most:
                return found
            if size >= len(known):
                return [*self._foremost(known, filters, most), *found][:most]
            size *= 2

    def _foremost(self, known: Sequence[str], filters: Filters, most: int) -> list[TextRow]:
        """The best of many memories with all of the terms; where ranking takes too long, those by goal."""
        if any(map(self._is_common, known)):
            return self._newest(known, True, filters, most)
        return self._search.by_terms(known, True, filters, most)

    def _newest(self, terms: Sequence[str], in_goal: bool, filters: Filters, most: int) -> list[TextRow]:
        score = sum(map(self.rarity, terms))
        return [(*row, score) for row in self._search.newest_with(terms, in_goal, filters, most)]

    def total(self) -> int:
        """How many memories hold any of the words; at least how many, if counting them takes long."""
        if sum(self.counts.values()) > weights.AFFORDABLE:
            return max(self.counts.values())
        return self._search.count_terms([term for term, count in self.counts.items() if count])

    def _is_common(self, term: str) -> bool:
        return self.counts[term] >= weights.COMMON

    def coverage(self, fields: Sequence[str]) -> float:
        """The share of the question's weight that a memory's terms cover, by the best field of each word."""
        if self._sought is None:
            self._sought = [(self.rarity(term), self._spelled(term)) for term in self.terms]
            self._weight = sum(rarity for rarity, _ in self._sought)
        places = [(credit, f" {' '.join(map(fields.__getitem__, group))} ") for credit, group in _PLACES]
        found = sum(rarity * _credit(spelled, places) for rarity, spelled in self._sought)
        share = found / self._weight if self._weight else 0.0
        return share * weights.STOP_WORDS if self._says_little else share

    def _spelled(self, term: str) -> list[tuple[float, str]]:
        """A word and what it may have been meant to be, with what finding each is worth."""
        others = self.variants.get(term, ())
        return [(1.0, f" {term} "), *((weights.TYPO_CREDIT, f" {other} ") for other in others)]


def _credit(spelled: Sequence[tuple[float, str]], places: Sequence[tuple[float, str]]) -> float:
    best = 0.0
    for worth, word in spelled:
        for credit, text in places:
            if word in text:
                best = max(best, worth * credit)
                break
    return best


def spellings(term: str) -> list[str]:
    """What a term may have been meant to be: one letter more, less, other, or two swapped."""
    if not 4 <= len(term) <= 24 or not term.isascii():
        return []
    halves = [(term[:at], term[at:]) for at in range(len(term) + 1)]
    fewer = [head + tail[1:] for head, tail in halves if tail]
    swapped = [head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 1]
    other = [head + letter + tail[1:] for head, tail in halves if tail for letter in _LETTERS]
    more = [head + letter + tail for head, tail in halves for letter in _LETTERS]
    return list(dict.fromkeys(word for word in (*fewer, *swapped, *other, *more) if word != term))
