"""The levels of the cascade, each a plain function that adds to what was found."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from rum.model.questions import Strategy
from rum.recall.files import matching_paths, neighbours, paths_named
from rum.recall.inquiry import Found, Inquiry
from rum.recall.weights import BARE_NAME, CERTAIN, RANKED_OF_A_FILE, SAME_FOLDER

Level = Callable[[Inquiry, Found], Found]


def exact(inquiry: Inquiry, found: Found) -> Found:
    """By file, or by task type where no file was asked for."""
    if inquiry.files:
        _by_files(inquiry, found)
    elif inquiry.question.task_type and not _left_to_words(inquiry):
        _by_filters(inquiry, found, "exact")
    return found


def _by_files(inquiry: Inquiry, found: Found) -> None:
    found.ran.append("exact")
    search = inquiry.store.search
    meant = {pattern: matching_paths(search, pattern) for pattern in inquiry.files}
    paths = list(chain.from_iterable(meant.values()))
    if len(meant) == 1 and len(paths) == 2 and paths[1] == paths[0] + "/":  # a file is no folder
        _tied_to(inquiry, found, paths[:1], CERTAIN)
        paths = [] if found.matches else paths[1:]
    if paths:
        _tied_to(inquiry, found, paths, CERTAIN)
    missed = [pattern for pattern, paths in meant.items() if not _known(inquiry, found, paths)]
    if named := [path for name in missed for path in paths_named(search, name)]:
        _tied_to(inquiry, found, named, BARE_NAME)


def _known(inquiry: Inquiry, found: Found, paths: list[str]) -> bool:
    """Whether any of the files has a memory; of one pattern alone it is clear already."""
    if len(inquiry.files) == 1 or not found.matches:
        return bool(found.matches)
    return bool(inquiry.store.search.by_paths(paths, inquiry.filters, 1)[0])


def _tied_to(inquiry: Inquiry, found: Found, paths: list[str], strength: float) -> None:
    """Add the memories tied to any of the files."""
    cap = max(inquiry.candidates, RANKED_OF_A_FILE if inquiry.text else 0)
    rows, total = inquiry.store.search.by_paths(paths, inquiry.filters, cap)
    found.total += total - sum(row[0] in found.matches for row in rows)
    for row in rows:
        found.add(row[:4], "exact", file=strength)


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
        found.add(row, level, **{"filtered" if inquiry.text else "literal": CERTAIN})
    found.total += total


def pattern(inquiry: Inquiry, found: Found) -> Found:
    """By words, also misspelt ones, and by likeness of the task: the same kind of work next door."""
    if inquiry.text:
        found.ran.append("pattern")
        _by_words(inquiry, found)
    if inquiry.files and inquiry.question.task_type:
        found.ran.append("pattern")
        _next_door(inquiry, found)
    return found


def _by_words(inquiry: Inquiry, found: Found) -> None:
    words = inquiry.words
    rows, complete = words.candidates(inquiry.filters, inquiry.candidates)
    if len(rows) < inquiry.question.limit and words.respell():
        rows, complete = words.candidates(inquiry.filters, inquiry.candidates)
    known = set(found.matches)
    crowded = len(rows) >= inquiry.candidates
    for row in [*rows, *(words.literally(inquiry.filters, inquiry.question.limit) if crowded else ())]:
        found.add(row[:4], "pattern", score=row[4])
    if not crowded:
        found.total += sum(row[0] not in known for row in rows)
    else:
        found.total += words.total()
        complete = complete and not known and not inquiry.filters.any()
    found.total_exact &= complete


def _next_door(inquiry: Inquiry, found: Found) -> None:
    search = inquiry.store.search
    paths = [near for path in inquiry.files for near in neighbours(search, path)]
    rows, _ = search.by_paths(paths, inquiry.filters, inquiry.candidates)
    fresh = {row[0] for row in rows} - set(found.matches)
    for row in rows:
        found.add(row[:4], "pattern", alike=SAME_FOLDER)
    found.total += len(fresh)


CASCADE: dict[str, Level] = {"exact": exact, "structural": structural, "pattern": pattern}
"""The levels in order, by the name an answer gives them."""

ALLOWED: dict[Strategy, tuple[str, ...]] = {
    Strategy.EXACT: ("exact", "structural"),
    Strategy.AUTO: ("exact", "structural", "pattern"),
}
"""Which levels a strategy may run."""
