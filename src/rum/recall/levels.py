"""The levels of the cascade: functions that add matches."""

from __future__ import annotations

import re
from collections.abc import Callable
from heapq import nlargest
from itertools import chain
from typing import NamedTuple

from rum.model.requests import Strategy
from rum.recall import limits
from rum.recall.files import is_below, matching_paths, neighbours, paths_named
from rum.recall.limits import BARE_NAME, CERTAIN, COMMON, EARLIER_NAME, RANKED_OF_A_FILE, SAME_FOLDER
from rum.recall.neighbours import NOBODY
from rum.recall.query import Found, RecallQuery, Tied
from rum.store.search import FileRow

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
    same_goal = words.same_goal[: STEP if query.filters.any() else query.enough]
    found = query.passing(ranked, cap=limits.ARCHIVED, always=[*beside, *same_goal, *known])
    exact = [found[key] for key in same_goal if key in found][: query.enough]
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
    words, limit = query.words, query.enough
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
    spelled = {term: words.spellings_of(term) for term in words.terms}
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
    words, limit = query.words, query.enough
    live_weights = [words.weight(words.masks.get(row.key, 0)) for row in live.rows]
    min_weight = nlargest(limit, live_weights)[-1] if len(live_weights) >= limit else 0.0
    rows = [row for row in passed if words.weight(words.archived[row.key]) >= min_weight]
    total = {row.key for row in rows} if query.filters.any() else set(words.archived)
    return Candidates(rows, total, found.complete and not query.filters.any())


Level = Callable[[RecallQuery, Found], Found]

# A commit id or a prefix of one.
COMMIT = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)


def exact(query: RecallQuery, found: Found) -> Found:
    """Find by file, by issue number, by commit id, or, without files, by task type."""
    rows: list[Row] = []
    if not query.files and query.issue:
        rows = query.search.by_issue(query.issue, query.filters, query.pool, COMMON)
    elif not query.files and COMMIT.fullmatch(query.text):
        # Also superseded ones, as the commit was requested by its id.
        filters = query.filters.also_superseded()
        rows = query.search.by_commit(query.text.lower(), filters, query.request.limit)
    if rows:
        found.ran.append("exact")
        found.total += len(rows)
    for row in rows:
        found.add(row, "exact", CERTAIN)
    if query.files:
        _by_files(query, found)
    elif query.request.task_type and not _left_to_words(query):
        _by_filters(query, found, "exact")
    return found


def _by_files(query: RecallQuery, found: Found) -> None:
    found.ran.append("exact")
    search = query.search
    groups = query.find_paths(matching_paths, query.files)
    if query.text:
        _add_files_as_signal(query, found, groups)
        return
    paths = list(chain.from_iterable(groups.values()))
    tied, former = search.by_paths([paths], query.filters, query.candidates, renamed_files=query.files)
    _add_tied(found, *tied[0], CERTAIN)
    for rows in former:
        found.total_exact &= len(rows) < query.candidates
        _add_tied(found, rows, len(rows), EARLIER_NAME)
    missed = [] if found.matches else list(groups)
    if len(groups) > 1 and found.matches:
        of_each = search.by_paths(list(groups.values()), query.filters, 1).groups
        missed = [pattern for pattern, (rows, _) in zip(groups, of_each, strict=True) if not rows]
    if named := list(chain.from_iterable(query.find_paths(paths_named, missed).values())):
        [(rows, total)], _ = search.by_paths([named], query.filters, query.candidates)
        _add_tied(found, rows, total, BARE_NAME)


