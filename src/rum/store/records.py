"""What a store offers for records (facts, rules, events, groups), earlier versions, and changes to share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from rum.model.layers import Event, Fact, Rule

T = TypeVar("T")


class WithIds(Protocol):
    """Items that people name by their ids."""

    def find_ids(self, name: str) -> list[str]:
        """Return the ids that a full id or the tail of one can mean: one, none, or several.

        An agent's own name means it, too.
        """
        ...


class Records(WithIds, Protocol[T]):
    """Records of one kind, in the order in which they were added; a fact's id is its key."""

    def get(self, ids: Sequence[str]) -> list[T]:
        """Return the records with these ids, in this order; unknown ids are left out."""
        ...

    def pages(self, size: int = 500) -> Iterator[list[T]]:
        """Yield all records, oldest first, `size` at a time."""
        ...

    def count(self) -> int:
        """Return the number of records."""
        ...

    def delete(self, ids: Iterable[str] | None = None) -> int:
        """Delete records with their versions and parts, without ids all of them; return the number."""
        ...


class ChangeableRecords(Records[T], Protocol[T]):
    """Records that can be replaced under their id."""

    def put(self, item: T) -> None:
        """Insert a record, or replace the one with the same id, which keeps its place in the order."""
        ...


class Facts(ChangeableRecords["Fact"], Protocol):
    """Keys and values."""

    def latest(self, limit: int, prefix: str = "") -> tuple[list[Fact], int]:
        """Return facts whose keys start with the prefix, the last changed first, and how many there are."""
        ...

    def after_key(self, limit: int, prefix: str = "", after: str = "") -> list[Fact]:
        """Return facts whose keys start with the prefix, by key, from the first one after `after` on."""
        ...


class Rules(ChangeableRecords["Rule"], Protocol):
    """Conditions and actions."""

    def with_texts(self, condition: str, action: str) -> list[Rule]:
        """Return the rules with exactly this condition and action."""
        ...

    def latest(self, limit: int, source: str | None = None) -> list[Rule]:
        """Return the last added rules, the newest first.

        Of a source: those that are not superseded, the last said first.
        """
        ...


class Events(Records["Event"], Protocol):
    """Entries of the episodic layer; entries that other programs wrote may share an id."""

    def add(self, events: Iterable[Event], *, unless_known: bool = False) -> int:
        """Append entries, all or none, and return their number; `unless_known` skips ids that are taken."""
        ...

    def older(self, keep: int) -> list[tuple[int, Event]]:
        """Return (place, entry) of all but the newest `keep` entries, oldest first."""
        ...

    def replace_with_summary(self, places: Sequence[int], summary: Event | None) -> bool:
        """Replace the entries at these places by a summary at the last place; False if one is gone."""
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
    """Earlier versions of memories, facts and rules (`kind`: memory, fact, rule), deleted with their item."""

    def add(self, kind: str, item_id: str, *revisions: Revision, replace: bool = False) -> None:
        """Add what an item was before it is replaced; with `replace`, instead of all earlier versions."""
        ...

    def of(self, kind: str, ids: Sequence[str]) -> dict[str, list[Revision]]:
        """Return the earlier versions of each of these items, oldest first."""
        ...


class Change(NamedTuple):
    """An item that was added, changed or deleted; `times` grows with every further change."""

    kind: str  # memory, links, agent, chapter, wisdom, fact or rule
    id: str
    times: int


class SyncLog(Protocol):
    """Targets and their pending changes, which the backend records with every write."""

    def targets(self) -> dict[str, str]:
        """Return the state of each target, as it was given."""
        ...

    def set_target(self, target: str, state: str) -> None:
        """Set the state of a target; from now on changes are recorded for it."""
        ...

    def changes(self, target: str) -> list[Change]:
        """Return what changed and was not deleted from this list yet."""
        ...

    def delete_changes(self, target: str, changes: Iterable[Change]) -> None:
        """Delete changes, except those of items that changed again."""
        ...
