"""What a store offers for chapters and wisdom: both are groups, made of parts, with tags and index terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from rum.model.chapters import Chapter, Wisdom
from rum.store.records import ChangeableRecords

T = TypeVar("T", Chapter, Wisdom)


class Range(NamedTuple):
    """What begins and ends between two times, both included."""

    since: int = 0
    before: int = 10**18


class Groups(ChangeableRecords[T], Protocol[T]):
    """Chapters, whose parts are memories, or wisdom, whose parts are chapters. Ids come oldest first."""

    def same(self, parts: Iterable[str], found_by: Sequence[str] = ()) -> list[str]:
        """Return the ids of groups of exactly these parts; if there is none, of those found by these tags."""
        ...

    def made_of(self, *, parts: Iterable[str] = (), memories: Iterable[str] = ()) -> list[str]:
        """Return the ids of groups with any of these parts, or whose text was made of any of these memories.

        `memories` knows those of wisdom, too, and former ones that the text may still quote.
        """
        ...

    def matching(
        self, tags: Sequence[str], within: Range, limit: int, sort: str = "recent"
    ) -> tuple[list[str], int]:
        """Return the ids of groups with all the tags in a range of time, and how many there are.

        At most `limit` ids; first the group that ends last, or begins first (`oldest`), or has most parts
        (`size`).
        """
        ...


class GroupMatch(NamedTuple):
    """A chapter or wisdom (`kind`) with those of the query's terms that it has."""

    kind: str
    id: str
    terms: frozenset[str]
    title_terms: frozenset[str]  # Those in its title or among its tags


class GroupMatches(NamedTuple):
    """The chapters and wisdom that match a query best, and what their ranking needs."""

    matches: list[GroupMatch]
    counts: Mapping[str, int]  # How many chapters and wisdom have each term
    total: int  # How many chapters and wisdom there are
