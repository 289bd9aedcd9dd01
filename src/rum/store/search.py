"""The finders every store offers; they give plain rows, which the ranking then judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rum.store.filters import Filters

Row = tuple[str, int, float, str, int]
"""(memory id, created_at, importance, session id, number in the order of storing)."""
FileRow = tuple[str, int, float, str, int, str, str]
"""A row, the path it was found by and the operation."""


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

    def by_paths(self, paths: Sequence[str], filters: Filters, cap: int) -> tuple[list[FileRow], int]:
        """The newest memories tied to any of the files, each once, and how many there are."""
        ...

    def formerly(self, path: str, filters: Filters, cap: int) -> list[FileRow]:
        """The newest memories tied to a file under names that it had before, each once."""
        ...

    def by_goal(self, goal: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories with exactly this goal, in whatever case."""
        ...

    def by_commit(self, start: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories made of a commit whose id begins so; at least 7 characters tell it apart."""
        ...

    def naming(self, number: str, filters: Filters, cap: int, most: int) -> list[Row]:
        """The newest memories that name an issue of a number, of the last so many that hold the number."""
        ...

    def known_paths(self, prefix: str) -> list[str]:
        """Every file any memory is tied to whose path begins with the prefix."""
        ...

    def paths_within(self, part: str, cap: int) -> list[str]:
        """The files with these folders and names in their path, of the last so many memories with such."""
        ...

    def holders(self, term: str, cap: int) -> list[int]:
        """The numbers of the memories that hold a term, the one stored last first."""
        ...

    def at(self, numbers: Iterable[int], filters: Filters) -> list[Row]:
        """The memories with these numbers that pass."""
        ...

    def by_ids(self, ids: Iterable[str], filters: Filters) -> list[Row]:
        """The memories with these ids that pass."""
        ...

    def in_sessions(self, sessions: Iterable[str], most: int) -> list[list[int]]:
        """The numbers of the memories of each session that has no more than so many, in order of time."""
        ...

    def superseded(self) -> list[int]:
        """The numbers of the memories that others supersede."""
        ...

    def session_size(self, session: str, cap: int) -> int:
        """How many memories a session has; counting stops at `cap`."""
        ...

    def moments(self, newest: int, spread: int) -> list[tuple[int, int]]:
        """(created_at, number) of the newest memories and of some spread evenly over all, newest first."""
        ...

    def newest_with(self, terms: Iterable[str], in_goal: bool, filters: Filters, cap: int) -> list[Row]:
        """The memories stored last of those with every term, anywhere or in the goal; quick, not ranked."""
        ...

    def sharing(self, terms: Iterable[str], rare: int, cap: int) -> list[str]:
        """The memories with most of the terms, of which only those count that at most `rare` of them hold."""
        ...

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The indexed terms of memories, field by field."""
        ...

    def outlines(self, numbers: Iterable[int]) -> dict[int, tuple[str, str, int]]:
        """The indexed terms of goal and paths, and the length of all that is said, by the memory's number."""
        ...

    def breadths(self, ids: Iterable[str]) -> dict[str, int]:
        """How many files each memory is tied to, for those that are tied to any."""
        ...

    def existing(self, terms: Iterable[str]) -> list[str]:
        """Which of the terms the index holds."""
        ...

    def spellings(self, term: str, cap: int) -> set[str]:
        """The words, in lower case, that stand for a term in the last so many live memories that hold it."""
        ...

    def size(self) -> int:
        """About how many memories there are, without counting them."""
        ...

    def common_tags(self, most: int) -> list[str]:
        """The tags used most."""
        ...

    def tag_counts(self, most: int) -> list[tuple[str, int]]:
        """The tags used most, and how many memories have each."""
        ...

    def busiest(self, most: int) -> list[str]:
        """The ids of the agents with most memories."""
        ...