def _add_files_as_signal(query: RecallQuery, found: Found, groups: dict[str, list[str]]) -> None:
    """Add the newest memories of each file, folder or pattern; the file is one signal among others."""
    search = query.search
    cap = max(query.request.limit, RANKED_OF_A_FILE // len(query.files))
    # A name without a folder may be a file in any folder: both are read in one call.
    bare = _paths_named(query, [pattern for pattern in groups if "/" not in pattern])
    wanted = [*groups.values(), *bare.values()]
    found_rows, former = search.by_paths(wanted, query.filters, cap, renamed_files=list(groups))
    tied: dict[str, tuple[list[FileRow], int]] = {}
    for pattern, (rows, total), earlier in zip(groups, found_rows[: len(groups)], former, strict=True):
        known = {row.id for row in rows}
        added = [row for row in earlier if row.id not in known]
        tied[pattern] = (rows + added)[:cap], total + len(added)
    for pattern, by_name in zip(bare, found_rows[len(groups) :], strict=True):
        if not tied[pattern][0]:
            tied[pattern] = by_name
    missed = [pattern for pattern, (rows, _) in tied.items() if not rows and "/" in pattern]
    named = _paths_named(query, missed)
    query.known_files.update(
        pattern
        for pattern, (rows, _) in tied.items()
        if rows or pattern in bare or pattern in named.get(pattern, ())
    )
    # The memories of the path itself and of files below it were found already.
    named = {name: paths for name, paths in named.items() if any(not is_below(path, name) for path in paths)}
    if named:
        more = search.by_paths(list(named.values()), query.filters, cap)
        tied |= dict(zip(named, more.groups, strict=True))
    for rows, total in tied.values():
        found.tied.append(Tied([row.key for row in rows], total))
        found.total += sum(row.id not in found.matches for row in rows)
        for row in rows:
            found.add(row.row, "exact")


def _paths_named(query: RecallQuery, names: list[str]) -> dict[str, list[str]]:
    """The known files of each name; names without files are left out."""
    return {name: paths for name, paths in query.find_paths(paths_named, names).items() if paths}


def _add_tied(found: Found, rows: list[FileRow], total: int, strength: float) -> None:
    """Add memories tied to files."""
    found.total += total - sum(row.id in found.matches for row in rows)
    for row in rows:
        found.add(row.row, "exact", strength)


def structural(query: RecallQuery, found: Found) -> Found:
    """Find by filters alone: time, agent, session, tags, success."""
    if not (query.files or query.request.task_type or _left_to_words(query)):
        _by_filters(query, found, "structural")
    return found


def _left_to_words(query: RecallQuery) -> bool:
    """Whether a later level finds the matches by words."""
    return bool(query.text) and (query.request.strategy is not Strategy.EXACT or not query.filters.any())


def _by_filters(query: RecallQuery, found: Found, level: str) -> None:
    found.ran.append(level)
    rows, total = query.search.by_filters(query.filters, query.candidates)
    for row in rows:
        found.add(row, level, None if query.text else CERTAIN)
    found.total += total


def pattern(query: RecallQuery, found: Found) -> Found:
    """Find by words, also misspelt ones, and by task type on neighbouring files."""
    if query.text and not (query.issue and found.matches):  # else the issue was found already
        found.ran.append("pattern")
        _by_words(query, found)
    if query.files and query.request.task_type:
        found.ran.append("pattern")
        _by_neighbouring_files(query, found)
    return found


def _by_words(query: RecallQuery, found: Found) -> None:
    words, known = query.words, [match.key for match in found.matches.values()]
    look_for_typos(query)
    live, archived, same_goal = by_words(query, known)
    if len(live.rows) + len(archived.rows) < limits.ENOUGH and words.respell():
        live, archived, same_goal = by_words(query, known)
    found.total += len((live.total | archived.total).difference(known))
    found.total_exact &= live.complete and archived.complete
    for row in [*live.rows, *archived.rows, *same_goal]:
        found.add(row, "pattern")


def _by_neighbouring_files(query: RecallQuery, found: Found) -> None:
    search = query.search
    paths = neighbours(query, query.files)
    if not paths:
        return
    [(rows, _)], _ = search.by_paths([paths], query.filters, query.candidates)
    found.total += len({row.id for row in rows} - set(found.matches))
    for row in rows:
        found.add(row.row, "pattern", SAME_FOLDER)


def semantic(query: RecallQuery, found: Found) -> Found:
    """Find the memories whose vectors are nearest to the query's."""
    if not query.text or query.semantic is None or _is_id_or_number(query.text):
        return found
    query.semantic.has_pending = query.words.found.vectors.pending
    # One call finds both; archived ones are added only if no live one has a high confidence.
    nearest = query.find_nearest(archive=not found.best(query.sure, 1, own=True))
    return _add_nearest(query, found, nearest.live, query.pool)


def archived(query: RecallQuery, found: Found) -> Found:
    """Find archived memories by their vectors, if no match so far has a high confidence."""
    if not query.text or query.semantic is None or _is_id_or_number(query.text):
        return found
    if not query.has_archive or found.best(query.sure, 1, own=True):
        return found
    return _add_nearest(query, found, query.find_nearest(archive=True).archived, limits.ARCHIVED)


def _add_nearest(query: RecallQuery, found: Found, nearest: list[int], limit: int) -> Found:
    if nearest:
        found.ran.append("semantic")
    for row in _passing(query, found, nearest, limit):
        found.add(row, "semantic")
        if not found.matches[row.id].has_own_evidence:  # so far it matched only by its neighbours
            found.matches[row.id].level = "semantic"
    return found


def _passing(query: RecallQuery, found: Found, nearest: list[int], limit: int) -> list[Row]:
    """Those of the `limit` nearest memories that pass the filters; of all if those are too few."""
    known = {match.key for match in found.matches.values()}
    also = [key for key in query.find_nearest(archive=False).archived if key not in known]
    passed = query.passing([key for key in nearest if key not in known], cap=query.pool, always=also)
    query.describe(known.intersection(nearest))
    rows = {key: query.details[key].row for key in nearest if key in passed or key in known}
    first = [rows[key] for key in nearest[:limit] if key in rows]
    return (first if len(first) >= query.enough else list(rows.values()))[: query.pool]


def _is_id_or_number(text: str) -> bool:
    """Whether a text is an id or a number; without a digit it may be a word, such as `defaced`."""
    return text.isdigit() or (not text.isalpha() and COMMIT.fullmatch(text) is not None)


# The levels in order, by name; in answers the last one is also called semantic.
CASCADE: dict[str, Level] = {
    "exact": exact,
    "structural": structural,
    "pattern": pattern,
    "semantic": semantic,
    "archived": archived,
}

# Which levels a strategy may run.
ALLOWED: dict[Strategy, tuple[str, ...]] = {
    Strategy.EXACT: ("exact", "structural"),
    Strategy.SEMANTIC: ("semantic", "archived"),
    Strategy.AUTO: tuple(CASCADE),
}
