"""The levels of the cascade, each a plain function that adds to what was found."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain

from rum.model.requests import Strategy
from rum.recall import limits
from rum.recall.candidates import by_words, look_for_typos
from rum.recall.files import is_below, matching_paths, neighbours, paths_named
from rum.recall.inquiry import Found, Inquiry, Tied
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
from rum.store.search import FileRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.store.search import Row

Level = Callable[[Inquiry, Found], Found]

# The beginning of a commit's id, or its whole.
COMMIT = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)


def exact(inquiry: Inquiry, found: Found) -> Found:
    """By file, by an issue's number, by a commit's id, or by task type where no file was asked for."""
    if not inquiry.files and inquiry.issue:
        _by_issue(inquiry, found, inquiry.issue)
    elif not inquiry.files and COMMIT.fullmatch(inquiry.text):
        _by_commit(inquiry, found)
    if inquiry.files:
        _by_files(inquiry, found)
    elif inquiry.question.task_type and not _left_to_words(inquiry):
        _by_filters(inquiry, found, "exact")
    return found


def _by_commit(inquiry: Inquiry, found: Found) -> None:
    """Add what was made of the commit, also where a rebase replaced it: it was asked for by its id."""
    filters = inquiry.filters.also_superseded()
    _certain(found, inquiry.store.search.by_commit(inquiry.text.lower(), filters, inquiry.question.limit))


def _by_issue(inquiry: Inquiry, found: Found, number: str) -> None:
    """Add what names the issue, in whatever words."""
    _certain(found, inquiry.store.search.by_issue(number, inquiry.filters, inquiry.pool, COMMON))


def _certain(found: Found, rows: list[Row]) -> None:
    """Add memories that were asked for literally."""
    if rows:
        found.ran.append("exact")
    found.total += len(rows)
    for row in rows:
        found.add(row, "exact", CERTAIN)


def _by_files(inquiry: Inquiry, found: Found) -> None:
    found.ran.append("exact")
    search = inquiry.store.search
    groups = inquiry.find_paths(matching_paths, inquiry.files)
    if inquiry.text:
        _weighed(inquiry, found, groups)
        return
    paths = list(chain.from_iterable(groups.values()))
    # A path that is a file is no folder.
    is_path = len(groups) == 1 and len(paths) == 2 and paths[1] == paths[0] + "/"
    wanted = [[path] for path in paths] if is_path else [paths]
    tied, former = search.by_paths(wanted, inquiry.filters, inquiry.candidates, formerly=inquiry.files)
    _add_tied(found, *next((one for one in tied if one[0]), (list[FileRow](), 0)), CERTAIN)
    _under_earlier_names(inquiry, found, former)
    missed = _without_memories(inquiry, found, groups)
    if named := list(chain.from_iterable(inquiry.find_paths(paths_named, missed).values())):
        [(rows, total)], _ = search.by_paths([named], inquiry.filters, inquiry.candidates)
        _add_tied(found, rows, total, BARE_NAME)


def _weighed(inquiry: Inquiry, found: Found, groups: dict[str, list[str]]) -> None:
    """Add the newest memories of each file, folder or pattern, as one sign among others."""
    search = inquiry.store.search
    cap = max(inquiry.question.limit, RANKED_OF_A_FILE // len(inquiry.files))
    # A name without a folder may be a file anywhere: both are asked for at once.
    bare = _paths_named(inquiry, [pattern for pattern in groups if "/" not in pattern])
    wanted = [*groups.values(), *bare.values()]
    found_rows, former = search.by_paths(wanted, inquiry.filters, cap, formerly=list(groups))
    tied: dict[str, tuple[list[FileRow], int]] = {}
    for pattern, (rows, total), earlier in zip(groups, found_rows[: len(groups)], former, strict=True):
        known = {row.id for row in rows}
        added = [row for row in earlier if row.id not in known]
        tied[pattern] = (rows + added)[:cap], total + len(added)
    for pattern, by_name in zip(bare, found_rows[len(groups) :], strict=True):
        if not tied[pattern][0]:
            tied[pattern] = by_name
    missed = [pattern for pattern, (rows, _) in tied.items() if not rows and "/" in pattern]
    named = _paths_named(inquiry, missed)
    inquiry.known_files.update(
        pattern
        for pattern, (rows, _) in tied.items()
        if rows or pattern in bare or pattern in named.get(pattern, ())
    )
    # What is tied to the file itself and what is below it was looked for already.
    named = {name: paths for name, paths in named.items() if any(not is_below(path, name) for path in paths)}
    if named:
        more = search.by_paths(list(named.values()), inquiry.filters, cap)
        tied |= dict(zip(named, more.groups, strict=True))
    for rows, total in tied.values():
        found.tied.append(Tied([row.key for row in rows], total))
        found.total += sum(row.id not in found.matches for row in rows)
        for row in rows:
            found.add(row.row, "exact")


def _paths_named(inquiry: Inquiry, names: list[str]) -> dict[str, list[str]]:
    """The known files of each name, for the names that there are any of."""
    return {name: paths for name, paths in inquiry.find_paths(paths_named, names).items() if paths}


def _without_memories(inquiry: Inquiry, found: Found, groups: dict[str, list[str]]) -> list[str]:
    """The patterns that no memory is tied to; of one pattern alone it is clear already."""
    if len(groups) == 1 or not found.matches:
        return [] if found.matches else list(groups)
    tied = inquiry.store.search.by_paths(list(groups.values()), inquiry.filters, 1)
    return [pattern for pattern, (rows, _) in zip(groups, tied.groups, strict=True) if not rows]


def _add_tied(found: Found, rows: list[FileRow], total: int, strength: float) -> None:
    """Add memories tied to files."""
    found.total += total - sum(row.id in found.matches for row in rows)
    for row in rows:
        found.add(row.row, "exact", strength)


def _under_earlier_names(inquiry: Inquiry, found: Found, former: list[list[FileRow]]) -> None:
    """Add what was done to files before they had the names asked for."""
    for rows in former:
        found.total += sum(row.id not in found.matches for row in rows)
        found.total_exact &= len(rows) < inquiry.candidates
        for row in rows:
            found.add(row.row, "exact", EARLIER_NAME)


def structural(inquiry: Inquiry, found: Found) -> Found:
    """By filters alone: time, agent, session, tags, success."""
    if not (inquiry.files or inquiry.question.task_type or _left_to_words(inquiry)):
        _by_filters(inquiry, found, "structural")
    return found


def _left_to_words(inquiry: Inquiry) -> bool:
    """Whether a later level finds what passes the filters, by its words."""
    return bool(inquiry.text) and (
        inquiry.question.strategy is not Strategy.EXACT or not inquiry.filters.any()
    )


def _by_filters(inquiry: Inquiry, found: Found, level: str) -> None:
    found.ran.append(level)
    rows, total = inquiry.store.search.by_filters(inquiry.filters, inquiry.candidates)
    for row in rows:
        found.add(row, level, None if inquiry.text else CERTAIN)
    found.total += total


def pattern(inquiry: Inquiry, found: Found) -> Found:
    """By words, also misspelt ones, and by likeness of the task: the same kind of work next door."""
    if inquiry.text and not (inquiry.issue and found.matches):  # else whoever was asked for was found
        found.ran.append("pattern")
        _by_words(inquiry, found)
    if inquiry.files and inquiry.question.task_type:
        found.ran.append("pattern")
        _next_door(inquiry, found)
    return found


def _by_words(inquiry: Inquiry, found: Found) -> None:
    words, known = inquiry.words, [match.key for match in found.matches.values()]
    look_for_typos(inquiry)
    live, archived, same_goal = by_words(inquiry, known)
    if len(live.rows) + len(archived.rows) < inquiry.question.limit and words.respell():
        live, archived, same_goal = by_words(inquiry, known)
    found.total += len((live.total | archived.total).difference(known))
    found.total_exact &= live.complete and archived.complete
    for row in [*live.rows, *archived.rows, *same_goal]:
        found.add(row, "pattern")


def _next_door(inquiry: Inquiry, found: Found) -> None:
    search = inquiry.store.search
    paths = neighbours(inquiry, inquiry.files)
    if not paths:
        return
    [(rows, _)], _ = search.by_paths([paths], inquiry.filters, inquiry.candidates)
    found.total += len({row.id for row in rows} - set(found.matches))
    for row in rows:
        found.add(row.row, "pattern", SAME_FOLDER)


def semantic(inquiry: Inquiry, found: Found) -> Found:
    """By meaning: the memories whose vectors are nearest to the question's."""
    if not inquiry.text or inquiry.semantic is None or _means_nothing(inquiry.text):
        return found
    if inquiry.patient:
        seconds = CATCH_UP_LATER if inquiry.semantic.waited else CATCH_UP
        foremost = [(match.key, match.memory_id) for match in found.foremost()]
        inquiry.semantic.catch_up(seconds, first=foremost, state=inquiry.words.vectors)
    # One call finds both; the archived ones are added only if the live ones are not sure enough.
    nearest = inquiry.find_nearest(archive=not found.best(inquiry.sure, 1, own=True))
    return _add_nearest(inquiry, found, nearest.live, inquiry.pool)


