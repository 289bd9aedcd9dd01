"""Edits that failed: a check failed after them, and then they were replaced or reverted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rum.capture.observe.checks import Check
from rum.capture.observe.errors import Fault
from rum.capture.observe.steps import Step, reverted_files

if TYPE_CHECKING:
    from rum.capture.events.event import FileAccess


class Place(NamedTuple):
    """One file's change: which step, and which of its files."""

    step: int
    file: int


class Attempt(NamedTuple):
    """A change that failed, its error, and the change that replaced it, if one did."""

    place: Place
    fault: Fault
    instead: Place | None


class _OpenChange(NamedTuple):
    place: Place
    path: str
    added: frozenset[str]
    removed: frozenset[str]
    fault: Fault | None


def attempts_in(steps: Sequence[Step], checks: Sequence[Check | None]) -> list[Attempt]:
    """Return the changes after which a check failed and that were then replaced or reverted."""
    open_changes: list[_OpenChange] = []
    found: list[Attempt] = []
    for at, (step, check) in enumerate(zip(steps, checks, strict=True)):
        if check is not None and check.passed is not None:
            # A check that passes clears all earlier changes; one that fails puts all of them under suspicion.
            open_changes = [one._replace(fault=check.fault) for one in open_changes] if check.fault else []
        elif step.tool == "run" and not step.failed:
            is_revert, files = reverted_files(step.command)
            if is_revert:
                open_changes = _without_reverted(open_changes, files, found)
        for which, file in enumerate(step.changes if not step.failed else ()):
            new = _open_change(Place(at, which), file)
            open_changes = _without_replaced(open_changes, new, found)
            open_changes.append(new)
    found += _blamed_at_end(open_changes, checks)
    return sorted(found)


def _open_change(place: Place, file: FileAccess) -> _OpenChange:
    added, removed = significant_lines(file.get("added", "")), significant_lines(file.get("removed", ""))
    return _OpenChange(place, file["path"], added - removed, removed - added, None)


def significant_lines(text: str) -> frozenset[str]:
    """The lines of a text that have a letter or a digit, without their indentation."""
    stripped = (line.strip() for line in text.splitlines())
    return frozenset(line for line in stripped if any(character.isalnum() for character in line))


def _without_replaced(
    open_changes: list[_OpenChange], new: _OpenChange, found: list[Attempt]
) -> list[_OpenChange]:
    left: list[_OpenChange] = []
    for one in open_changes:
        same = one.path == new.path and one.added and (one.added & new.removed)
        if one.fault is not None and same:
            # Putting back exactly the old lines is a revert, no replacement.
            instead = new.place if new.added - one.removed else None
            found.append(Attempt(one.place, one.fault, instead))
        else:
            left.append(one)
    return left


def _without_reverted(
    open_changes: list[_OpenChange], files: list[str], found: list[Attempt]
) -> list[_OpenChange]:
    left: list[_OpenChange] = []
    for one in open_changes:
        if files and not any(one.path.endswith(file.removeprefix("./")) for file in files):
            left.append(one)
        elif one.fault is not None:
            found.append(Attempt(one.place, one.fault, None))
    return left


def _blamed_at_end(open_changes: list[_OpenChange], checks: Sequence[Check | None]) -> list[Attempt]:
    """The changes before a last check that failed, where no more than one file can be to blame."""
    last = next((check for check in reversed(checks) if check is not None and check.passed is not None), None)
    if last is None or last.fault is None or len({one.path for one in open_changes}) != 1:
        return []
    return [Attempt(one.place, one.fault, None) for one in open_changes if one.fault is not None]
