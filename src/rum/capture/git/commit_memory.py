"""Create a memory from a commit: goal and context from the message, actions and outcome from the changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from rum.capture.git.history import Revert
from rum.capture.git.ids import author_name
from rum.capture.git.message import Message
from rum.capture.git.pull_requests import PullRequest
from rum.capture.git.revert_words import Extent
from rum.capture.git.work_kind import folders, work_kind
from rum.model.memory import SHORT_SHA, RevertLink
from rum.model.memory_layers import ActionType, Outcome, TaskType
from rum.repo.history import Change, Commit
from rum.store.derived import RENAMED_TO
from rum.text.lexicon import word_set
from rum.text.shorten import without_invisible

_DEFAULT_IMPORTANCE = 0.3
HIGH_IMPORTANCE = 0.5  # Of a commit that was reverted, reverts another, or fixes a vulnerability
_MAX_TAGS = 6
_MAX_AUTHOR = 40  # Characters of the author's name in a summary


def commit_fields(
    commit: Commit,
    message: Message,
    changes: Sequence[Change],
    revert: Revert | None,
    *,
    is_revert: bool,
    request: PullRequest | None = None,
) -> dict[str, Any]:
    """The fields of a commit's memory, in the form that `store` accepts."""
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
            "context": "\n\n".join(
                filter(None, (message.body, request and request.paragraph(message.subject)))
            ),
        },
        "outcome": {**outcome, **failure_fields(revert)} if revert else outcome,
        "actions": actions_of(kept, commit.authored_at),
        "tags": list(dict.fromkeys([*tags, *folders(paths)]))[:_MAX_TAGS],
        "importance": HIGH_IMPORTANCE if is_important else _DEFAULT_IMPORTANCE,
    }


def failure_fields(revert: Revert) -> dict[str, Any]:
    """The fields of the outcome of work that was reverted; if only in part, it did not fail."""
    if revert.extent is Extent.PARTLY:
        return {}
    return {"success": False, "failure_reason": revert.reason, "failure_category": revert.category.value}


def revert_link(revert: Revert) -> RevertLink:
    """The link from a memory to the commit that reverted its work."""
    in_part = revert.extent is not Extent.WHOLE
    return RevertLink(revert.by.memory_id, revert.by.sha, in_part=in_part, reason=revert.reason)


def failed_because_of(outcome: Outcome, revert: RevertLink) -> bool:
    """Whether the outcome is the failure that this revert recorded, not edited since."""
    return not outcome.success and outcome.failure_reason == revert.reason


def without_failure(outcome: Outcome) -> Outcome:
    """The outcome after the revert itself was reverted: a success again."""
    return replace(outcome, success=True, failure_reason=None, failure_category=None)


def _goal(changes: Sequence[Change]) -> str:
    """The goal of a commit without a message, from its files."""
    if not changes:
        return "Commit without a message"
    verb = {"A": "Add", "D": "Delete", "R": "Rename"}.get(changes[0].status, "Change")
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{verb} {display_path(changes[0].path)}{more}"


def _summary(commit: Commit, message: Message, changes: Sequence[Change], kept: int) -> str:
    """The commit's id and author, the size of its change, and the issues it closed."""
    size = display_path(changes[0].path) if len(changes) == 1 else f"{len(changes)} files"
    parts = [size if changes else "no file changed"]
    if any(change.added or change.removed for change in changes):
        parts += [f"+{sum(one.added for one in changes)} -{sum(one.removed for one in changes)}"]
    if kept < len(changes):
        parts += [f"the {kept} largest kept here"]
    closes = f"; closes {', '.join(f'#{number}' for number in message.closes)}" if message.closes else ""
    author = author_name(commit.author).replace(": ", " ")[:_MAX_AUTHOR]
    return f"{commit.sha[:SHORT_SHA]} by {author}: {', '.join(parts)}{closes}"


MAX_FILES = 100  # Maximum files in a commit's memory; those with the most changed lines are kept
MAX_RANGES = 12
_MAX_NAMES = 5

_TYPES = {"A": ActionType.FILE_CREATE, "D": ActionType.FILE_DELETE, "R": ActionType.FILE_CREATE}
_CONTROL_CHARS = re.compile(r"[\x00-\x1f\x7f]")
_NAME = r"[A-Za-z_$][\w$.:]{1,59}"
_DECLARATION = re.compile(
    rf"\b(?:class|interface|trait|impl|module|namespace|fn|def|func|function|sub|proc)\s+(?:\([^)]{{0,60}}\)\s*)?({_NAME})"
)
_TYPE_NAME = re.compile(rf"\b(?:struct|enum|union|type)\s+({_NAME})")
_NAME_BEFORE_PAREN = re.compile(r"([A-Za-z_$][\w$.:~]{1,59})\s*\(")
# Words before a parenthesis that are not function names.
_KEYWORDS = word_set("if for while switch return catch elif else func function sizeof defined test")


def largest(changes: Sequence[Change]) -> list[Change]:
    """The largest changes, at most `MAX_FILES`, in the order of their paths."""
    if len(changes) <= MAX_FILES:
        return list(changes)
    ranked = sorted(changes, key=lambda change: (-change.added - change.removed, change.path))
    return sorted(ranked[:MAX_FILES], key=lambda change: change.path)


def actions_of(changes: Iterable[Change], at: int) -> list[dict[str, Any]]:
    """The actions of a memory: one per file, two for a renamed file."""
    actions: list[dict[str, Any]] = []
    for change in changes:
        kind = _TYPES.get(change.status, ActionType.FILE_EDIT)
        details = {"lines_affected": _lines(change), "diff_summary": _diff_summary(change)}
        known = {name: value for name, value in details.items() if value}
        actions.append(_action(kind, change.path, at, **known))
        if change.old_path:
            summary = f"{RENAMED_TO}{display_path(change.path)}"
            actions.append(_action(ActionType.FILE_DELETE, change.old_path, at, diff_summary=summary))
    return actions


def display_path(path: str) -> str:
    """A path as stored in memories: with forward slashes, and control characters replaced."""
    return _CONTROL_CHARS.sub("\ufffd", without_invisible(path.replace("\n", "\ufffd"))).replace("\\", "/")


def _action(kind: ActionType, path: str, at: int, **details: str) -> dict[str, Any]:
    return {"type": kind.value, "timestamp": at, "details": {"file_path": display_path(path), **details}}


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


def _diff_summary(change: Change) -> str | None:
    """The old name of a renamed file, and the functions and classes that were changed."""
    parts = [f"renamed from {display_path(change.old_path)}"] if change.old_path else []
    parts += ["submodule"] if change.submodule else []
    names = dict.fromkeys(name for line in change.hunk_contexts if (name := _declared_name(line)))
    parts += [f"in {', '.join(list(names)[:_MAX_NAMES])}"] if names else []
    return "; ".join(parts) or None


def _declared_name(line: str) -> str | None:
    """The name of the function or class that a line declares."""
    calls = [found for found in _NAME_BEFORE_PAREN.finditer(line) if found[1] not in _KEYWORDS]
    declared = _DECLARATION.search(line)
    # `class Gate(Base)` declares a class; `int open(class Gate *gate)` only uses one.
    if declared and (not calls or declared.start() < calls[0].start()):
        calls = [declared]
    found = calls[0] if calls else _TYPE_NAME.search(line)
    return found[1].rstrip(":.") if found else None
