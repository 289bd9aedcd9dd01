"""Single queries to the batched finders of a store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rum.store.base import Store
from rum.store.filters import Filters
from rum.store.search import Also, Details, FileRow, Holders, Row, Wanted

EVERYTHING = Filters(superseded=True)


def look_up(store: Store, *spellings: str, cap: int = 9) -> Holders:
    """The memories that contain a term in any of its spellings."""
    return store.search.terms([spellings], cap, cap).holders[0]


def holders(store: Store, term: str, cap: int) -> list[int]:
    """The keys of the live memories that contain a term, newest first."""
    return look_up(store, term, cap=cap).keys


def archived_holders(store: Store, term: str, cap: int) -> list[int]:
    """The keys of the archived memories that contain a term, newest first."""
    return look_up(store, term, cap=cap).archived_keys


def details(store: Store, keys: Iterable[int], filters: Filters = EVERYTHING) -> list[Details]:
    """The details for the ranking of memories that pass the filters."""
    return store.search.describe(list(keys), filters, Wanted(files=True)).memories


def at(store: Store, keys: Iterable[int], filters: Filters) -> list[Row]:
    """The memories with these keys that pass the filters."""
    return [one.row for one in details(store, keys, filters)]


def outlines(store: Store, keys: Iterable[int]) -> dict[int, tuple[str, str, int]]:
    """The indexed terms of goal and paths, and the text length, by key."""
    return {one.row.key: (one.goal, one.paths, one.length) for one in details(store, keys)}


def breadths(store: Store, ids: Iterable[str]) -> dict[str, int]:
    """The number of files of each memory that has any."""
    keys = [row.key for row in by_ids(store, ids, EVERYTHING)]
    return {one.row.id: one.files for one in details(store, keys) if one.files}


def archived_among(store: Store, keys: Iterable[int]) -> set[int]:
    """The archived ones among the memories."""
    return {one.row.key for one in details(store, keys) if one.archived}


def in_sessions(store: Store, sessions: Iterable[str], most: int) -> list[list[int]]:
    """The keys of the memories of each session with at most `most` memories, in order of time."""
    firsts = [
        row.key
        for session in dict.fromkeys(sessions)
        if not any("\ud800" <= character <= "\udfff" for character in session)  # is no text
        for row in store.search.by_filters(Filters(session_id=session, superseded=True), 1)[0]
    ]
    return store.search.describe(firsts, EVERYTHING, Wanted(session_limit=most)).sessions


def session_size(store: Store, session: str, cap: int) -> int:
    """How many memories a session has; counting stops at `cap`."""
    return store.search.terms([], 0, 0, Also(session=session, max_session_size=cap)).session_size


def size(store: Store) -> int:
    """The approximate number of memories."""
    return store.search.terms([], 0, 0).size


def existing(store: Store, terms: Iterable[str]) -> list[str]:
    """The terms that live memories contain."""
    return [one.term for one in store.search.corrections(terms, 0, 1, 1) if one.holders.keys]


def archived_existing(store: Store, terms: Iterable[str]) -> list[str]:
    """The terms that archived memories contain."""
    return [one.term for one in store.search.corrections(terms, 0, 1, 1) if one.holders.archived_keys]


def spellings(store: Store, term: str, cap: int) -> set[str]:
    """The words for a term in the newest live memories that contain it."""
    return {word for one in store.search.corrections([term], cap, 1, 1) for word in one.words}


def by_goal(store: Store, goal: str, filters: Filters, cap: int) -> list[Row]:
    """The newest memories with exactly this goal, ignoring case."""
    keys = store.search.terms([], 0, 0, Also(goal=goal, max_same_goal=1000)).same_goal
    found = store.search.describe(keys, filters, Wanted(cap=cap))
    return [one.row for one in found.memories]


def newest_with(store: Store, terms: Iterable[str], in_goal: bool, filters: Filters, cap: int) -> list[Row]:
    """The newest memories with every term, anywhere or in the goal."""
    asked = list(terms)
    sets, goal = ([], asked) if in_goal else ([asked], ())
    return next(iter(store.search.newest_with(sets, goal, filters, cap)), [])


def by_paths(store: Store, paths: Sequence[str], filters: Filters, cap: int) -> tuple[list[FileRow], int]:
    """The newest memories with any of the files, and their number."""
    return store.search.by_paths([paths], filters, cap).groups[0]


def formerly(store: Store, path: str, filters: Filters, cap: int) -> list[FileRow]:
    """The newest memories of a file under its earlier names."""
    return store.search.by_paths([], filters, cap, renamed_files=[path]).former[0]


def known_paths(store: Store, prefix: str) -> list[str]:
    """Every file of a memory whose path starts with the prefix."""
    return store.search.known_paths([prefix])[0]


def paths_within(store: Store, part: str, cap: int) -> list[str]:
    """The files with these folders and names in their path."""
    return store.search.paths_within([part], cap)[0]


def timeline(store: Store, newest: int, spread: int) -> list[tuple[int, int]]:
    """(created_at, key) of the newest memories and of some spread evenly over all, newest first."""
    return store.search.terms([], 0, 0, Also(newest=newest, spread=spread)).timeline


def key_of(store: Store, memory_id: str) -> int:
    """The key of a memory."""
    return keys_of(store, [memory_id])[0]


def keys_of(store: Store, ids: Iterable[str]) -> list[int]:
    """The keys of memories, in the same order."""
    keys = {row.id: row.key for row in store.search.by_filters(EVERYTHING, 10**6)[0]}
    return [keys[one] for one in ids]


def ids_of(store: Store, keys: Iterable[int]) -> list[str]:
    """The ids of memories by their keys, in the same order."""
    return [row.id for row in at(store, keys, EVERYTHING)]


def by_ids(store: Store, ids: Iterable[str], filters: Filters) -> list[Row]:
    """The memories with these ids that pass the filters."""
    wanted = set(ids)
    return [row for row in store.search.by_filters(filters, 10**6)[0] if row.id in wanted]
