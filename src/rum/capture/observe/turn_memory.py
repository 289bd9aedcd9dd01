"""Make a memory of a turn, as the fields that `store` takes, or give the reason why the turn makes none."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from rum.capture.observe.attempts import Attempt, ChangePosition, attempts_in, significant_lines
from rum.capture.observe.checks import Check, check_of
from rum.capture.observe.errors import fault_in
from rum.capture.observe.messages import context_of, goal_of, summary_of, task_type
from rum.capture.observe.steps import Step, steps_of
from rum.capture.observe.success import judge
from rum.capture.observe.turns import Turn
from rum.model.memory import PARTIAL, UNVERIFIED
from rum.model.memory_layers import ActionType, TaskType
from rum.text.shell import segments
from rum.text.shorten import shorten, shorten_start

if TYPE_CHECKING:
    from rum.capture.events.event import FileAccess

Json = dict[str, Any]

# What git prints when it has made a commit: `[main 1a2b3c4] Subject`.
_COMMIT_LINE = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
_COMMITTING = ("commit", "merge", "cherry-pick", "revert", "rebase")
_MAX_FILES, _MAX_LEARNINGS, _MAX_ANOMALIES, _MAX_ACTIONS = 40, 5, 5, 60
_MAX_COMMAND, _MAX_DIFF, _MAX_OUTPUT, _MAX_QUOTE = 500, 1500, 400, 80
# The importance of a turn with a failure, of one that a check proved, and of any other.
_IMPORTANCE_FAILED, _IMPORTANCE_PROVEN, _IMPORTANCE = 0.7, 0.5, 0.4
# An investigation is worth a memory from this many characters of last words and this many looks on.
_CONCLUSION, _LOOKS = 120, 3
_OPERATIONS = {"create": ActionType.FILE_CREATE, "delete": ActionType.FILE_DELETE}


class Commit(NamedTuple):
    """The beginning of a commit's id, and its subject."""

    sha: str
    subject: str


class TurnObservation(NamedTuple):
    """The fields of a turn's memory, or the reason why there is none."""

    fields: Json | None
    skip_reason: str = ""
    commit: str | None = None
    stored: tuple[str, ...] = ()  # Memories that the agent stored itself


def observe_turn(turn: Turn) -> TurnObservation:
    """Return the memory that a turn makes, or why it makes none."""
    # A turn with an event that could not be cleaned is incomplete, and its memory would be wrong.
    if any(event.get("withheld") == "unredacted" for event in turn.events):
        return TurnObservation(None, "withheld")
    steps = steps_of(turn.events)
    stored = tuple(step.memories[0] for step in steps if _is_store_call(step) and step.memories)
    checks = [check_of(step) for step in steps]
    if skip_reason := _triviality(turn, steps, checks, stored):
        return TurnObservation(None, skip_reason, stored=stored)
    commits = _commits_in(steps)
    fields = _TurnReader(turn, steps, checks).memory_fields(commits)
    return TurnObservation(fields, commit=commits[-1].sha if commits else None, stored=stored)


def _is_store_call(step: Step) -> bool:
    """Whether a step is a call of RUM's own `store` that made a memory."""
    if step.tool != "rum" or step.failed:
        return False
    calls = (words for words in segments(step.command) if words[0] == "rum")
    return step.name.endswith("_store") or any(_subcommand(words) == "store" for words in calls)


def _subcommand(words: list[str]) -> str:
    """The first word after `rum` that is neither an option nor the value of one."""
    values = [word for before, word in pairwise(words) if before in ("--project", "--agent")]
    return next((word for word in words[1:] if not word.startswith("-") and word not in values), "")


def _triviality(
    turn: Turn, steps: Sequence[Step], checks: Sequence[Check | None], stored: tuple[str, ...]
) -> str:
    """Why a turn is not worth a memory; empty if it is worth one."""
    work = [step for step in steps if step.tool != "rum"]
    if not work:
        return "" if stored else "nothing done"
    if any(checks) or any(not step.only_looks for step in work):
        return ""
    # A subagent looks more than once on behalf of its caller.
    looks = len(work) + sum(step.tool == "agent" for step in work) * _LOOKS
    has_conclusion = len(turn.last_words.strip()) >= _CONCLUSION and turn.is_finished
    if stored or (looks >= _LOOKS and has_conclusion and turn.prompt):
        return ""
    return "only looked around"


def _commits_in(steps: Iterable[Step]) -> list[Commit]:
    return [
        Commit(sha, subject.strip())
        for step in steps
        if step.tool == "run" and not step.failed and any(map(_is_committing, segments(step.command)))
        for sha, subject in _COMMIT_LINE.findall(step.output)
    ]


