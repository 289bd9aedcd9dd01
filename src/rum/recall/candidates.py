"""Which memories are worth a closer look for the words of a question, among live and archived ones."""

from __future__ import annotations

from heapq import nlargest
from itertools import chain
from typing import NamedTuple

from rum.recall import limits
from rum.recall.neighbours import NOBODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.recall.query import RecallQuery
    from rum.store.search import Row

STEP = 500  # Candidates are held against the filters so many at a time, best first, until there are enough

# What the words one step and two steps away in the session count for, in picking candidates.
NEXT, SECOND = 0.5, 0.25


class Candidates(NamedTuple):
    """Memories worth a closer look; how many hold a word of the question, and whether that is all of them."""

    rows: list[Row]
    total: set[int]
    complete: bool


class ArchivedTerms(NamedTuple):
    """How many archived memories hold each term; which terms they hold, by key, and whether that is all."""

    counts: dict[str, int]
    masks: dict[int, int]
    complete: bool


class ByWords(NamedTuple):
    """The candidates that the words of a question lead to."""

    live: Candidates  # Those that hold most of what the words say, and those next to them
    archived: Candidates  # Those that say as much of the question as the first `limit` live ones
    same_goal: list[Row]  # Those whose goal is the question


def by_words(query: RecallQuery, known: Iterable[int] = ()) -> ByWords:
    """Find candidates by words; `known` memories are described in the same call.

    The archive is not asked where `limit` live memories hold every word.
    """
    words = query.words
    best, complete = _best(query)
    if not words.complete():
        complete = False
    holders = set(best) if query.filters.any() else words.masks.keys() | best.keys()
    beside = _beside(query, best)
    archived = _archived(query, best)
    ranked = archived[1] if archived else []
    same_goal = words.same_goal[: STEP if query.filters.any() else query.question.limit]
    found = query.passing(ranked, cap=limits.ARCHIVED, always=[*beside, *same_goal, *known])
    exact = [found[key] for key in same_goal if key in found][: query.question.limit]
    # What the archive says is asked there.
    rows = best | {key: found[key] for key in beside if key in found and not query.details[key].archived}
    live = Candidates(list(rows.values()), set(holders), complete)
    if archived is None:
        return ByWords(live, Candidates([], set(), not query.has_archive), exact)
    passed = [found[key] for key in ranked if key in found]
    return ByWords(live, _from_archive(query, live, archived[0], passed), exact)


def look_for_typos(query: RecallQuery) -> bool:
    """Whether a few unknown words are a good part of the question, and were taken for typing errors."""
    words = query.words
    if not words.any_strange():
        return False
    if query.has_archive:
        _ask_archive(query)
    if words.misspelt() and words.respell():
        return True
    words.forget_archive()
    return False