def archived(inquiry: Inquiry, found: Found) -> Found:
    """By meaning in the archive, where nothing found so far is sure: its vectors are seldom needed."""
    if not inquiry.text or inquiry.semantic is None or _means_nothing(inquiry.text):
        return found
    if not inquiry.has_archive or found.best(inquiry.sure, 1, own=True):
        return found
    return _add_nearest(inquiry, found, inquiry.find_nearest(archive=True).archived, limits.ARCHIVED)


def _add_nearest(inquiry: Inquiry, found: Found, nearest: list[int], most: int) -> Found:
    if nearest:
        found.ran.append("semantic")
    for row in _passing(inquiry, found, nearest, most):
        found.add(row, "semantic")
        if not found.matches[row.id].speaks_for_itself:  # so far its neighbours alone spoke for it
            found.matches[row.id].level = "semantic"
    return found


def _passing(inquiry: Inquiry, found: Found, nearest: list[int], most: int) -> list[Row]:
    """Those of the `most` nearest memories that pass the filters; where they are too few, of all given."""
    known = {match.key for match in found.matches.values()}
    also = [key for key in inquiry.find_nearest(archive=False).archived if key not in known]
    passed = inquiry.passing([key for key in nearest if key not in known], cap=inquiry.pool, always=also)
    inquiry.describe(known.intersection(nearest))
    rows = {key: inquiry.details[key].row for key in nearest if key in passed or key in known}
    first = [rows[key] for key in nearest[:most] if key in rows]
    return (first if len(first) >= inquiry.question.limit else list(rows.values()))[: inquiry.pool]


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
