"""Find candidates by the words of a query, among live and archived memories."""

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

STEP = 500  # Number of candidates checked against the filters at a time, best first, until there are enough

# Factors for the words of memories one and two steps away in the session, when candidates are chosen.
NEXT, SECOND = 0.5, 0.25


class Candidates(NamedTuple):
    """Memories to examine closely, and all keys that hold a word; `complete` if none was left out."""

    rows: list[Row]
    total: set[int]
    complete: bool


class ArchivedTerms(NamedTuple):
    """The number of archived memories by term, and their masks by key; `complete` if none is missing."""

    counts: dict[str, int]
    masks: dict[int, int]
    complete: bool


class ByWords(NamedTuple):
    """The candidates found by the words of a query."""

    live: Candidates  # Those with the highest weight of words, and their neighbours
    archived: Candidates  # Those with at least the weight of the first `limit` live ones
    same_goal: list[Row]  # Those whose goal is the query


def by_words(query: RecallQuery, known: Iterable[int] = ()) -> ByWords:
    """Find candidates by words; `known` memories are described in the same call.

    The archive is not searched if `limit` live memories hold every word.
    """
    words = query.words
    best, complete = _best(query)
    if not words.complete():
        complete = False
    holders = set(best) if query.filters.any() else words.masks.keys() | best.keys()
    beside = _beside(query, best)
    archived = _archived(query, best)
    ranked = archived[1] if archived else []
    same_goal = words.same_goal[: STEP if query.filters.any() else query.request.limit]
    found = query.passing(ranked, cap=limits.ARCHIVED, always=[*beside, *same_goal, *known])
    exact = [found[key] for key in same_goal if key in found][: query.request.limit]
    # Archived neighbours are found in the archive.
    rows = best | {key: found[key] for key in beside if key in found and not query.details[key].archived}
    live = Candidates(list(rows.values()), set(holders), complete)
    if archived is None:
        return ByWords(live, Candidates([], set(), not query.has_archive), exact)
    passed = [found[key] for key in ranked if key in found]
    return ByWords(live, _from_archive(query, live, archived[0], passed), exact)


def look_for_typos(query: RecallQuery) -> bool:
    """Correct typos if a few unknown words are a large share of the query; return whether any was found."""
    words = query.words
    if not words.any_strange():
        return False
    if query.has_archive:
        _search_archive(query)
    if words.misspelt() and words.respell():
        return True
    words.forget_archive()
    return False