def _best(query: RecallQuery) -> tuple[dict[int, Row], bool]:
    """The memories that hold most of what the words say, of those that pass; whether all were looked at."""
    words, pool = query.words, query.pool
    common = [] if words.complete() else _with_common_words(query)
    said = ((words.weighed[mask], key) for key, mask in words.masks.items())
    if not query.filters.any():
        ranked = [key for _, key in nlargest(pool, said)]
        passed = query.passing(ranked, always=[row.key for row in common])
        best = {key: passed[key] for key in ranked if key in passed}
        return best | {row.key: row for row in common}, True
    ranked = [key for _, key in sorted(said, reverse=True)]
    passed = query.passing(ranked, cap=pool + STEP, always=[row.key for row in common])
    places = [place for place, key in enumerate(ranked) if key in passed]
    end = len(ranked) if len(places) < pool else (places[pool - 1] // STEP + 1) * STEP
    best = {ranked[place]: passed[ranked[place]] for place in places if place < end}
    return best | {row.key: row for row in common}, end >= len(ranked)


def _beside(query: RecallQuery, rows: Iterable[int]) -> list[int]:
    """The neighbours of candidates whose own neighbours say most of what was asked for."""
    masks, weighed, near = query.words.masks, query.words.weighed, query.neighbourhood

    def said_around(key: int) -> float:
        before, after, earlier, later = [weighed[masks.get(other, 0)] for other in near.around(key)]
        return weighed[masks.get(key, 0)] + NEXT * (before + after) + SECOND * (earlier + later)

    beside: set[int] = set()
    for key in rows:
        beside.update(near.around(key), near.linked(key))
    said = ((said_around(key), key) for key in beside.difference(rows, (NOBODY,)))
    return [key for _, key in nlargest(query.pool, said)]


def _with_common_words(query: RecallQuery) -> list[Row]:
    """The newest memories with so many of the rarest terms, with twice as many, until there are few.

    This way round a search ends soon: either many memories have the terms, or few terms are looked for.
    """
    known, most = query.words.rarest_first(), query.pool
    if not known:
        return []
    size = 1 if query.words.is_common(known[0]) else 2
    sets: list[Sequence[str]] = [known[:size]]
    while size < len(known):
        size *= 2
        sets.append(known[:size])
    found = query.store.search.newest_with(sets, known, query.filters, most)
    return list(chain.from_iterable(reversed(found)))[: 2 * most]


def _archived(query: RecallQuery, best: dict[int, Row]) -> tuple[ArchivedTerms, list[int]] | None:
    """What the archive knows of the words, and the keys of archived memories, those that say most first.

    None where there is no archive, or nobody in it can say more than live memories do.
    """
    if not query.has_archive or _enough(query, best):
        return None
    found, words = _ask_archive(query), query.words
    telling = {key: words.weight(mask) for key, mask in words.archived.items()}
    return found, sorted(telling, key=lambda key: (telling[key], key), reverse=True)


def _enough(query: RecallQuery, best: dict[int, Row]) -> bool:
    """Whether as many live memories as are asked for hold every word: nobody says more than that."""
    words, limit = query.words, query.question.limit
    if sum(words.masks.get(key) == words.everything for key in best) >= limit:
        return True
    if words.complete() or not all(words.holders.values()) or words.variants:
        return False
    # Not every holder of a common word was looked up, so the masks may tell too little.
    found = query.store.search.newest_with([words.terms], (), query.filters, limit)
    return bool(found) and len(found[0]) >= limit


def _ask_archive(query: RecallQuery) -> ArchivedTerms:
    """What the archive knows of the terms of a question; the words learn it."""
    words, search = query.words, query.store.search
    spelled = {term: words.variants.get(term, [term]) for term in words.terms}
    held = {term: words.archived_holders(term)[0] for term in words.terms}
    counts = {term: words.archived_holders(term)[1] for term in words.terms}
    known = sorted((term for term in words.terms if held[term]), key=lambda term: (counts[term], term))
    rare = [term for term in known if len(held[term]) < limits.ARCHIVED_RARE]
    common = known[len(rare) :]
    if rare and common:
        telling = list(chain.from_iterable(spelled[term] for term in rare))
        held |= dict(
            zip(common, search.archived_with([([term], telling) for term in common], -1), strict=True)
        )
    elif common:
        held = _with_most(query, common)
    masks: dict[int, int] = {}
    for bit, term in enumerate(words.terms):
        for key in held.get(term, ()):
            masks[key] = masks.get(key, 0) | 1 << bit
    words.learn(counts, masks)
    return ArchivedTerms(counts, masks, rare == known)


def _with_most(query: RecallQuery, known: list[str]) -> dict[str, list[int]]:
    """Where every term is common: who holds all of them, or else the rarer half, and so on."""
    sizes = [len(known)]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    sets = [(known[:size], ()) for size in sizes]
    found = query.store.search.archived_with(sets, limits.ARCHIVED)
    for size, keys in zip(sizes, found, strict=True):
        if keys:
            return dict.fromkeys(known[:size], keys)
    return {}


def _from_archive(
    query: RecallQuery, live: Candidates, found: ArchivedTerms, passed: list[Row]
) -> Candidates:
    """The archived memories that say as much as the first `limit` of the live ones."""
    words, limit = query.words, query.question.limit
    said = [words.weight(words.masks.get(row.key, 0)) for row in live.rows]
    bar = nlargest(limit, said)[-1] if len(said) >= limit else 0.0
    rows = [row for row in passed if words.weight(words.archived[row.key]) >= bar]
    total = {row.key for row in rows} if query.filters.any() else set(words.archived)
    return Candidates(rows, total, found.complete and not query.filters.any())
