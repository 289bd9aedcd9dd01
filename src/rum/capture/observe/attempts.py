"""Changes that did not work: replaced after a failed check, or undone."""

from __future__ import annotations

from typing import NamedTuple

from rum.capture.observe.errors import Fault
from rum.capture.observe.timeline import Change, ChangePosition, Timeline, undone_fault
from rum.store.attempt_fingerprint import is_beside


class Attempt(NamedTuple):
    """A change that did not work: its error, the lines to blame, and the change that replaced it, if any."""

    position: ChangePosition
    fault: Fault
    lines: frozenset[str]
    instead: ChangePosition | None

    @property
    def is_beside(self) -> bool:
        """Whether it has only imports and comments."""
        return bool(self.lines) and all(map(is_beside, self.lines))


def attempts_in(timeline: Timeline, *, asks: bool = False) -> list[Attempt]:
    """Return the changes, or the lines of them, that did not work.

    `asks`: the task was a question; what was changed and taken back to find the answer did not fail by that.
    """
    changes = (one for one in timeline.changes if one.is_known and not one.is_prose and not one.is_test)
    found = sorted(
        filter(None, (_attempt(timeline, one, asks) for one in changes)), key=lambda one: one.position
    )
    # An import that went with what needed it is not to blame.
    return [one for one in found if not one.is_beside] or found


def _attempt(timeline: Timeline, change: Change, asks: bool) -> Attempt | None:
    if change.is_undoing or (change.only_shows and change.undone):
        return None
    lines, fault, instead = set[str](), None, None
    for gone in change.gone:
        run = timeline.refutation(change, gone.at)
        if run is None and (asks or not gone.is_undone):
            continue
        lines |= gone.lines
        if run is not None:
            fault = run.check.fault
        if gone.by is not None and not gone.is_undone and gone.by.added - change.removed:
            instead = gone.by.position
    lines = {line for line in lines if not timeline.is_still_there(change, line)}
    if not lines and not (change.undone and not change.added):
        return None
    return Attempt(
        change.position, fault or undone_fault(change.undone or "a later edit"), frozenset(lines), instead
    )
