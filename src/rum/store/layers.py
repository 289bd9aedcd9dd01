"""What every store offers for facts, rules and events, beyond what it offers for all records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rum.model.layers import Event, Fact, Rule
from rum.store.records import Author, ChangeableRecords, Records


class Facts(ChangeableRecords[Fact], Protocol):
    """Keys and what is known under them."""

    def latest(self, prefix: str, limit: int) -> list[Fact]:
        """The facts whose keys begin so, the one changed last first."""
        ...

    def count(self, prefix: str = "") -> int:
        """How many there are with keys that begin so."""
        ...

    def authors(self) -> set[Author]:
        """Whose facts there are."""
        ...


class Rules(ChangeableRecords[Rule], Protocol):
    """Conditions and what to do then."""

    def add(self, rule: Rule) -> None:
        """Write a new rule; StorageError if its id is taken."""
        ...

    def saying(self, condition: str, action: str) -> list[Rule]:
        """The rules with exactly these texts."""
        ...

    def latest(self, limit: int) -> list[Rule]:
        """The newest rules, newest first."""
        ...

    def older(self, keep: int) -> list[Rule]:
        """All but the newest `keep`, oldest first."""
        ...


class Events(Records[Event], Protocol):
    """Entries of the episodic layer; what other programs wrote may have an id twice."""

    def add(self, events: Iterable[Event], *, unless_known: bool = False) -> int:
        """Append entries, all or none; how many. With `unless_known` those whose id is taken are left out."""
        ...

    def older(self, keep: int) -> list[tuple[int, Event]]:
        """(place, entry) of all but the newest `keep`, oldest first."""
        ...

    def fold(self, places: Sequence[int], summary: Event | None) -> bool:
        """Replace the entries at these places by a summary at the last; False if one was gone already."""
        ...

    def authors(self) -> set[Author]:
        """Whose entries there are."""
        ...
