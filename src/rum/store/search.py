"""The finders every store offers; they give plain rows, which the ranking then judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rum.store.filters import Filters

Row = tuple[str, int, float, str]
"""(memory id, created_at, importance, session id)."""
FileRow = tuple[str, int, float, str, str, str]
"""A row, the path it was found by and the operation."""
TextRow = tuple[str, int, float, str, float]
"""A row and its text score, higher is better."""


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

    def by_goal(self, goal: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories with exactly this goal, in whatever case."""
        ...

    def known_paths(self, prefix: str) -> list[str]:
        """Every file any memory is tied to whose path begins with the prefix."""
        ...

    def frequency(self, term: str, cap: int) -> int:
        """How many memories hold a term; counting stops at `cap`."""
        ...

    def nth_newest(self, term: str, number: int) -> int:
        """Where the n-th newest memory with a term stands in the order of storing; 0 if there are fewer."""
        ...

    def by_terms(self, terms: Iterable[str], every: bool, filters: Filters, cap: int) -> list[TextRow]:
        """The best memories that hold every term, or any of them."""
        ...

    def newest_with(self, terms: Iterable[str], in_goal: bool, filters: Filters, cap: int) -> list[Row]:
        """The memories stored last of those with every term, anywhere or in the goal; quick, not ranked."""
        ...

    def sharing(self, terms: Iterable[str], rare: int, cap: int) -> list[str]:
        """The memories with most of the terms, of which only those count that at most `rare` of them hold."""
        ...

    def count_terms(self, terms: Iterable[str]) -> int:
        """How many memories hold any of the terms."""
        ...

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The indexed terms of memories, field by field."""
        ...

    def existing(self, terms: Iterable[str]) -> list[str]:
        """Which of the terms the index holds."""
        ...

    def size(self) -> int:
        """About how many memories there are, without counting them."""
        ...

    def common_tags(self, most: int) -> list[str]:
        """The tags used most."""
        ...
