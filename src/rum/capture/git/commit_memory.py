"""Make a memory of a commit: goal and context from its message, actions from its changes, and its outcome."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from rum.capture.git.history import Revert
from rum.capture.git.message import Message
from rum.capture.git.work_kind import folders, work_kind
from rum.model.memory import SHORT_SHA, RevertLink
from rum.model.memory_layers import ActionType, Outcome, TaskType
from rum.repo.history import Change, Commit
from rum.store.derived import RENAMED_TO
from rum.text.lexicon import word_set
from rum.text.shorten import without_invisible

_ORDINARY = 0.3
IMPORTANT = 0.5  # The importance of a commit that was reverted, reverts another, or fixes a vulnerability
_MAX_TAGS = 6


def commit_fields(
    commit: Commit, message: Message, changes: Sequence[Change], revert: Revert | None, *, is_revert: bool
) -> dict[str, Any]:
    """The fields of a commit's memory, as a caller of `store` would write them."""
    kept = largest(changes)
    paths = [change.path for change in kept]
    kind = work_kind(message.subject, paths)
    outcome: dict[str, Any] = {"success": True, "summary": _summary(commit, message, changes, len(kept))}
    tags = [*kind.scopes, *(["breaking"] if kind.breaking else []), *(["revert"] if is_revert else [])]
    is_important = revert or is_revert or kind.task_type is TaskType.SECURITY_FIX
    return {
        "intent": {
            "goal": message.subject or _goal(changes),
            "task_type": kind.task_type.value,
            "context": message.body,
        },
        "outcome": {**outcome, **failure(revert)} if revert else outcome,
        "actions": actions_of(kept, commit.authored_at),
        "tags": list(dict.fromkeys([*tags, *folders(paths)]))[:_MAX_TAGS],
        "importance": IMPORTANT if is_important else _ORDINARY,
    }


def failure(revert: Revert) -> dict[str, Any]:
    """The fields of the outcome of work that was reverted."""
    return {
        "success": False,
        "failure_reason": revert.reason,
        "failure_category": revert.category.value,
    }


def reversal_of(revert: Revert) -> RevertLink:
    """The commit that reverted the work, as a value of the work's memory."""
    return RevertLink(revert.by.memory_id, revert.by.sha, reason=revert.reason)


def has_failed_by(outcome: Outcome, reversal: RevertLink) -> bool:
    """Whether an outcome is a failure because of a revert, and was not changed since."""
    return not outcome.success and outcome.failure_reason == reversal.reason


def restored(outcome: Outcome) -> Outcome:
    """The outcome of work whose revert was reverted itself."""
    return replace(outcome, success=True, failure_reason=None, failure_category=None)


def _goal(changes: Sequence[Change]) -> str:
    """The goal of a commit without a message, from its files."""
    if not changes:
        return "Commit without a message"
    word = {"A": "Add", "D": "Delete", "R": "Rename"}.get(changes[0].status, "Change")
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{word} {path_of(changes[0].path)}{more}"


def _summary(commit: Commit, message: Message, changes: Sequence[Change], kept: int) -> str:
    """The commit's id, the size of its change, and the issues it closed."""
    size = path_of(changes[0].path) if len(changes) == 1 else f"{len(changes)} files"
    parts = [size if changes else "no file changed"]
    if any(change.added or change.removed for change in changes):
        parts += [f"+{sum(one.added for one in changes)} -{sum(one.removed for one in changes)}"]
    if kept < len(changes):
        parts += [f"the {kept} largest kept here"]
    closes = f"; closes {', '.join(f'#{number}' for number in message.closes)}" if message.closes else ""
    return f"{commit.sha[:SHORT_SHA]}: {', '.join(parts)}{closes}"


MAX_FILES = 100  # Files of a commit's memory: those with the most changed lines
MAX_RANGES = 12
_MAX_NAMES = 5

_TYPES = {"A": ActionType.FILE_CREATE, "D": ActionType.FILE_DELETE, "R": ActionType.FILE_CREATE}
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f]")
_NAME = r"[A-Za-z_$][\w$.:]{1,59}"
_DECLARED = re.compile(
    rf"\b(?:class|interface|trait|impl|module|namespace|fn|def|func|function|sub|proc)\s+(?:\([^)]{{0,60}}\)\s*)?({_NAME})"
)
_TYPED = re.compile(rf"\b(?:struct|enum|union|type)\s+({_NAME})")
_CALLED = re.compile(r"([A-Za-z_$][\w$.:~]{1,59})\s*\(")
# Words before a bracket that are no function's name.
_KEYWORDS = word_set("if for while switch return catch elif else func function sizeof defined test")


def largest(changes: Sequence[Change]) -> list[Change]:
    """The largest changes, at most `MAX_FILES`, in the order of their paths."""
    if len(changes) <= MAX_FILES:
        return list(changes)
    ranked = sorted(changes, key=lambda change: (-change.added - change.removed, change.path))
    return sorted(ranked[:MAX_FILES], key=lambda change: change.path)


def actions_of(changes: Iterable[Change], at: int) -> list[dict[str, Any]]:
    """The actions of a memory: one a file, two for a file that was renamed."""
    actions: list[dict[str, Any]] = []
    for change in changes:
        kind = _TYPES.get(change.status, ActionType.FILE_EDIT)
        actions.append(_action(kind, change.path, at, _lines(change), _actions_summary(change)))
        if change.before:
            gone = f"{RENAMED_TO}{path_of(change.path)}"
            actions.append(_action(ActionType.FILE_DELETE, change.before, at, None, gone))
    return actions


def path_of(path: str) -> str:
    """A path as memories write it: characters that do not fit on a line are replaced."""
    return _UNWRITABLE.sub("\ufffd", without_invisible(path.replace("\n", "\ufffd"))).replace("\\", "/")


def _action(kind: ActionType, path: str, at: int, lines: str | None, summary: str | None) -> dict[str, Any]:
    details = {"file_path": path_of(path), "lines_affected": lines, "diff_summary": summary}
    known = {name: value for name, value in details.items() if value}
    return {"type": kind.value, "timestamp": at, "details": known}


def _lines(change: Change) -> str | None:
    """The ranges of lines, neighbours joined, as `3-7,12`; an ellipsis if there are more."""
    joined: list[tuple[int, int]] = []
    for first, last in change.lines:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    ranges = [f"{first}-{last}" if last > first else str(first) for first, last in joined[:MAX_RANGES]]
    return ",".join(ranges + ["…"] * (len(joined) > MAX_RANGES)) or None


def _actions_summary(change: Change) -> str | None:
    """The old name of a renamed file, and the functions and classes that were changed."""
    parts = [f"renamed from {path_of(change.before)}"] if change.before else []
    parts += ["submodule"] if change.submodule else []
    names = dict.fromkeys(name for line in change.inside if (name := _name(line)))
    parts += [f"in {', '.join(list(names)[:_MAX_NAMES])}"] if names else []
    return "; ".join(parts) or None


def _name(line: str) -> str | None:
    """The name of the function or class that a line declares."""
    calls = [found for found in _CALLED.finditer(line) if found[1] not in _KEYWORDS]
    declared = _DECLARED.search(line)
    # `class Gate(Base)` declares a class; `int open(class Gate *gate)` only uses one.
    if declared and (not calls or declared.start() < calls[0].start()):
        calls = [declared]
    found = calls[0] if calls else _TYPED.search(line)
    return found[1].rstrip(":.") if found else None