def _is_committing(words: list[str]) -> bool:
    # Options such as `-C folder` or `-c name=value` may precede the subcommand.
    return words[0] == "git" and any(word in _COMMITTING for word in words[1:6])


class _TurnReader:
    """A turn with its verdict and its failed attempts, read into the fields of a memory."""

    def __init__(self, turn: Turn, steps: list[Step], checks: list[Check | None]) -> None:
        self.turn = turn
        self.steps = steps
        self.checks = checks
        self.verdict = judge(turn, steps, checks)
        self.attempts = attempts_in(steps, checks)
        self._failed = {attempt.position: attempt for attempt in self.attempts}

    def memory_fields(self, commits: Sequence[Commit]) -> Json:
        turn, verdict = self.turn, self.verdict
        changed = self._changed_paths()
        goal = goal_of(turn.prompt, turn.earlier) or f"Work on {', '.join(changed[:3]) or 'the project'}"
        task = task_type(turn.prompt, turn.earlier)
        # A request to change something that changed nothing was an investigation.
        if not changed and task not in (TaskType.INVESTIGATION, TaskType.CONFIGURATION):
            task = TaskType.INVESTIGATION if task is None or not self._did_something() else task
        had_failure = bool(self.attempts) or not verdict.success
        importance = _IMPORTANCE_PROVEN if verdict.proof else _IMPORTANCE
        return {
            "intent": {"goal": goal, "task_type": task or TaskType.OTHER, "context": context_of(turn.prompt)},
            "perception": self._perception(commits),
            "actions": self._actions(),
            "outcome": self._outcome(changed),
            "tags": self._tags(changed),
            "importance": _IMPORTANCE_FAILED if had_failure else importance,
        }

    def _tags(self, changed: list[str]) -> list[str]:
        """Unverified: only the agent's own words say that a change is right."""
        verdict = self.verdict
        unproven = verdict.success and bool(changed) and verdict.proof is None
        return [PARTIAL] * verdict.partial + [UNVERIFIED] * (verdict.partial or unproven)

    def _did_something(self) -> bool:
        return any(not step.only_looks for step in self.steps if step.tool != "rum")

    def _changed_paths(self) -> list[str]:
        paths = (file["path"] for step in self.steps if not step.failed for file in step.changes)
        return list(dict.fromkeys(paths))

    def _perception(self, commits: Sequence[Commit]) -> Json:
        read: dict[str, list[str]] = {}
        for step in self.steps:
            for file in step.files if not step.failed else ():
                if file["operation"] == "read":
                    read.setdefault(file["path"], []).append(file.get("lines", ""))
        faults = (fault for step in self.steps if step.failed and (fault := fault_in(step.output)))
        anomalies = {fault.fingerprint: fault.line for fault in faults}
        return {
            "observations": [
                {"what": f"Committed {one.sha}: {one.subject}", "significance": "commit"} for one in commits
            ],
            "relevant_files": [
                {"path": path, "relevance": _read_lines(spans)}
                for path, spans in list(read.items())[:_MAX_FILES]
            ],
            "anomalies": list(anomalies.values())[:_MAX_ANOMALIES],
        }

    def _actions(self) -> list[Json]:
        found: list[tuple[bool, Json]] = []
        for at, (step, check) in enumerate(zip(self.steps, self.checks, strict=True)):
            for which, file in enumerate(step.changes):
                found.append((True, _edit_action(step, file, self._failed.get(ChangePosition(at, which)))))
            if step.tool == "run" and (check or not step.only_looks or step.failed):
                found.append((check is not None, _command_action(step, check)))
            elif step.tool == "search" and step.text:
                found.append((False, _query_action(ActionType.SEARCH, step)))
            elif step.tool == "agent" and step.text:
                found.append((False, _query_action(ActionType.EXTERNAL_QUERY, step)))
        return _limit_actions(found)

    def _outcome(self, changed: list[str]) -> Json:
        verdict, proof = self.verdict, self.verdict.proof
        outcome: Json = {
            "success": verdict.success,
            "summary": summary_of(self.turn.last_words) or self._summary(changed),
            "learnings": self._learnings(),
        }
        if verdict.reason is not None:
            outcome["failure_reason"] = verdict.reason
        if verdict.category is not None:
            outcome["failure_category"] = verdict.category
        if proof is not None:
            outcome["verified_by"] = {
                "type": proof.kind,
                "command": proof.command[:_MAX_COMMAND],
                "result": proof.result,
            }
        return outcome

    def _summary(self, changed: list[str]) -> str:
        names = [_file_name(path) for path in changed]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        parts = [f"Changed {', '.join(names[:5])}{more}" if changed else "Nothing was changed"]
        if proof := self.verdict.proof:
            parts.append(f"{proof.command[:_MAX_QUOTE]}: {proof.result}")
        elif self.verdict.reason:
            parts.append(self.verdict.reason)
        return "; ".join(parts)

    def _learnings(self) -> list[str]:
        """What failed and what worked instead."""
        learnings: list[str] = []
        for attempt in self.attempts:
            file = self._file(attempt.position)
            learning = f"{_file_name(file['path'])}: {_quote_change(file)} failed ({attempt.fault.line})"
            if attempt.instead and attempt.instead not in self._failed:
                learning += f"; replaced by {_quote_change(self._file(attempt.instead))}"
                if self.verdict.success and self.verdict.proof:
                    learning += f", and {self.verdict.proof.command[:_MAX_QUOTE]} passed"
            learnings.append(learning)
        return list(dict.fromkeys(learnings))[:_MAX_LEARNINGS]

    def _file(self, position: ChangePosition) -> FileAccess:
        return self.steps[position.step].changes[position.file]


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _quote_change(file: FileAccess) -> str:
    """The first line that a change adds, quoted; of a change that only removes, the first one it removes."""
    old = significant_lines(file.get("removed", ""))
    new = [line.strip() for line in file.get("added", "").splitlines()]
    fresh = [line for line in new if line in significant_lines(line) and line not in old] or new
    if first := next(filter(None, fresh), ""):
        return f"`{first[:_MAX_QUOTE]}`"
    gone = next((line.strip() for line in file.get("removed", "").splitlines() if line.strip()), "")
    return f"removing `{gone[:_MAX_QUOTE]}`" if gone else "the change"


