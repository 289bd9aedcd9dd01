"""Edits that failed: a check failed after them, and then they were replaced or reverted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rum.capture.observe.checks import Check
from rum.capture.observe.errors import Fault
from rum.capture.observe.steps import Step, reverted_files

if TYPE_CHECKING:
    from rum.capture.events.event import FileAccess


class ChangePosition(NamedTuple):
    """The position of one file's change: the index of the step, and of the file in it."""

    step: int
    file: int


class Attempt(NamedTuple):
    """A change that failed, its error, and the change that replaced it, if one did."""

    position: ChangePosition
    fault: Fault
    instead: ChangePosition | None


class _OpenChange(NamedTuple):
    position: ChangePosition
    path: str
    added: frozenset[str]
    removed: frozenset[str]
    fault: Fault | None


def attempts_in(steps: Sequence[Step], checks: Sequence[Check | None]) -> list[Attempt]:
    """Return the changes after which a check failed and that were then replaced or reverted."""
    open_changes: list[_OpenChange] = []
    attempts: list[Attempt] = []
    for step_index, (step, check) in enumerate(zip(steps, checks, strict=True)):
        if check is not None and check.passed is not None:
            # A check that passes clears all earlier changes; one that fails puts all of them under suspicion.
            open_changes = (
                [change._replace(fault=check.fault) for change in open_changes] if check.fault else []
            )
        elif step.tool == "run" and not step.failed:
            is_revert, files = reverted_files(step.command)
            if is_revert:
                open_changes = _without_reverted(open_changes, files, attempts)
        for file_index, file in enumerate(step.changes if not step.failed else ()):
            new = _open_change(ChangePosition(step_index, file_index), file)
            open_changes = _without_replaced(open_changes, new, attempts)
            open_changes.append(new)
    attempts += _blamed_at_end(open_changes, checks)
    return sorted(attempts)


def _open_change(position: ChangePosition, file: FileAccess) -> _OpenChange:
    added, removed = significant_lines(file.get("added", "")), significant_lines(file.get("removed", ""))
    return _OpenChange(position, file["path"], added - removed, removed - added, None)


def significant_lines(text: str) -> frozenset[str]:
    """The lines of a text that have a letter or a digit, without their indentation."""
    stripped = (line.strip() for line in text.splitlines())
    return frozenset(line for line in stripped if any(character.isalnum() for character in line))


def _without_replaced(
    open_changes: list[_OpenChange], new: _OpenChange, attempts: list[Attempt]
) -> list[_OpenChange]:
    remaining: list[_OpenChange] = []
    for change in open_changes:
        same = change.path == new.path and change.added and (change.added & new.removed)
        if change.fault is not None and same:
            # Putting back exactly the old lines is a revert, no replacement.
            instead = new.position if new.added - change.removed else None
            attempts.append(Attempt(change.position, change.fault, instead))
        else:
            remaining.append(change)
    return remaining


def _without_reverted(
    open_changes: list[_OpenChange], files: list[str], attempts: list[Attempt]
) -> list[_OpenChange]:
    remaining: list[_OpenChange] = []
    for change in open_changes:
        if files and not any(change.path.endswith(file.removeprefix("./")) for file in files):
            remaining.append(change)
        elif change.fault is not None:
            attempts.append(Attempt(change.position, change.fault, None))
    return remaining


def _blamed_at_end(open_changes: list[_OpenChange], checks: Sequence[Check | None]) -> list[Attempt]:
    """The changes before a last check that failed, where no more than one file can be to blame."""
    last = next((check for check in reversed(checks) if check is not None and check.passed is not None), None)
    if last is None or last.fault is None or len({change.path for change in open_changes}) != 1:
        return []
    return [
        Attempt(change.position, change.fault, None) for change in open_changes if change.fault is not None
    ]
