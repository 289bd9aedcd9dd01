"""The levels of the cascade, each a plain function that adds to what was found."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain

from rum.model.questions import Strategy
from rum.recall import archive
from rum.recall.candidates import Candidates, by_words
from rum.recall.files import matching_paths, neighbours, paths_named
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.recall.semantic import Meaning
    from rum.store.search import FileRow, Row

Level = Callable[[Inquiry, Found], Found]

FAR = 25
"""How much further the nearest are looked for where filters exclude many of them."""

COMMIT = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)
"""The beginning of a commit's id, or its whole."""


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
    _certain(found, inquiry.store.search.naming(number, inquiry.filters, inquiry.pool, COMMON))


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
    meant = {pattern: matching_paths(search, pattern) for pattern in inquiry.files}
    if inquiry.text:
        _weighed(inquiry, found, meant)
        return
    paths = list(chain.from_iterable(meant.values()))
    if len(meant) == 1 and len(paths) == 2 and paths[1] == paths[0] + "/":  # a file is no folder
        _tied_to(inquiry, found, paths[:1], CERTAIN)
        paths = [] if found.matches else paths[1:]
    if paths:
        _tied_to(inquiry, found, paths, CERTAIN)
    for path in inquiry.files:
        _under_earlier_names(inquiry, found, path)
    missed = [pattern for pattern, paths in meant.items() if not _known(inquiry, found, paths)]
    if named := list(chain.from_iterable(paths_named(search, missed).values())):
        _tied_to(inquiry, found, named, BARE_NAME)