def _best(query: RecallQuery) -> tuple[dict[int, Row], bool]:
    """The memories that pass with the highest weight of words; and whether all were checked."""
    words, pool = query.words, query.pool
    common = [] if words.complete() else _with_common_words(query)
    weights = words.weight_by_key
    if not query.filters.any():
        # Sorting numbers is fast, sorting pairs is not: most memories can be left out before.
        least = sorted(weights.values(), reverse=True)[pool - 1] if len(weights) > pool else 0.0
        weighed = [(weight, key) for key, weight in weights.items() if weight >= least]
        ranked = [key for _, key in sorted(weighed, reverse=True)[:pool]]
        passed = query.passing(ranked, always=[row.key for row in common])
        best = {key: passed[key] for key in ranked if key in passed}
        return best | {row.key: row for row in common}, True
    ranked = [key for _, key in sorted(zip(weights.values(), weights, strict=True), reverse=True)]
    passed = query.passing(ranked, cap=pool + STEP, always=[row.key for row in common])
    positions = [position for position, key in enumerate(ranked) if key in passed]
    end = len(ranked) if len(positions) < pool else (positions[pool - 1] // STEP + 1) * STEP
    best = {ranked[position]: passed[ranked[position]] for position in positions if position < end}
    return best | {row.key: row for row in common}, end >= len(ranked)


def _beside(query: RecallQuery, rows: Iterable[int]) -> list[int]:
    """The neighbours of candidates, those with the highest weight of words in and around them."""
    weight, near = query.words.weight_by_key.get, query.neighbourhood
    beside: set[int] = set()
    for key in rows:
        beside.update(near.around(key), near.linked(key))
    weighed: list[tuple[float, int]] = []
    for key in beside.difference(rows, (NOBODY,)):
        before, after, earlier, later = near.around(key)
        next_to = NEXT * (weight(before, 0.0) + weight(after, 0.0))
        further = SECOND * (weight(earlier, 0.0) + weight(later, 0.0))
        weighed.append((weight(key, 0.0) + next_to + further, key))
    return [key for _, key in sorted(weighed, reverse=True)[: query.pool]]


def _with_common_words(query: RecallQuery) -> list[Row]:
    """The newest memories with the rarest one or two terms, then with twice as many, until few have them.

    In this order each search is fast: either many memories have the terms, or there are few terms.
    """
    known, limit = query.words.rarest_first(), query.pool
    if not known:
        return []
    size = 1 if query.words.is_common(known[0]) else 2
    sets: list[Sequence[str]] = [known[:size]]
    while size < len(known):
        size *= 2
        sets.append(known[:size])
    found = query.search.newest_with(sets, known, query.filters, limit)
    return list(chain.from_iterable(reversed(found)))[: 2 * limit]


def _archived(query: RecallQuery, best: dict[int, Row]) -> tuple[ArchivedTerms, list[int]] | None:
    """The archive's results for the words, and the keys of archived memories, highest weight first.

    None if there is no archive, or if enough live memories hold every word.
    """
    if not query.has_archive or _enough(query, best):
        return None
    found, words = _search_archive(query), query.words
    weights = {key: words.weight(mask) for key, mask in words.archived.items()}
    return found, sorted(weights, key=lambda key: (weights[key], key), reverse=True)


def _enough(query: RecallQuery, best: dict[int, Row]) -> bool:
    """Whether `limit` live memories hold every word, so that no archived one can be better."""
    words, limit = query.words, query.request.limit
    if sum(words.masks.get(key) == words.everything for key in best) >= limit:
        return True
    if words.complete() or not all(words.holders.values()) or words.variants:
        return False
    # Not every holder of a common word was read, so the masks may be incomplete.
    found = query.search.newest_with([words.terms], (), query.filters, limit)
    return bool(found) and len(found[0]) >= limit


def _search_archive(query: RecallQuery) -> ArchivedTerms:
    """Search the archive for the terms of a query, and add the results to its words."""
    words = query.words
    spelled = {term: words.variants.get(term, [term]) for term in words.terms}
    held = {term: words.archived_holders(term)[0] for term in words.terms}
    counts = {term: words.archived_holders(term)[1] for term in words.terms}
    known = sorted((term for term in words.terms if held[term]), key=lambda term: (counts[term], term))
    rare = [term for term in known if len(held[term]) < limits.ARCHIVED_RARE]
    common = known[len(rare) :]
    if rare and common:
        rare_spellings = list(chain.from_iterable(spelled[term] for term in rare))
        held |= dict(
            zip(common, query.archived_with([([term], rare_spellings) for term in common], -1), strict=True)
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
    """If every term is common: the holders of all terms, or else of the rarer half, and so on."""
    sizes = [len(known)]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    sets = [(known[:size], ()) for size in sizes]
    found = query.archived_with(sets, limits.ARCHIVED)
    for size, keys in zip(sizes, found, strict=True):
        if keys:
            return dict.fromkeys(known[:size], keys)
    return {}


def _from_archive(
    query: RecallQuery, live: Candidates, found: ArchivedTerms, passed: list[Row]
) -> Candidates:
    """The archived memories with at least the weight of the first `limit` live ones."""
    words, limit = query.words, query.request.limit
    live_weights = [words.weight(words.masks.get(row.key, 0)) for row in live.rows]
    min_weight = nlargest(limit, live_weights)[-1] if len(live_weights) >= limit else 0.0
    rows = [row for row in passed if words.weight(words.archived[row.key]) >= min_weight]
    total = {row.key for row in rows} if query.filters.any() else set(words.archived)
    return Candidates(rows, total, found.complete and not query.filters.any())
