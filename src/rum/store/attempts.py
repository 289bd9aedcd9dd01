"""What a memory tells of things tried: a row for each edit and command known to have worked or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rum.model.memory import Memory, has_worked
from rum.model.memory_layers import Action, ActionType
from rum.store.attempt_fingerprint import command_tried, diff_marks, edit_marks, is_check, is_misuse, sample
from rum.text.shorten import shorten

SAMPLE = 128
"""So many marks are kept of what was tried: enough to tell what share of it comes again."""
MOST = 60
"""Rows of one memory."""

_EDITS = (ActionType.FILE_EDIT, ActionType.FILE_CREATE, ActionType.FILE_DELETE)
_QUOTED, _WHY = 90, 140
_FEW = 3
"""In a memory of a failure with no more edits than this, each of unknown result is held to have failed."""
_CLUMSY = re.compile(
    r"(?i)not found in (?:the )?file|has not been read|string to replace|old_string|matches of the string"
    r"|modified since|failed to (?:find|apply)|no changes|does not exist|patch (?:failed|does not)|hunk"
)
"""Errors that say that an edit was not made, and so nothing of whether it was right."""


class Attempt(NamedTuple):
    """One thing that was tried: where it is found again, how it is recognised, and what came of it."""

    number: int
    key: str
    at: int
    worked: bool
    size: int
    marks: bytes
    tried: str = ""
    why: str = ""
    instead: str = ""


def attempts_of(memory: Memory) -> list[Attempt]:
    """The rows of a memory, in the order of its actions."""
    return list(_attempts(memory))[:MOST]


def _attempts(memory: Memory) -> Iterator[Attempt]:
    guilty = _guilty(memory)
    for number, action in enumerate(memory.actions):
        worked = False if number in guilty else _worked(memory, action)
        tried = _tried(action)
        if worked is None or tried is None:
            continue
        key, marks = tried
        row = Attempt(number, key, action.timestamp, worked, len(marks), sample(marks, SAMPLE))
        if worked:
            yield row
        else:
            told = _said(action), _why(memory, action), _instead(memory, number, key)
            yield row._replace(tried=told[0], why=told[1], instead=told[2])


def _guilty(memory: Memory) -> set[int]:
    """The edits of unknown result in a memory of a failure, where so few were made that each is suspect."""
    if memory.outcome.success:
        return set()
    edits = [n for n, action in enumerate(memory.actions) if action.type in _EDITS]
    unknown = {n for n in edits if memory.actions[n].result is None}
    return unknown if len(edits) <= _FEW else set()


def _worked(memory: Memory, action: Action) -> bool | None:
    """Whether it worked; None where that is not known, or is not its own doing."""
    result = action.result
    if result is None:
        return None
    if action.type in _EDITS:
        if result.success:
            return True if has_worked(memory) else None
        return None if _CLUMSY.search(result.error or "") else False
    if action.type is not ActionType.COMMAND_RUN:
        return None
    command, error = action.details.command or "", f"{result.error or ''}\n{result.output_summary or ''}"
    if not result.success and is_check(command) and not is_misuse(command, error):
        return None
    return result.success


def _tried(action: Action) -> tuple[str, frozenset[int]] | None:
    details = action.details
    if action.type is ActionType.COMMAND_RUN:
        found = command_tried(details.command or "")
        return (found.key, found.marks) if found else None
    if not details.file_path:
        return None
    marks = diff_marks(details.diff_summary or "")
    return (details.file_path, marks) if marks else None


def _said(action: Action) -> str:
    """What was tried, in one line."""
    if action.type is ActionType.COMMAND_RUN:
        return _line(action.details.command or "", _QUOTED)
    return essence(action.details.diff_summary or "")


def essence(diff: str) -> str:
    """The first telling line that a diff puts in, or takes out."""
    for sign, before in (("+", ""), ("-", "removing ")):
        lines = [line[1:].strip() for line in diff.splitlines() if line.startswith(sign)]
        telling = next((line for line in lines if edit_marks(line)), "")
        if telling:
            return before + _line(telling, _QUOTED)
    return ""


def _why(memory: Memory, action: Action) -> str:
    result = action.result
    told: Sequence[str | None] = ((result.error, result.output_summary) if result else ()) or (
        memory.outcome.failure_reason,
        memory.result,
    )
    return _line(next(filter(None, told), memory.outcome.failure_reason or ""), _WHY)


def _instead(memory: Memory, number: int, key: str) -> str:
    """What worked in its place, later in the same memory."""
    failed, later = memory.actions[number], memory.actions[number + 1 :]
    if failed.type is not ActionType.COMMAND_RUN:
        if not has_worked(memory):
            return ""
        edits = [action for action in later if action.type in _EDITS and action.details.file_path == key]
        said = [_said(action) for action in _successes(edits)]
        return next((one for one in reversed(said) if one), "")
    commands = _successes(action for action in later if action.type is ActionType.COMMAND_RUN)
    alike = (action for action in commands if _same_purpose(failed, action))
    return next((_said(action) for action in alike), "")


def _successes(actions: Iterable[Action]) -> list[Action]:
    return [action for action in actions if action.result and action.result.success]


def _same_purpose(failed: Action, other: Action) -> bool:
    """Whether a command may stand for another: the same program on something else, or another on the same."""
    tried, took = _tried(failed), _tried(other)
    if tried is None or took is None or tried[1] == took[1]:
        return False
    return tried[0] == took[0] or len(tried[1] & took[1]) * 2 >= min(len(tried[1]), len(took[1]))


def _line(text: str, most: int) -> str:
    return shorten(" ".join(text.split()), most)
