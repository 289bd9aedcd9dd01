"""The levels of the cascade, each a plain function that adds to what was found."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain

from rum.model.requests import Strategy
from rum.recall import limits
from rum.recall.candidates import by_words, look_for_typos
from rum.recall.files import is_below, matching_paths, neighbours, paths_named
from rum.recall.limits import (
    BARE_NAME,
    CATCH_UP,
    CATCH_UP_LATER,
    CERTAIN,
    COMMON,
    EARLIER_NAME,
    RANKED_OF_A_FILE,
    SAME_FOLDER,
)
from rum.recall.query import Found, RecallQuery, Tied
from rum.store.search import FileRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.store.search import Row

Level = Callable[[RecallQuery, Found], Found]

# The beginning of a commit's id, or its whole.
COMMIT = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)


def exact(query: RecallQuery, found: Found) -> Found:
    """By file, by an issue's number, by a commit's id, or by task type where no file was asked for."""
    if not query.files and query.issue:
        _by_issue(query, found, query.issue)
    elif not query.files and COMMIT.fullmatch(query.text):
        _by_commit(query, found)
    if query.files:
        _by_files(query, found)
    elif query.question.task_type and not _left_to_words(query):
        _by_filters(query, found, "exact")
    return found


def _by_commit(query: RecallQuery, found: Found) -> None:
    """Add what was made of the commit, also where a rebase replaced it: it was asked for by its id."""
    filters = query.filters.also_superseded()
    _certain(found, query.store.search.by_commit(query.text.lower(), filters, query.question.limit))


def _by_issue(query: RecallQuery, found: Found, number: str) -> None:
    """Add what names the issue, in whatever words."""
    _certain(found, query.store.search.by_issue(number, query.filters, query.pool, COMMON))


def _certain(found: Found, rows: list[Row]) -> None:
    """Add memories that were asked for literally."""
    if rows:
        found.ran.append("exact")
    found.total += len(rows)
    for row in rows:
        found.add(row, "exact", CERTAIN)


def _by_files(query: RecallQuery, found: Found) -> None:
    found.ran.append("exact")
    search = query.store.search
    groups = query.find_paths(matching_paths, query.files)
    if query.text:
        _weighed(query, found, groups)
        return
    paths = list(chain.from_iterable(groups.values()))
    # A path that is a file is no folder.
    is_path = len(groups) == 1 and len(paths) == 2 and paths[1] == paths[0] + "/"
    wanted = [[path] for path in paths] if is_path else [paths]
    tied, former = search.by_paths(wanted, query.filters, query.candidates, renamed_files=query.files)
    _add_tied(found, *next((one for one in tied if one[0]), (list[FileRow](), 0)), CERTAIN)
    _under_earlier_names(query, found, former)
    missed = _without_memories(query, found, groups)
    if named := list(chain.from_iterable(query.find_paths(paths_named, missed).values())):
        [(rows, total)], _ = search.by_paths([named], query.filters, query.candidates)
        _add_tied(found, rows, total, BARE_NAME)


def _weighed(query: RecallQuery, found: Found, groups: dict[str, list[str]]) -> None:
    """Add the newest memories of each file, folder or pattern, as one sign among others."""
    search = query.store.search
    cap = max(query.question.limit, RANKED_OF_A_FILE // len(query.files))
    # A name without a folder may be a file anywhere: both are asked for at once.
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
    # What is tied to the file itself and what is below it was looked for already.
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
    """The known files of each name, for the names that there are any of."""
    return {name: paths for name, paths in query.find_paths(paths_named, names).items() if paths}


def _without_memories(query: RecallQuery, found: Found, groups: dict[str, list[str]]) -> list[str]:
    """The patterns that no memory is tied to; of one pattern alone it is clear already."""
    if len(groups) == 1 or not found.matches:
        return [] if found.matches else list(groups)
    tied = query.store.search.by_paths(list(groups.values()), query.filters, 1)
    return [pattern for pattern, (rows, _) in zip(groups, tied.groups, strict=True) if not rows]


def _add_tied(found: Found, rows: list[FileRow], total: int, strength: float) -> None:
    """Add memories tied to files."""
    found.total += total - sum(row.id in found.matches for row in rows)
    for row in rows:
        found.add(row.row, "exact", strength)


def _under_earlier_names(query: RecallQuery, found: Found, former: list[list[FileRow]]) -> None:
    """Add what was done to files before they had the names asked for."""
    for rows in former:
        found.total += sum(row.id not in found.matches for row in rows)
        found.total_exact &= len(rows) < query.candidates
        for row in rows:
            found.add(row.row, "exact", EARLIER_NAME)


def structural(query: RecallQuery, found: Found) -> Found:
    """By filters alone: time, agent, session, tags, success."""
    if not (query.files or query.question.task_type or _left_to_words(query)):
        _by_filters(query, found, "structural")
    return found


def _left_to_words(query: RecallQuery) -> bool:
    """Whether a later level finds what passes the filters, by its words."""
    return bool(query.text) and (query.question.strategy is not Strategy.EXACT or not query.filters.any())


def _by_filters(query: RecallQuery, found: Found, level: str) -> None:
    found.ran.append(level)
    rows, total = query.store.search.by_filters(query.filters, query.candidates)
    for row in rows:
        found.add(row, level, None if query.text else CERTAIN)
    found.total += total


def pattern(query: RecallQuery, found: Found) -> Found:
    """By words, also misspelt ones, and by likeness of the task: the same kind of work next door."""
    if query.text and not (query.issue and found.matches):  # else whoever was asked for was found
        found.ran.append("pattern")
        _by_words(query, found)
    if query.files and query.question.task_type:
        found.ran.append("pattern")
        _next_door(query, found)
    return found


def _by_words(query: RecallQuery, found: Found) -> None:
    words, known = query.words, [match.key for match in found.matches.values()]
    look_for_typos(query)
    live, archived, same_goal = by_words(query, known)
    if len(live.rows) + len(archived.rows) < query.question.limit and words.respell():
        live, archived, same_goal = by_words(query, known)
    found.total += len((live.total | archived.total).difference(known))
    found.total_exact &= live.complete and archived.complete
    for row in [*live.rows, *archived.rows, *same_goal]:
        found.add(row, "pattern")


def _next_door(query: RecallQuery, found: Found) -> None:
    search = query.store.search
    paths = neighbours(query, query.files)
    if not paths:
        return
    [(rows, _)], _ = search.by_paths([paths], query.filters, query.candidates)
    found.total += len({row.id for row in rows} - set(found.matches))
    for row in rows:
        found.add(row.row, "pattern", SAME_FOLDER)


def semantic(query: RecallQuery, found: Found) -> Found:
    """By meaning: the memories whose vectors are nearest to the question's."""
    if not query.text or query.semantic is None or _means_nothing(query.text):
        return found
    if query.patient:
        seconds = CATCH_UP_LATER if query.semantic.waited else CATCH_UP
        foremost = [(match.key, match.memory_id) for match in found.best_without_vectors()]
        query.semantic.catch_up(seconds, first=foremost, state=query.words.vectors)
    # One call finds both; the archived ones are added only if the live ones are not sure enough.
    nearest = query.find_nearest(archive=not found.best(query.sure, 1, own=True))
    return _add_nearest(query, found, nearest.live, query.pool)


