"""What a store offers for the trash: forgotten and pending items, which no other query finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class TrashItem(NamedTuple):
    """A forgotten item, or one that waits for review; `author` and `imported` say who may restore it.

    The times and names of a pending item are those of its proposal.

    Ids may repeat: the key of a fact can be forgotten, set and forgotten again. Only numbers are unique.
    """

    kind: str
    id: str
    label: str  # One line that describes it
    author: str
    imported: bool
    forgotten_at: int
    forgotten_by: str
    marks: tuple[str, ...] = ()  # The hashes of its tombstone
    data: bytes = b""  # All that is needed to restore it
    number: int | None = None  # None until it is stored
    pending: bool = False  # Whether it waits for review


class Trash(Protocol):
    """Forgotten and pending items. Their marks count as tombstones as long as they are here."""

    def put(self, item: TrashItem) -> int:
        """Add an item, or replace the data of the one with its number; return the number."""
        ...

    def find(self, name: str, kind: str | None = None, *, pending: bool = False) -> list[TrashItem]:
        """Return the forgotten or pending items with an id, or with an id that ends so, the last first."""
        ...

    def items(self, *, before: int | None = None, limit: int = -1, pending: bool = False) -> list[TrashItem]:
        """Return the forgotten or pending items without marks and data, the last first.

        With `before`, older ones only.
        """
        ...

    def get(self, numbers: Iterable[int]) -> list[TrashItem]:
        """Return the items with these numbers, in this order; unknown numbers are left out."""
        ...

    def delete(self, numbers: Iterable[int], *, bury: int | None = None) -> int:
        """Delete items and return their number.

        With the time `bury`, their marks become permanent tombstones of that time; else these go too.
        """
        ...

    def with_groups(self) -> list[TrashItem]:
        """Return the forgotten chapters and wisdom, and the memories that were cut out of such."""
        ...

    def count(self, *, pending: bool = False) -> dict[str, int]:
        """Return the number of forgotten or pending items, by kind."""
        ...

    def note_review(self, kind: str, verdict: str, at: int) -> None:
        """Record what a person decided about a pending item of a kind."""
        ...

    def count_reviews(self, since: float = 0) -> dict[str, dict[str, int]]:
        """Return the number of decisions since a time, by verdict and kind."""
        ...
