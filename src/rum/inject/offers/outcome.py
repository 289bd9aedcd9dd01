"""What came of an offer, told from the work after it: whether it was fetched, followed, contradicted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rum.inject.offers.warning import KIND as WARNING
from rum.inject.offers.warning import is_alike
from rum.model.memory import Memory, Operation
from rum.store.attempt_fingerprint import command_tried, edit_marks
from rum.store.derived import Attempt, attempts_of

if TYPE_CHECKING:
    from rum.capture.events.event import Event

ABOUT_FILES = ("intent", "task", "session")
"""Kinds of offers that come before any file is touched, so that touching the memory's files follows them."""


class Proof(NamedTuple):
    """What came of an offer."""

    fetched: bool
    followed: bool
    contradicted: bool


class Done(NamedTuple):
    """Something that was tried after an offer."""

    key: str
    marks: frozenset[int]
    worked: bool | None
    is_command: bool


def proof(
    kind: str,
    memory: Memory,
    events: Sequence[Event],
    success: bool | None,
    relative: Callable[[str], str],
) -> Proof:
    """What came of an offer of a memory, by the events after it and the outcome of their turn."""
    fetched = any(
        event.get("tool") == "rum" and event.get("memories", [])[:1] == [memory.id] for event in events
    )
    done = list(_done(events, relative))
    tried = attempts_of(memory)
    worked = [one for one in tried if one.worked]
    failed = [one for one in tried if not one.worked and not _worked_later(one, worked)]
    took = any(one.worked is not False and _is_one_of(one, worked) for one in done)
    if kind != WARNING:
        return Proof(fetched, took or (kind in ABOUT_FILES and _touches(memory, done)), contradicted=False)
    again = [one for one in done if _is_one_of(one, failed)]
    contradicted = any(one.worked for one in again) or (bool(success) and _stands(done, failed))
    keys = {one.key for one in failed}
    other = any(one.key in keys and one not in again for one in done)
    return Proof(fetched, not contradicted and (took or (bool(success) and other)), contradicted)


def _done(events: Iterable[Event], relative: Callable[[str], str]) -> Iterable[Done]:
    for event in events:
        if event["kind"] not in ("after", "failed"):
            continue
        code = event.get("exit")
        failed = event["kind"] == "failed" or bool(code)
        command = command_tried(event.get("command", "")) if event.get("tool") == "run" else None
        if command is not None:
            yield Done(command.key, command.marks, False if failed else (True if code == 0 else None), True)
        for file in event.get("files", []):
            if file["operation"] != "read" and not failed:
                marks = edit_marks(file.get("added", ""), file.get("removed", ""))
                yield Done(relative(file["path"]), marks, None, False)


def _is_one_of(done: Done, attempts: Iterable[Attempt]) -> bool:
    return any(
        one.key == done.key and is_alike(done.marks, one.marks, one.size, is_command=done.is_command)
        for one in attempts
    )


def _worked_later(failed: Attempt, worked: Iterable[Attempt]) -> bool:
    """Whether the same was tried again in the same work, and then worked."""
    return any(
        one.number > failed.number and (one.key, one.marks) == (failed.key, failed.marks) for one in worked
    )


def _stands(done: Sequence[Done], failed: Sequence[Attempt]) -> bool:
    """Whether the last edit of a file is one that had failed there."""
    last = {one.key: one for one in done if not one.is_command}
    return any(_is_one_of(one, failed) for one in last.values())


def _touches(memory: Memory, done: Iterable[Done]) -> bool:
    changed = {file.path for file in memory.files if file.operation is not Operation.READ}
    return any(one.key in changed for one in done if not one.is_command)
