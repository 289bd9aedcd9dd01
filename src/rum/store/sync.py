"""What a store offers for sharing: the targets of `rum sync`, and what changed since each was reached."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


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