def _read_lines(spans: list[str]) -> str:
    named = list(dict.fromkeys(span for span in spans if span))
    return f"read lines {', '.join(named[:5])}" if named else "read"


def _edit_action(step: Step, file: FileAccess, attempt: Attempt | None) -> Json:
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


def _diff_of(file: FileAccess) -> str:
    """The lines removed and added, with - or + in front, without those that are in both."""
    old = [f"-{line}" for line in file.get("removed", "").splitlines()]
    new = [f"+{line}" for line in file.get("added", "").splitlines()]
    both = {line[1:] for line in old} & {line[1:] for line in new}
    text = "\n".join(line for line in (*old, *new) if line[1:] not in both)
    return shorten(text, _MAX_DIFF)


def _diff_hash(file: FileAccess) -> str:
    """Equal for the same new lines in any order and indentation."""
    new = significant_lines(file.get("added", "")) - significant_lines(file.get("removed", ""))
    return hashlib.sha256("\n".join(sorted(new)).encode("utf-8", "replace")).hexdigest()[:16]


def _command_action(step: Step, check: Check | None) -> Json:
    action: Json = {
        "type": ActionType.COMMAND_RUN,
        "timestamp": int(step.at),
        "command": step.command[:_MAX_COMMAND],
    }
    # A check's output counts more than the exit code, which a pipe may hide.
    failed = step.failed if check is None or check.passed is None else not check.passed
    if failed is None:
        return action
    result: Json = {"success": not failed}
    if failed:
        fault = (check.fault if check else None) or fault_in(step.output)
        code = f"exit code {step.exit}" if step.exit is not None else "failed"
        result["error"] = fault.line if fault else _one_line(step.output) or code
    if output := (check.result if check else _one_line(step.output)):
        result["output_summary"] = output
    action["result"] = result
    return action


def _query_action(kind: ActionType, step: Step) -> Json:
    """A search, or a task given to another agent."""
    action: Json = {"type": kind, "timestamp": int(step.at), "query": _one_line(step.text, keep_end=False)}
    if step.output and kind is ActionType.EXTERNAL_QUERY:
        action["result"] = {
            "success": not step.failed,
            "output_summary": _one_line(step.output, keep_end=False),
        }
    return action


def _limit_actions(actions: list[tuple[bool, Json]]) -> list[Json]:
    """The actions in their order; of too many, first those marked False are dropped, then the middle ones."""
    if len(actions) > _MAX_ACTIONS:
        actions = [one for one in actions if one[0] or _is_failure(one[1])]
    found = [action for _, action in actions]
    if len(found) > _MAX_ACTIONS:
        failed = [action for action in found if _is_failure(action)][: _MAX_ACTIONS // 2]
        rest = _MAX_ACTIONS - len(failed)
        kept = {id(action) for action in (*failed, *found[: rest // 2], *found[-(rest - rest // 2) :])}
        found = [action for action in found if id(action) in kept]
    return found


def _is_failure(action: Json) -> bool:
    result: Json = action.get("result") or {}
    return result.get("success") is False


def _one_line(text: str, *, keep_end: bool = True) -> str:
    line = " ".join(text.split())
    return shorten_start(line, _MAX_OUTPUT) if keep_end else shorten(line, _MAX_OUTPUT)
