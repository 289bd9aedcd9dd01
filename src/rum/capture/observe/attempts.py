"""Changes that did not work: replaced after a failed check, or undone."""

from __future__ import annotations

from typing import NamedTuple

from rum.capture.observe.errors import Fault
from rum.capture.observe.timeline import Change, ChangePosition, Timeline, undone_fault


class Attempt(NamedTuple):
    """A change that did not work: its error, the lines to blame, and the change that replaced it, if any."""

    position: ChangePosition
    fault: Fault
    lines: frozenset[str]
    instead: ChangePosition | None


def attempts_in(timeline: Timeline) -> list[Attempt]:
    """Return the changes, or the lines of them, that did not work."""
    found = (_attempt(timeline, change) for change in timeline.changes if change.is_known)
    return sorted((one for one in found if one), key=lambda one: one.position)


def _attempt(timeline: Timeline, change: Change) -> Attempt | None:
    if change.is_undoing or (change.only_shows and change.undone):
        return None
    lines, fault, instead = set[str](), None, None
    for gone in change.gone:
        run = timeline.refutation(change, gone.at)
        if run is None and not gone.is_undone:
            continue
        lines |= gone.lines
        if run is not None:
            fault = run.check.fault
        if gone.by is not None and not gone.is_undone and gone.by.added - change.removed:
            instead = gone.by.position
    still_there = timeline.there_at_end(change.path)
    lines -= still_there
    if not lines and not (change.undone and not change.added):
        return None
    return Attempt(
        change.position, fault or undone_fault(change.undone or "a later edit"), frozenset(lines), instead
    )
