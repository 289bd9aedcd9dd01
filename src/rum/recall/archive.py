"""The archive's part in a recall by words: asked where live memories do not say all of the question."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from itertools import chain
from typing import NamedTuple

from rum.recall.candidates import STEP, Candidates
from rum.recall.inquiry import Inquiry
from rum.recall.words import Words
from rum.store.archive import Archive
from rum.store.search import Row

MOST = 40
"""So many archived memories are looked at closely."""

RARE = 300
"""A word that fewer archived memories hold leads to them; of another one only those who hold it besides."""


class Told(NamedTuple):
    """How many archived memories hold each term; which terms they hold, by number, and if that is all."""

    counts: dict[str, int]
    masks: dict[int, int]
    complete: bool


def by_words(inquiry: Inquiry, live: Candidates) -> Candidates:
    """The archived memories that say as much of the question as the first `limit` of the live ones.

    The archive is not even asked where so many live memories hold every word.
    """
    if inquiry.archive is None or _enough(inquiry, live):
        return Candidates([], set(), inquiry.archive is None)
    words, limit = inquiry.words, inquiry.question.limit
    told = _asked(words, inquiry.archive)
    words.learn(told.counts, told.masks)
    said = [words.weight(words.masks.get(row[4], 0)) for row in live.rows]
    bar = nlargest(limit, said)[-1] if len(said) >= limit else 0.0
    telling = {number: words.weight(mask) for number, mask in words.archived.items()}
    better = [number for number, one in telling.items() if one >= bar]
    rows = _passing(inquiry, sorted(better, key=lambda number: (telling[number], number), reverse=True))
    total = {row[4] for row in rows} if inquiry.filters.any() else set(words.archived)
    return Candidates(rows, total, told.complete and not inquiry.filters.any())


def _enough(inquiry: Inquiry, live: Candidates) -> bool:
    """Whether as many live memories as are asked for hold every word: nobody says more than that."""
    words, limit = inquiry.words, inquiry.question.limit
    if sum(words.masks.get(row[4]) == words.everything for row in live.rows) >= limit:
        return True
    if words.complete() or not all(words.holders.values()) or words.variants:
        return False
    # Not every holder of a common word was looked up, so the masks may tell too little.
    return len(inquiry.store.search.newest_with(words.terms, False, inquiry.filters, limit)) >= limit


def _asked(words: Words, archive: Archive) -> Told:
    """What the archive knows of the terms of a question."""
    spelled = {term: words.variants.get(term, [term]) for term in words.terms}
    held = {term: _holders(archive, ways) for term, ways in spelled.items()}
    newest, size = max((numbers[0] for numbers in held.values() if numbers), default=0), archive.count()
    counts = {term: _count(numbers, newest, size) for term, numbers in held.items()}
    known = sorted((term for term in words.terms if held[term]), key=lambda term: (counts[term], term))
    rare = [term for term in known if len(held[term]) < RARE]
    if rare:
        telling = list(chain.from_iterable(spelled[term] for term in rare))
        held |= {term: archive.holders_beside(term, telling) for term in known[len(rare) :]}
    else:
        held = _with_most(archive, known)
    masks: dict[int, int] = {}
    for bit, term in enumerate(words.terms):
        for number in held.get(term, ()):
            masks[number] = masks.get(number, 0) | 1 << bit
    return Told(counts, masks, rare == known)


def _holders(archive: Archive, spellings: Iterable[str]) -> list[int]:
    """The archived memories with a term in any spelling, the newest first; of a common one only those."""
    return sorted({one for term in spellings for one in archive.holders(term, RARE)}, reverse=True)[:RARE]


def _count(numbers: list[int], newest: int, size: int) -> int:
    """How many archived memories hold a term; of a common one an estimate: the denser it lies, the more."""
    if len(numbers) < RARE:
        return len(numbers)
    return min(size, len(numbers) * size // max(1, newest - numbers[-1] + 1))


def _with_most(archive: Archive, known: list[str]) -> dict[str, list[int]]:
    """Where every term is common: who holds all of them, or else the rarer half, and so on."""
    size = len(known)
    while size:
        if found := archive.newest_with(known[:size], MOST):
            return dict.fromkeys(known[:size], found)
        size //= 2
    return {}


def _passing(inquiry: Inquiry, ranked: list[int]) -> list[Row]:
    """The first that pass the filters, as many as are looked at closely."""
    found: list[Row] = []
    step = STEP if inquiry.filters.any() else MOST
    for start in range(0, len(ranked), step):
        rows = inquiry.store.search.at(ranked[start : start + step], inquiry.filters)
        found += sorted(rows, key=lambda row: ranked.index(row[4], start))
        if len(found) >= MOST:
            break
    return found[:MOST]
