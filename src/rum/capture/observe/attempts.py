"""Edits that did not hold: a check failed after them, and then they were replaced or taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rum.capture.observe.checks import Check
from rum.capture.observe.commands import undoes
from rum.capture.observe.errors import Fault
from rum.capture.observe.steps import Step

if TYPE_CHECKING:
    from rum.capture.events.event import Touched


class Place(NamedTuple):
    """One file's change: which step, and which of its files."""

    step: int
    file: int


class Attempt(NamedTuple):
    """A change that did not hold, what it failed with, and the change that took its place, if one did."""

    place: Place
    fault: Fault
    instead: Place | None


class _Open(NamedTuple):
    place: Place
    path: str
    added: frozenset[str]
    removed: frozenset[str]
    fault: Fault | None


def attempts_in(steps: Sequence[Step], checks: Sequence[Check | None]) -> list[Attempt]:
    """The changes that a check failed after and that were then replaced or taken back."""
    standing: list[_Open] = []
    found: list[Attempt] = []
    for at, (step, check) in enumerate(zip(steps, checks, strict=True)):
        if check is not None and check.passed is not None:
            # What passed holds; what was there while it failed is under suspicion.
            standing = [one._replace(fault=check.fault) for one in standing] if check.fault else []
        elif step.tool == "run" and not step.failed:
            undone, files = undoes(step.command)
            if undone:
                standing = _taken_back(standing, files, found)
        for which, file in enumerate(step.changes if not step.failed else ()):
            new = _open(Place(at, which), file)
            standing = _replaced(standing, new, found)
            standing.append(new)
    found += _left(standing, checks)
    return sorted(found)


def _open(place: Place, file: Touched) -> _Open:
    added, removed = lines(file.get("added", "")), lines(file.get("removed", ""))
    return _Open(place, file["path"], added - removed, removed - added, None)


def lines(text: str) -> frozenset[str]:
    """The lines of a text that say something, without their indentation."""
    stripped = (line.strip() for line in text.splitlines())
    return frozenset(line for line in stripped if any(character.isalnum() for character in line))


def _replaced(standing: list[_Open], new: _Open, found: list[Attempt]) -> list[_Open]:
    left: list[_Open] = []
    for one in standing:
        same = one.path == new.path and one.added and (one.added & new.removed)
        if one.fault is not None and same:
            instead = new.place if new.added - one.removed else None
            found.append(Attempt(one.place, one.fault, instead))
        else:
            left.append(one)
    return left


def _taken_back(standing: list[_Open], files: list[str], found: list[Attempt]) -> list[_Open]:
    left: list[_Open] = []
    for one in standing:
        meant = not files or any(one.path.endswith(file.removeprefix("./")) for file in files)
        if not meant:
            left.append(one)
        elif one.fault is not None:
            found.append(Attempt(one.place, one.fault, None))
    return left


def _left(standing: list[_Open], checks: Sequence[Check | None]) -> list[Attempt]:
    """What the last check failed after, where no more than one file can be to blame."""
    last = next((check for check in reversed(checks) if check is not None and check.passed is not None), None)
    if last is None or last.fault is None or len({one.path for one in standing}) != 1:
        return []
    return [Attempt(one.place, one.fault, None) for one in standing if one.fault is not None]