def _weighed(inquiry: Inquiry, found: Found, meant: dict[str, list[str]]) -> None:
    """Add the newest memories of each file, folder or pattern, as one sign among others."""
    search = inquiry.store.search
    cap = max(inquiry.question.limit, RANKED_OF_A_FILE // len(inquiry.files))
    tied = {pattern: _of_pattern(inquiry, pattern, paths, cap) for pattern, paths in meant.items()}
    named = paths_named(search, [pattern for pattern, (rows, _) in tied.items() if not rows])
    tied |= {name: search.by_paths(paths, inquiry.filters, cap) for name, paths in named.items() if paths}
    for rows, total in tied.values():
        found.tied.append(Tied([row[4] for row in rows], total))
        found.total += sum(row[0] not in found.matches for row in rows)
        for row in rows:
            found.add(row[:5], "exact")


def _of_pattern(inquiry: Inquiry, pattern: str, paths: list[str], cap: int) -> tuple[list[FileRow], int]:
    """The newest memories of a file, folder or pattern, then those of names that a file had before."""
    rows, total = inquiry.store.search.by_paths(paths, inquiry.filters, cap)
    known = {row[0] for row in rows}
    before = [
        row for row in inquiry.store.search.formerly(pattern, inquiry.filters, cap) if row[0] not in known
    ]
    return (rows + before)[:cap], total + len(before)


def _known(inquiry: Inquiry, found: Found, paths: list[str]) -> bool:
    """Whether any of the files has a memory; of one pattern alone it is clear already."""
    if len(inquiry.files) == 1 or not found.matches:
        return bool(found.matches)
    return bool(inquiry.store.search.by_paths(paths, inquiry.filters, 1)[0])


def _tied_to(inquiry: Inquiry, found: Found, paths: list[str], strength: float) -> None:
    """Add the memories tied to any of the files."""
    rows, total = inquiry.store.search.by_paths(paths, inquiry.filters, inquiry.candidates)
    found.total += total - sum(row[0] in found.matches for row in rows)
    for row in rows:
        found.add(row[:5], "exact", strength)


def _under_earlier_names(inquiry: Inquiry, found: Found, path: str) -> None:
    """Add what was done to a file before it had the name asked for."""
    rows = inquiry.store.search.formerly(path, inquiry.filters, inquiry.candidates)
    found.total += sum(row[0] not in found.matches for row in rows)
    found.total_exact &= len(rows) < inquiry.candidates
    for row in rows:
        found.add(row[:5], "exact", EARLIER_NAME)


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
    candidates, packed = _candidates(inquiry)
    few = len(candidates.rows) + len(packed.rows) < inquiry.question.limit
    if (few or inquiry.words.misspelt()) and inquiry.words.respell():
        candidates, packed = _candidates(inquiry)
    known = {match.number for match in found.matches.values()}
    found.total += len((candidates.total | packed.total) - known)
    found.total_exact &= candidates.complete and packed.complete
    same = inquiry.store.search.by_goal(inquiry.text, inquiry.filters, inquiry.question.limit)
    for row in [*candidates.rows, *packed.rows, *same]:
        found.add(row, "pattern")


def _candidates(inquiry: Inquiry) -> tuple[Candidates, Candidates]:
    """What the words lead to, among live memories and in the archive."""
    live = by_words(inquiry)
    return live, archive.by_words(inquiry, live)


def _next_door(inquiry: Inquiry, found: Found) -> None:
    search = inquiry.store.search
    paths = [near for path in inquiry.files for near in neighbours(search, path)]
    rows, _ = search.by_paths(paths, inquiry.filters, inquiry.candidates)
    fresh = {row[0] for row in rows} - set(found.matches)
    for row in rows:
        found.add(row[:5], "pattern", SAME_FOLDER)
    found.total += len(fresh)


def semantic(inquiry: Inquiry, found: Found) -> Found:
    """By meaning: the memories whose vectors are nearest to the question's."""
    if not inquiry.text or inquiry.meaning is None or _means_nothing(inquiry.text):
        return found
    if inquiry.patient:
        seconds = CATCH_UP_LATER if inquiry.meaning.waited else CATCH_UP
        foremost = [(match.number, match.memory_id) for match in found.foremost()]
        inquiry.meaning.catch_up(seconds, first=foremost)
    return _near(inquiry, found, inquiry.meaning)


def archived(inquiry: Inquiry, found: Found) -> Found:
    """By meaning in the archive, where nothing found so far is sure: its vectors are seldom needed."""
    if not inquiry.text or inquiry.meaning is None or _means_nothing(inquiry.text):
        return found
    if inquiry.archive is None or found.best(inquiry.sure, 1, own=True):
        return found
    return _near(inquiry, found, inquiry.meaning, archived=True)


def _near(inquiry: Inquiry, found: Found, meaning: Meaning, *, archived: bool = False) -> Found:
    most = archive.MOST if archived else inquiry.pool
    nearest = meaning.nearest(inquiry.text, most, archived=archived)
    rows = _passing(inquiry, nearest)
    if len(rows) < inquiry.question.limit and inquiry.filters.any():
        rows = _passing(inquiry, meaning.nearest(inquiry.text, FAR * most, archived=archived))
    if nearest:
        found.ran.append("semantic")
    for row in rows:
        found.add(row, "semantic")
        if not found.matches[row[0]].speaks_for_itself:  # so far its neighbours alone spoke for it
            found.matches[row[0]].level = "semantic"
    return found


def _means_nothing(text: str) -> bool:
    """Whether it can only be an id or a number; without a digit it may be a word, as `defaced` is."""
    return text.isdigit() or (not text.isalpha() and COMMIT.fullmatch(text) is not None)


def _passing(inquiry: Inquiry, nearest: list[tuple[int, float]]) -> list[Row]:
    return inquiry.store.search.at((number for number, _ in nearest), inquiry.filters)[: inquiry.pool]


CASCADE: dict[str, Level] = {
    "exact": exact,
    "structural": structural,
    "pattern": pattern,
    "semantic": semantic,
    "archived": archived,
}
"""The levels in order, by name; what the last one finds an answer calls semantic, too."""

ALLOWED: dict[Strategy, tuple[str, ...]] = {
    Strategy.EXACT: ("exact", "structural"),
    Strategy.SEMANTIC: ("semantic", "archived"),
    Strategy.AUTO: tuple(CASCADE),
}
"""Which levels a strategy may run."""
