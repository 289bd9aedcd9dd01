"""Which memories are worth a closer look for the words of a question."""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from rum.recall.neighbours import NOBODY, Neighbour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.recall.inquiry import Inquiry
    from rum.store.search import Row

STEP = 500
"""So many candidates are held against the filters at once, best first, until there are enough."""

NEXT, SECOND = 0.5, 0.25
"""What the words one step and two steps away in the session count for, in picking candidates."""


class Candidates(NamedTuple):
    """Memories worth a closer look; how many hold a word asked for, and whether that is all of them."""

    rows: list[Row]
    total: set[int]
    complete: bool


def by_words(inquiry: Inquiry) -> Candidates:
    """The memories that hold most of what the words say, and those that stand next to them."""
    words, search = inquiry.words, inquiry.store.search
    best, complete = _best(inquiry)
    rows = {row[4]: row for row in best}
    if not words.complete():
        rows.update((row[4], row) for row in _with_common_words(inquiry))
        complete = False
    holders = set(rows) if inquiry.filters.any() else words.masks.keys() | rows.keys()
    inquiry.neighbourhood.learn(Neighbour(row[0], row[3], row[4]) for row in rows.values())
    beside = search.at(_beside(inquiry, rows), inquiry.filters)
    packed = inquiry.packed(row[4] for row in beside)  # what the archive says is asked there
    rows.update((row[4], row) for row in beside if row[4] not in packed)
    return Candidates(list(rows.values()), holders, complete)


def _best(inquiry: Inquiry) -> tuple[list[Row], bool]:
    """The memories that hold most of what the words say, of those that pass; whether all were looked at."""
    search, filters, weighed = inquiry.store.search, inquiry.filters, inquiry.words.weighed
    said = ((weighed[mask], number) for number, mask in inquiry.words.masks.items())
    if not filters.any():
        return search.at((number for _, number in nlargest(inquiry.pool, said)), filters), True
    ranked = [number for _, number in sorted(said, reverse=True)]
    found: list[Row] = []
    for start in range(0, len(ranked), STEP):
        found += search.at(ranked[start : start + STEP], filters)
        if len(found) >= inquiry.pool and start + STEP < len(ranked):
            return found, False
    return found, True


def _beside(inquiry: Inquiry, rows: Iterable[int]) -> list[int]:
    """The neighbours of candidates whose own neighbours say most of what was asked for."""
    masks, weighed, near = inquiry.words.masks, inquiry.words.weighed, inquiry.neighbourhood

    def said_around(number: int) -> float:
        before, after, earlier, later = [weighed[masks.get(other, 0)] for other in near.around(number)]
        return weighed[masks.get(number, 0)] + NEXT * (before + after) + SECOND * (earlier + later)

    beside: set[int] = set()
    for number in rows:
        beside.update(near.around(number), near.linked(number))
    said = ((said_around(number), number) for number in beside.difference(rows, (NOBODY,)))
    return [number for _, number in nlargest(inquiry.pool, said)]


def _with_common_words(inquiry: Inquiry) -> list[Row]:
    """The newest memories with so many of the rarest terms, with twice as many, until there are few.

    This way round a search ends soon: either many memories have the terms, or few terms are looked for.
    """
    known, most = inquiry.words.rarest_first(), inquiry.pool
    found: list[Row] = []
    size = 1 if known and inquiry.words.is_common(known[0]) else 2
    while known:
        rows = _newest(inquiry, known[:size], False)
        found = [*rows, *found][: 2 * most]
        if len(rows) < most:
            break
        if size >= len(known):
            return [*_newest(inquiry, known, True), *found][: 2 * most]
        size *= 2
    return found


def _newest(inquiry: Inquiry, terms: Sequence[str], in_goal: bool) -> list[Row]:
    return inquiry.store.search.newest_with(terms, in_goal, inquiry.filters, inquiry.pool)
