"""What a commit did, as actions: one a file, with the lines and the functions it touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rum.model.memory_layers import ActionType
from rum.repo.history import Change
from rum.store.renames import RENAMED_TO
from rum.text.invisible import without_unseen

FILES = 100
"""A commit is tied to so many files at most: those with the most changed lines."""
RANGES = 12
NAMES = 5

_TYPES = {"A": ActionType.FILE_CREATE, "D": ActionType.FILE_DELETE, "R": ActionType.FILE_CREATE}
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f]")
_NAME = r"[A-Za-z_$][\w$.:]{1,59}"
_DECLARED = re.compile(
    rf"\b(?:class|interface|trait|impl|module|namespace|fn|def|func|function|sub|proc)\s+(?:\([^)]{{0,60}}\)\s*)?({_NAME})"
)
_TYPED = re.compile(rf"\b(?:struct|enum|union|type)\s+({_NAME})")
_CALLED = re.compile(r"([A-Za-z_$][\w$.:~]{1,59})\s*\(")
_NO_NAMES = frozenset(
    (
        "if",
        "for",
        "while",
        "switch",
        "return",
        "catch",
        "elif",
        "else",
        "func",
        "function",
        "sizeof",
        "defined",
        "test",
    )
)


def largest(changes: Sequence[Change]) -> list[Change]:
    """The changes that are kept, in the order of their paths."""
    if len(changes) <= FILES:
        return list(changes)
    ranked = sorted(changes, key=lambda change: (-change.added - change.removed, change.path))
    return sorted(ranked[:FILES], key=lambda change: change.path)


def actions_of(changes: Iterable[Change], at: int) -> list[dict[str, Any]]:
    """The actions, as a caller would write them."""
    actions: list[dict[str, Any]] = []
    for change in changes:
        kind = _TYPES.get(change.status, ActionType.FILE_EDIT)
        actions.append(_action(kind, change.path, at, _lines(change), _summary(change)))
        if change.before:
            gone = f"{RENAMED_TO}{path_of(change.path)}"
            actions.append(_action(ActionType.FILE_DELETE, change.before, at, None, gone))
    return actions


def path_of(path: str) -> str:
    """A path as memories spell it: what cannot stand on a line is replaced."""
    return _UNWRITABLE.sub("\ufffd", without_unseen(path.replace("\n", "\ufffd"))).replace("\\", "/")


def _action(kind: ActionType, path: str, at: int, lines: str | None, summary: str | None) -> dict[str, Any]:
    details = {"file_path": path_of(path), "lines_affected": lines, "diff_summary": summary}
    known = {name: value for name, value in details.items() if value}
    return {"type": kind.value, "timestamp": at, "details": known}


def _lines(change: Change) -> str | None:
    """The ranges of lines, neighbours joined, as `3-7,12`; a sign says that there are more."""
    joined: list[tuple[int, int]] = []
    for first, last in change.lines:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    told = [f"{first}-{last}" if last > first else str(first) for first, last in joined[:RANGES]]
    return ",".join(told + ["…"] * (len(joined) > RANGES)) or None


def _summary(change: Change) -> str | None:
    """What else is known: where the file came from, and inside of what the lines are."""
    parts = [f"renamed from {path_of(change.before)}"] if change.before else []
    parts += ["submodule"] if change.submodule else []
    names = dict.fromkeys(name for line in change.inside if (name := _name(line)))
    parts += [f"in {', '.join(list(names)[:NAMES])}"] if names else []
    return "; ".join(parts) or None


def _name(line: str) -> str | None:
    """The name of the function or class whose head this is."""
    calls = [found for found in _CALLED.finditer(line) if found[1] not in _NO_NAMES]
    declared = _DECLARED.search(line)
    # `class Gate(Base)` declares; `int open(class Gate *gate)` only speaks of a class.
    if declared and (not calls or declared.start() < calls[0].start()):
        calls = [declared]
    found = calls[0] if calls else _TYPED.search(line)
    return found[1].rstrip(":.") if found else None
