"""What every store offers for facts, rules and events: each kept in the order it was learned or happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from rum.model.facts import Event, Fact, Rule


class Author(NamedTuple):
    """Who put something down, and whether it was imported."""

    agent_id: str
    imported: bool


class Facts(Protocol):
    """Keys and what is known under them."""

    def get(self, key: str) -> Fact | None:
        """The fact under a key."""
        ...

    def put(self, fact: Fact) -> None:
        """Write a fact; one under the same key is replaced and keeps its place."""
        ...

    def all(self, batch: int = 500) -> Iterator[list[Fact]]:
        """All facts, the one learned first at the front, a batch at a time."""
        ...

    def latest(self, prefix: str, most: int) -> list[Fact]:
        """The facts whose keys begin so, the one changed last at the front."""
        ...

    def count(self, prefix: str = "") -> int:
        """How many there are with keys that begin so."""
        ...

    def add_version(self, key: str, version: int, changed_at: int, changed_by: str, value: str) -> None:
        """Keep what a fact said before it is replaced."""
        ...

    def versions(self, key: str) -> list[tuple[int, int, str, str]]:
        """(number, changed_at, changed_by, value) of what a fact said before, oldest first."""
        ...

    def delete(self, key: str) -> dict[str, int]:
        """Delete a fact with its history; says how many rows of each kind went."""
        ...

    def authors(self) -> set[Author]:
        """Whose facts there are."""
        ...

    def clear(self) -> int:
        """Delete all facts; how many there were."""
        ...


class Rules(Protocol):
    """Conditions and what to do then."""

    def add(self, rule: Rule) -> None:
        """Write a new rule."""
        ...

    def put(self, rule: Rule) -> None:
        """Replace the rule of this id, which keeps its place."""
        ...

    def add_version(
        self, rule_id: str, version: int, changed_at: int, changed_by: str, condition: str, action: str
    ) -> None:
        """Keep what a rule said before it is replaced."""
        ...

    def versions(self, rule_id: str) -> list[tuple[int, int, str, str, str]]:
        """(number, changed_at, changed_by, condition, action) of what a rule said before, oldest first."""
        ...

    def get(self, ids: Sequence[str]) -> list[Rule]:
        """The rules with these ids, in this order; unknown ones are left out."""
        ...

    def named(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        ...

    def saying(self, condition: str, action: str) -> list[Rule]:
        """The rules that say exactly this."""
        ...

    def all(self, batch: int = 500) -> Iterator[list[Rule]]:
        """All rules, the one learned first at the front, a batch at a time."""
        ...

    def latest(self, most: int) -> list[Rule]:
        """The newest rules, the newest first."""
        ...

    def older(self, keep: int) -> list[Rule]:
        """All but the last so many."""
        ...

    def count(self) -> int:
        """How many there are."""
        ...

    def delete(self, ids: Iterable[str]) -> int:
        """Delete rules with their history; how many there were."""
        ...


class Events(Protocol):
    """What happened, entry by entry."""

    def add(self, events: Iterable[Event]) -> None:
        """Write entries after those there are, all or none, whatever their ids."""
        ...

    def put(self, event: Event) -> bool:
        """Write an entry after those there are; False, and nothing is written, if its id is taken."""
        ...

    def all(self, batch: int = 500) -> Iterator[list[Event]]:
        """All entries in their order, a batch at a time."""
        ...

    def get(self, event_id: str) -> list[Event]:
        """Every entry with this id; what other programs wrote may have one twice."""
        ...

    def named(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        ...

    def older(self, keep: int) -> list[tuple[int, Event]]:
        """(place, entry) of all but the last so many."""
        ...

    def fold(self, places: Sequence[int], summary: Event | None) -> bool:
        """Delete the entries at these places and put a summary at the last; False if one was gone already."""
        ...

    def count(self) -> int:
        """How many there are."""
        ...

    def delete(self, event_id: str) -> int:
        """Delete every entry with this id; how many there were."""
        ...

    def authors(self) -> set[Author]:
        """Whose entries there are."""
        ...

    def clear(self) -> int:
        """Delete all entries; how many there were."""
        ...
