"""The search interface of every store. Each method is a single call: it may be a round trip."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from rum.store.filters import Filters
from rum.store.vectors import VectorState


class Row(NamedTuple):
    """The fields of a memory that the ranking needs first."""

    id: str
    created_at: int
    importance: float
    session_id: str
    # The store's key of the memory: above 0, and usually larger for one stored later.
    #
    # Keys have gaps, and a memory may appear after one with a larger key.
    key: int


class FileRow(NamedTuple):
    """A memory with the file it was found by."""

    id: str
    created_at: int
    importance: float
    session_id: str
    key: int
    path: str
    operation: str

    @property
    def row(self) -> Row:
        """The memory without the file."""
        return Row._make(self[:5])


class TiedRows(NamedTuple):
    """Memories tied to files, each once in its list, the newest first."""

    groups: list[tuple[list[FileRow], int]]  # For each group of files its memories, and how many there are
    former: list[list[FileRow]]  # For each file its memories under earlier names


class Holders(NamedTuple):
    """The memories that hold a term in any of its spellings."""

    keys: list[int]  # Of live memories, largest first; of a common term only the first of them
    total: int  # About how many live memories hold it
    archived_keys: list[int]  # Of archived memories, largest first; of a common term only the first of them
    archived_total: int  # About how many archived memories hold it


class Also(NamedTuple):
    """What else a lookup of terms answers."""

    goal: str = ""
    max_same_goal: int = 0  # The most memories with that goal
    session: str = ""
    max_session_size: int = 0  # Where the counting of the session's memories ends
    newest: int = 0  # How many memories the timeline begins with; without them it is empty
    spread: int = 1  # About how many of the others it has
    model: str = ""  # The embedder's, for the state of its vectors


NOTHING_ELSE = Also()


class TermLookup(NamedTuple):
    """The holders of a query's terms, and the other data that every query by text needs."""

    holders: list[Holders]  # One for each term, in the order of the request
    size: int  # About how many memories there are
    archived: int  # How many of them are archived
    superseded: list[int]  # The keys of the memories that others supersede
    session_size: int  # How many memories the session has; counted up to the limit
    same_goal: list[int]  # The keys of the newest memories with exactly this goal, ignoring case
    # (created_at, key) of the newest memories and of some spread evenly over all, newest first.
    timeline: list[tuple[int, int]]
    has_chapters: bool
    vectors: VectorState  # Of the requested model


class Correction(NamedTuple):
    """A term that some memory holds, as the correction of a misspelt one."""

    term: str
    words: frozenset[str]  # The words, in lower case, that stand for it in a few live memories
    holders: Holders


class Details(NamedTuple):
    """The data of a memory that the ranking uses."""

    row: Row
    archived: bool
    newer: int  # About how many memories were stored after it
    goal: str  # The indexed terms of its goal
    paths: str  # The indexed terms of its files' paths
    length: int  # The total length of its indexed terms, without those of paths
    files: int  # How many files it is tied to, if it was requested
    text: str | None  # All of its indexed terms, if they were requested and it is not archived


class Wanted(NamedTuple):
    """What is asked about memories beside their details."""

    cap: int = -1  # How many of the keys may pass; below 0 all
    always: Sequence[int] = ()  # Keys that count beside those
    session_limit: int = 0  # Longer sessions are left out
    known_sessions: Collection[str] = ()  # So are these
    files: bool = False  # Whether to count their files
    texts: bool = False  # Whether to read their indexed terms


KEYS_ONLY = Wanted()


class Described(NamedTuple):
    """Memories in detail, with the keys of their sessions and links."""

    memories: list[Details]  # In the order of asking
    # The keys of all memories of each of their sessions, oldest first; long sessions are left out.
    # The key of a memory whose goal asks a question is negative.
    sessions: list[list[int]]
    # The keys of the two ends of every link that touches any of them, in a fixed order.
    links: list[tuple[int, int]]


class Search(Protocol):
    """Finds memories, and returns plain rows."""

    def by_filters(
        self,
        filters: Filters,
        cap: int,
        sort: Literal["recent", "importance", "access_count"] = "recent",
        uses: Sequence[tuple[str, int]] = (),
    ) -> tuple[list[Row], int]:
        """The first `cap` memories that pass, in the order of `sort`, and how many there are in total.

        `uses` are the numbers of accesses by id, for that order.
        """
        ...

    def by_paths(
        self,
        groups: Sequence[Sequence[str]],
        filters: Filters,
        cap: int,
        *,
        renamed_files: Sequence[str] = (),
    ) -> TiedRows:
        """The newest memories tied to any file of each group, and to earlier names of `renamed_files`.

        A path that ends in `/` means everything below it. Memories of another file that got such an earlier
        name after the rename are left out.
        """
        ...

    def by_commit(self, commit_prefix: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories made of a commit whose id has this prefix of at least 7 characters."""
        ...

    def by_issue(self, number: str, filters: Filters, cap: int, max_candidates: int) -> list[Row]:
        """The newest memories that mention an issue, of the last `max_candidates` that contain its number."""
        ...

    def known_paths(self, prefixes: Sequence[str]) -> list[list[str]]:
        """For each prefix the files of memories whose path begins with it."""
        ...

    def paths_within(self, parts: Sequence[str], cap: int) -> list[list[str]]:
        """For each part of a path the files whose path contains it, of the last `cap` memories that match."""
        ...

    def terms(
        self, spellings: Sequence[Sequence[str]], cap: int, archived_cap: int, also: Also = NOTHING_ELSE
    ) -> TermLookup:
        """Look up terms, each in any of its spellings, and the other fields of `TermLookup`.

        `cap` and `archived_cap` limit the holders of a term.
        """
        ...

    def corrections(self, terms: Iterable[str], sample: int, cap: int, archived_cap: int) -> list[Correction]:
        """The terms that some memory holds, with words of the last `sample` live memories of each."""
        ...

    def newest_with(
        self, term_sets: Sequence[Sequence[str]], in_goal: Sequence[str], filters: Filters, cap: int
    ) -> list[list[Row]]:
        """For each set the last `cap` memories with all of its terms; stops after a set that fewer have.

        If `cap` memories have the last set, those with all of `in_goal` in their goals follow.
        """
        ...

    def archived_with(
        self,
        sets: Sequence[tuple[Sequence[str], Sequence[str]]],
        cap: int,
        among: Sequence[int] | None = None,
    ) -> list[list[int]]:
        """For each set the keys of the archived memories with all of the first terms and any of the second.

        Either may be empty. The largest keys come first; a `cap` below 0 means no limit. `among` restricts
        the search to some keys.
        """
        ...

    def describe(self, keys: Sequence[int], filters: Filters, wanted: Wanted = KEYS_ONLY) -> Described:
        """The memories that pass, in detail: all of `wanted.always`, the first `wanted.cap` of `keys`."""
        ...

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The indexed terms of memories, field by field."""
        ...

    def tag_counts(self, limit: int) -> list[tuple[str, int]]:
        """The most used tags, with their numbers of memories."""
        ...
