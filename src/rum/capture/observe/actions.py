"""What was done, as the actions of a memory tell it: changes, commands, questions."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from rum.capture.observe.attempts import lines
from rum.capture.observe.errors import fault_in
from rum.model.memory_layers import ActionType
from rum.text.shorten import shorten, shorten_start

if TYPE_CHECKING:
    from rum.capture.events.event import Touched
    from rum.capture.observe.attempts import Attempt
    from rum.capture.observe.checks import Check
    from rum.capture.observe.steps import Step

Json = dict[str, Any]
_MOST = 60
"""Actions of one memory."""
LONGEST_COMMAND = 500
_DIFF, _OUTPUT = 1500, 400
_OPERATIONS = {"create": ActionType.FILE_CREATE, "delete": ActionType.FILE_DELETE}


def edit_of(step: Step, file: Touched, attempt: Attempt | None) -> Json:
    """One change, and how it went."""
    action: Json = {
        "type": _OPERATIONS.get(file["operation"], ActionType.FILE_EDIT),
        "timestamp": int(step.at),
        "file_path": file["path"],
        "diff_summary": _diff_of(file) or None,
        "lines_affected": file.get("lines"),
    }
    if file.get("added"):
        action["diff_hash"] = _diff_hash(file)
    if attempt is not None:
        action["result"] = {"success": False, "error": attempt.fault.line}
    elif step.failed:
        fault = fault_in(step.output)
        action["result"] = {"success": False, "error": fault.line if fault else _one_line(step.output)}
    else:
        action["result"] = {"success": True}
    return action


def _diff_of(file: Touched) -> str:
    """What was taken out and put in, a line each with - or + in front."""
    old = [f"-{line}" for line in file.get("removed", "").splitlines()]
    new = [f"+{line}" for line in file.get("added", "").splitlines()]
    both = {line[1:] for line in old} & {line[1:] for line in new}
    text = "\n".join(line for line in (*old, *new) if line[1:] not in both)
    return shorten(text, _DIFF)


def _diff_hash(file: Touched) -> str:
    """The same for the same new lines, whatever their order and indentation."""
    new = lines(file.get("added", "")) - lines(file.get("removed", ""))
    return hashlib.sha256("\n".join(sorted(new)).encode("utf-8", "replace")).hexdigest()[:16]


def command_of(step: Step, check: Check | None) -> Json:
    """One command, and how it went, as far as its output tells."""
    action: Json = {
        "type": ActionType.COMMAND_RUN,
        "timestamp": int(step.at),
        "command": step.command[:LONGEST_COMMAND],
    }
    failed = step.failed if check is None or check.passed is None else not check.passed
    if failed is None:
        return action
    result: Json = {"success": not failed}
    if failed:
        fault = (check.fault if check else None) or fault_in(step.output)
        code = f"exit code {step.exit}" if step.exit is not None else "failed"
        result["error"] = fault.line if fault else _one_line(step.output) or code
    if told := (check.told if check else _one_line(step.output)):
        result["output_summary"] = told
    action["result"] = result
    return action


def query_of(kind: ActionType, step: Step) -> Json:
    """What was asked, of files or of another agent."""
    action: Json = {"type": kind, "timestamp": int(step.at), "query": _one_line(step.text, keep_end=False)}
    if step.output and kind is ActionType.EXTERNAL_QUERY:
        action["result"] = {
            "success": not step.failed,
            "output_summary": _one_line(step.output, keep_end=False),
        }
    return action


def shortened(found: list[tuple[bool, Json]]) -> list[Json]:
    """The actions in their order; of too many, those that tell least go, then those in the middle."""
    telling = found
    if len(found) > _MOST:
        telling = [one for one in found if one[0] or _is_failure(one[1])]
    actions = [action for _, action in telling]
    if len(actions) > _MOST:
        failed = [action for action in actions if _is_failure(action)][: _MOST // 2]
        rest = _MOST - len(failed)
        kept = {id(action) for action in (*failed, *actions[: rest // 2], *actions[-(rest - rest // 2) :])}
        actions = [action for action in actions if id(action) in kept]
    return actions


def _is_failure(action: Json) -> bool:
    result: Json = action.get("result") or {}
    return result.get("success") is False


def _one_line(text: str, *, keep_end: bool = True) -> str:
    line = " ".join(text.split())
    return shorten_start(line, _OUTPUT) if keep_end else shorten(line, _OUTPUT)
