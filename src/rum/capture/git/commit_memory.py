"""A commit as a memory: what it was for, what it did, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rum.capture.git.actions import actions_of, largest, path_of
from rum.capture.git.history import Undoing
from rum.capture.git.message import Message
from rum.capture.git.work_kind import folders, kind_of
from rum.model.memory_layers import Outcome, TaskType
from rum.model.origin import SHORT, Reversal
from rum.repo.history import Change, Commit

ORDINARY = 0.3
TELLING = 0.5
"""The importance of what failed, undid something, or closed a hole."""
TAGS = 6


def said_of(
    commit: Commit, message: Message, changes: Sequence[Change], undoing: Undoing | None, *, undoes: bool
) -> dict[str, Any]:
    """What a commit's memory says, as a caller of `store` would write it."""
    kept = largest(changes)
    paths = [change.path for change in kept]
    kind = kind_of(message.subject, paths)
    outcome: dict[str, Any] = {"success": True, "summary": _summary(commit, message, changes, len(kept))}
    tags = [*kind.scopes, *(["breaking"] if kind.breaking else []), *(["revert"] if undoes else [])]
    telling = undoing or undoes or kind.task_type is TaskType.SECURITY_FIX
    return {
        "intent": {
            "goal": message.subject or _goal(changes),
            "task_type": kind.task_type.value,
            "context": message.body,
        },
        "outcome": {**outcome, **failure(undoing)} if undoing else outcome,
        "actions": actions_of(kept, commit.authored_at),
        "tags": list(dict.fromkeys([*tags, *folders(paths)]))[:TAGS],
        "importance": TELLING if telling else ORDINARY,
    }


def failure(undoing: Undoing) -> dict[str, Any]:
    """What an outcome says once the work was reverted."""
    return {
        "success": False,
        "failure_reason": undoing.reason,
        "failure_category": undoing.category.value,
    }


def reversal_of(undoing: Undoing) -> Reversal:
    """The commit that reverted the work, as the memory of the work names it."""
    return Reversal(undoing.by.memory_id, undoing.by.sha, reason=undoing.reason)


def has_failed_by(outcome: Outcome, reversal: Reversal) -> bool:
    """Whether an outcome is what a revert made of it, and not what a person said of it since."""
    return not outcome.success and outcome.failure_reason == reversal.reason


def restored(outcome: Outcome) -> Outcome:
    """The outcome of work that was reverted, once the revert was reverted itself."""
    return replace(outcome, success=True, failure_reason=None, failure_category=None)


def is_size_of(summary: str, sha: str) -> bool:
    """Whether a summary is what `said_of` says of a commit: which one it is, and how large."""
    return summary.startswith(f"{sha[:SHORT]}: ")


def _goal(changes: Sequence[Change]) -> str:
    """What a commit without a message was for, as far as its files tell."""
    if not changes:
        return "Commit without a message"
    word = {"A": "Add", "D": "Delete", "R": "Rename"}.get(changes[0].status, "Change")
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{word} {path_of(changes[0].path)}{more}"


def _summary(commit: Commit, message: Message, changes: Sequence[Change], kept: int) -> str:
    """Where to look, how much it was, and which issues it closed."""
    size = path_of(changes[0].path) if len(changes) == 1 else f"{len(changes)} files"
    parts = [size if changes else "no file changed"]
    if any(change.added or change.removed for change in changes):
        parts += [f"+{sum(one.added for one in changes)} -{sum(one.removed for one in changes)}"]
    if kept < len(changes):
        parts += [f"the {kept} largest kept here"]
    closes = f"; closes {', '.join(f'#{number}' for number in message.closes)}" if message.closes else ""
    return f"{commit.sha[:SHORT]}: {', '.join(parts)}{closes}"
