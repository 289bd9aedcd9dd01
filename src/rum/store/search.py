"""The finders every store offers. Each is one call, however much is asked for: a call may be a round trip."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from rum.store.filters import Filters
from rum.store.vectors import VectorState


class Row(NamedTuple):
    """A memory as far as the ranking needs it before it looks closer."""

    id: str
    created_at: int
    importance: float
    session_id: str
    # By which the store finds the memory again: above 0, and larger for one stored later, as a rule.
    #
    # Nothing else follows from it: keys have gaps, and a memory may appear after one with a larger key.
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
        """The memory alone."""
        return Row._make(self[:5])


class TiedRows(NamedTuple):
    """Memories tied to files, each once in its list, the newest first."""

    groups: list[tuple[list[FileRow], int]]  # For each group of files its memories, and how many there are
    former: list[list[FileRow]]  # For each file its memories under earlier names


class Holders(NamedTuple):
    """The memories that hold a term in any of its spellings."""

    keys: list[int]  # Of live memories, largest first; of a common term only that many
    total: int  # About how many live memories hold it
    archived_keys: list[int]  # Of archived memories, largest first; of a common term only that many
    archived_total: int  # About how many archived memories hold it


class TermLookup(NamedTuple):
    """What the store knows of a question's terms, and what every question by text needs besides."""

    holders: list[Holders]  # One for each term, in the order of asking
    size: int  # About how many memories there are
    archived: int  # How many of them are archived
    superseded: list[int]  # The keys of the memories that others supersede
    session_size: int  # How many memories the session has; counting stops at the limit
    same_goal: list[int]  # The keys of the newest memories with exactly this goal, in whatever case
    # (created_at, key) of the newest memories and of some spread evenly over all, newest first.
    timeline: list[tuple[int, int]]
    has_chapters: bool
    vectors: VectorState  # Of the model asked for


class Correction(NamedTuple):
    """A term that somebody used."""

    term: str
    words: frozenset[str]  # The words, in lower case, that stand for it in a few live memories
    holders: Holders


class Details(NamedTuple):
    """What the ranking looks at in a memory."""

    row: Row
    archived: bool
    newer: int  # About how many memories were stored after it
    goal: str  # The indexed terms of its goal
    paths: str  # The indexed terms of its files' paths
    length: int  # How long all of its indexed terms are together, without those of paths
    files: int  # How many files it is tied to
    text: str | None  # All of its indexed terms, if they were asked for and it is not archived


class Described(NamedTuple):
    """Memories in detail, and which others belong to them."""

    memories: list[Details]  # In the order of asking
    # The keys of all memories of each of their sessions, in order of time, without sessions too long.
    sessions: list[list[int]]
    # The keys of the two ends of every link that touches any of them, in a fixed order.
    links: list[tuple[int, int]]


class Search(Protocol):
    """Finders that give plain rows."""

    def by_filters(self, filters: Filters, cap: int) -> tuple[list[Row], int]:
        """The newest memories that pass, and how many there are."""
        ...

    def listed(
        self, filters: Filters, sort: str, limit: int, uses: Sequence[tuple[str, int]]
    ) -> tuple[list[str], int]:
        """The ids of the memories that pass, in the order asked for, and how many there are."""
        ...

    def by_paths(
        self, groups: Sequence[Sequence[str]], filters: Filters, cap: int, *, formerly: Sequence[str] = ()
    ) -> TiedRows:
        """The newest memories tied to files: for each group to any of them, for each of `formerly` before.

        A path that ends in `/` means everything below it. `formerly` are files under names that they had
        before; what was done later to another file of such a name is left out.
        """
        ...

    def by_commit(self, start: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories made of a commit whose id begins so; at least 7 characters tell it apart."""
        ...

    def by_issue(self, number: str, filters: Filters, cap: int, most: int) -> list[Row]:
        """The newest memories that name an issue, of the `most` stored last that hold its number."""
        ...

    def known_paths(self, prefixes: Sequence[str]) -> list[list[str]]:
        """For each prefix every file any memory is tied to whose path begins with it."""
        ...

    def paths_within(self, parts: Sequence[str], cap: int) -> list[list[str]]:
        """For each part of a path the files with it in theirs, of the last `cap` memories with such."""
        ...

    def terms(
        self,
        spellings: Sequence[Sequence[str]],
        cap: int,
        archived_cap: int,
        *,
        goal: str = "",
        most: int = 0,
        session: str = "",
        counted: int = 0,
        newest: int = 0,
        spread: int = 1,
        model: str = "",
    ) -> TermLookup:
        """Look up terms, each in any of its spellings; and `most` memories with a goal, and a session's size.

        `cap` and `archived_cap` limit the holders given of a term, `counted` how far a session is counted.
        The timeline has `newest` memories and about `spread` of the others; it is empty without `newest`.
        `model` is the embedder's, to learn about its vectors in the same call.
        """
        ...

    def corrections(self, terms: Iterable[str], sample: int, cap: int, archived_cap: int) -> list[Correction]:
        """Those of the terms that somebody used, with words of the last `sample` live memories with each."""
        ...

    def newest_with(
        self, term_sets: Sequence[Sequence[str]], in_goal: Sequence[str], filters: Filters, cap: int
    ) -> list[list[Row]]:
        """The memories stored last with every term of a set, set after set, until fewer than `cap` have it.

        If as many have the last set, those with `in_goal` in their goals follow, if that is not empty.
        """
        ...

    def archived_with(
        self,
        sets: Sequence[tuple[Sequence[str], Sequence[str]]],
        cap: int,
        among: Sequence[int] | None = None,
    ) -> list[list[int]]:
        """For each set the keys of the archived memories with all of the first terms and any of the second.

        Either may be none. The largest keys come first; a `cap` below 0 is no limit. `among` some, by key.
        """
        ...

    def describe(
        self,
        keys: Sequence[int],
        filters: Filters,
        *,
        cap: int = -1,
        always: Sequence[int] = (),
        session_limit: int,
        known_sessions: Collection[str] = (),
        texts: bool = False,
    ) -> Described:
        """The memories that pass, in detail: of `always` all, of `keys` the first `cap`; `texts` as well.

        `known_sessions` are left out of `sessions`, and those with more than `session_limit` memories.
        """
        ...

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The indexed terms of memories, field by field."""
        ...

    def sharing(self, terms: Iterable[str], rare: int, cap: int) -> list[str]:
        """The memories with most of the terms; terms that more than `rare` memories hold do not count."""
        ...

    def tag_counts(self, most: int) -> list[tuple[str, int]]:
        """The tags used most, and how many memories have each."""
        ...

    def busiest(self, most: int) -> list[str]:
        """The ids of the agents with most memories."""
        ...
