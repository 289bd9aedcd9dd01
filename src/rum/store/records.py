"""What every store offers alike for facts, rules, events, chapters and wisdom, and for earlier versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")


class Author(NamedTuple):
    """Who wrote something, and whether it was imported."""

    agent_id: str
    imported: bool


class Records(Protocol[T]):
    """Items of one kind, in the order in which they came; a fact's id is its key."""

    def get(self, ids: Sequence[str]) -> list[T]:
        """The items with these ids, in this order; unknown ids are left out."""
        ...

    def find_ids(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        ...

    def pages(self, size: int = 500) -> Iterator[list[T]]:
        """All items, oldest first, a batch at a time."""
        ...

    def count(self) -> int:
        """How many there are."""
        ...

    def delete(self, ids: Iterable[str] | None = None) -> int:
        """Delete items with all that belongs to them, without ids all there are; how many there were."""
        ...


class ChangeableRecords(Records[T], Protocol[T]):
    """Items that are changed under their id."""

    def put(self, item: T) -> None:
        """Write an item; one with the same id is replaced and keeps its place."""
        ...


class Revision(NamedTuple):
    """An earlier version: its texts, and who replaced it when.

    The texts are a memory's JSON, a fact's value, or a rule's condition and action.
    """

    version: int
    changed_at: int
    changed_by: str
    texts: tuple[str, ...]


class History(Protocol):
    """Earlier versions of memories, facts and rules (`kind`: memory, fact, rule); they go with their item."""

    def add(self, kind: str, item_id: str, revision: Revision) -> None:
        """Add what an item said before it is replaced."""
        ...

    def of(self, kind: str, item_id: str) -> list[Revision]:
        """The earlier versions of an item, oldest first."""
        ...