def archived(query: RecallQuery, found: Found) -> Found:
    """By meaning in the archive, where nothing found so far is sure: its vectors are seldom needed."""
    if not query.text or query.semantic is None or _means_nothing(query.text):
        return found
    if not query.has_archive or found.best(query.sure, 1, own=True):
        return found
    return _add_nearest(query, found, query.find_nearest(archive=True).archived, limits.ARCHIVED)


def _add_nearest(query: RecallQuery, found: Found, nearest: list[int], most: int) -> Found:
    if nearest:
        found.ran.append("semantic")
    for row in _passing(query, found, nearest, most):
        found.add(row, "semantic")
        if not found.matches[row.id].has_own_evidence:  # so far its neighbours alone spoke for it
            found.matches[row.id].level = "semantic"
    return found


def _passing(query: RecallQuery, found: Found, nearest: list[int], most: int) -> list[Row]:
    """Those of the `most` nearest memories that pass the filters; where they are too few, of all given."""
    known = {match.key for match in found.matches.values()}
    also = [key for key in query.find_nearest(archive=False).archived if key not in known]
    passed = query.passing([key for key in nearest if key not in known], cap=query.pool, always=also)
    query.describe(known.intersection(nearest))
    rows = {key: query.details[key].row for key in nearest if key in passed or key in known}
    first = [rows[key] for key in nearest[:most] if key in rows]
    return (first if len(first) >= query.question.limit else list(rows.values()))[: query.pool]


def _means_nothing(text: str) -> bool:
    """Whether it can only be an id or a number; without a digit it may be a word, as `defaced` is."""
    return text.isdigit() or (not text.isalpha() and COMMIT.fullmatch(text) is not None)


# The levels in order, by name; what the last one finds an answer calls semantic, too.
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
