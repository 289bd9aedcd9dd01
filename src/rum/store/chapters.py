"""What every store offers for chapters and wisdom: by id, by what they are made of, by tags, by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from rum.model.chapters import Chapter, Wisdom
from rum.store.records import ChangeableRecords

T = TypeVar("T", Chapter, Wisdom)


class Range(NamedTuple):
    """What begins and ends between two times, both included."""

    since: int = 0
    before: int = 10**18


class Grouped(ChangeableRecords[T], Protocol[T]):
    """Items that are made of others: chapters of memories, wisdom of chapters; these are their parts."""

    def made_of(self, parts: Iterable[str]) -> list[str]:
        """The ids of those made of exactly these parts, in any order; the oldest first."""
        ...

    def found_by(self, tags: Sequence[str]) -> list[str]:
        """The ids of those whose parts were found by these tags, the oldest first."""
        ...

    def holding(self, parts: Iterable[str]) -> dict[str, int]:
        """How many of these parts each holds, by id, for those that hold any; the oldest first."""
        ...

    def resting_on(self, memory_ids: Iterable[str]) -> list[str]:
        """The ids of those whose words were made of any of these memories, the oldest first.

        Unlike `holding` it knows all memories underneath, and former ones whose words may still be there.
        """
        ...

    def matching(self, tags: Sequence[str], within: Range, limit: int) -> tuple[list[str], int]:
        """The ids of those with all the tags in a range of time, the last to end first, and how many."""
        ...


class Held(NamedTuple):
    """What holds words that were asked for: its kind and id, and which of the words it holds."""

    kind: str
    id: str
    terms: frozenset[str]
    titled: frozenset[str]
    """Those that stand in its title or among its tags."""


class Knowledge(Protocol):
    """The words of chapters and wisdom."""

    def holding(self, terms: Sequence[str], most: int) -> list[Held]:
        """What holds most of the terms, the best `most` of all; rare terms and titles count more."""
        ...

    def holders(self, terms: Sequence[str]) -> dict[str, int]:
        """How many hold each of the terms."""
        ...
