"""The record of a run, step by step; its verdict; and the memory and the two events created from it."""

from __future__ import annotations

import os
import traceback
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import rum
from rum.app.calls import PREFIX
from rum.model.errors import InvalidQuery, RumError
from rum.model.journal import DiscoveryType
from rum.model.memory import PARTIAL, UNVERIFIED
from rum.model.memory_layers import ActionType, FailureCategory
from rum.model.runs import InferredVerdict, Result, RunRequest, Step, Verdict
from rum.text.shorten import one_line
from rum.text.terms import content_words

Json = dict[str, Any]
MAX_FIELD_LENGTH = 2000  # Characters of one discovery, reason or output
NOTHING_DONE = "Ended without an error"
NO_REASON = "It did not work"
ATTEMPT = "attempt"  # The tag of a failed attempt within a run
MAX_STEPS = 200  # In a memory; of more steps, the first and the last half of this number
OUTCOME_UNKNOWN = "(outcome unknown)"
_HOW = {Result.FAILURE: "failed", Result.PARTIAL: "was done in part"}
_EVENT_WORDS = {Result.SUCCESS: "completed", Result.PARTIAL: "ended in part", Result.FAILURE: "failed"}
_MAX_PROMPT_PART_LENGTH = 200  # Characters of each part of the prompt in the event of its start
_MAX_EVENT_LENGTH = 500  # Characters of an event or of a problem
# The first class that matches gives the category; the last is for exits with an error.
CATEGORIES: tuple[tuple[type[BaseException], FailureCategory], ...] = (
    (ImportError, FailureCategory.MISSING_DEPENDENCY),
    (AssertionError, FailureCategory.TEST_FAILURE),
    (SyntaxError, FailureCategory.BUILD_FAILURE),
    (TypeError, FailureCategory.TYPE_ERROR),
    (AttributeError, FailureCategory.TYPE_ERROR),
    (Exception, FailureCategory.RUNTIME_ERROR),
    (BaseException, FailureCategory.OTHER),
)
_MAX_SUMMARY_LENGTH = 200  # Characters of the summary of an exception
_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(rum.__file__)), "")  # The folder of RUM's own code
_STANDARD_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")


class Child(NamedTuple):
    """A finished child run, and its memory if it could be stored."""

    agent: str
    task: str
    verdict: Verdict
    memory_id: str | None


class Record:
    """The parts of a run that its memory is created from."""

    def __init__(self, run: RunRequest, files: Iterable[str]) -> None:
        self.run = run
        self.files = list(dict.fromkeys(files))
        self.steps: list[Json] = []
        self.discoveries: list[Json] = []
        self.decisions: list[Json] = []
        self.attempts: list[Json] = []
        """The entries of the attempts, filled in at the end."""
        self.children: list[Child] = []
        """The finished child runs."""

    def step(self, at: int, step: Step) -> Json:
        """Record a step as an action, in the form that `store` takes."""
        named = {"file_path": step.file, "command": step.command}
        touched = {name: one for name, one in named.items() if one is not None}
        default = ActionType.EXTERNAL_QUERY if step.command is None else ActionType.COMMAND_RUN
        default = default if step.file is None else ActionType.FILE_EDIT
        action: Json = {"type": step.action or default, "timestamp": at, **touched}
        action["diff_summary" if touched else "query"] = step.description
        success = step.error is None if step.success is None else step.success
        result = {
            "output_summary": step.output and _cut(step.output),
            "error": step.error and _cut(step.error),
        }
        action["result"] = {"success": success, **{name: one for name, one in result.items() if one}}
        self.steps.append(action)
        if step.file is not None and step.file not in self.files:
            self.files.append(step.file)
        return action

    def default_summary(self) -> str:
        """The summary if the run has none: the last decision, discovery or step."""
        decided = [one["description"] for one in self.decisions[-1:]]
        found = [one["content"] for one in self.discoveries[-1:]]
        done = [one.get("diff_summary") or one.get("query") for one in self.steps[-1:]]
        return _cut(next(iter((*decided, *found, *done)), "")) or NOTHING_DONE

    def failed_attempts(self, verdict: Verdict) -> Iterator[Json]:
        """The failed attempts, each as a small memory that warns of it.

        None for a failed run: its own memory is the warning.
        """
        if verdict.result is Result.FAILURE:
            return
        for attempt in self._failed:
            why = _cut(_why(attempt) or NO_REASON)
            learned = _cut(attempt.get("lessons") or "")
            files = [str(one["path"]) for one in attempt.get("artifacts") or ()] or self.files
            yield {
                "intent": {
                    "goal": _cut(attempt["description"]),
                    "task_type": self.run.task_type,
                    "context": f"Tried for: {_cut(self.run.task)}",
                },
                "perception": {"relevant_files": [{"path": path} for path in files]},
                "reasoning": {"approach_chosen": attempt.get("approach") or ""},
                "outcome": {
                    "success": False,
                    "summary": why,
                    "failure_reason": why,
                    "learnings": [learned] if learned and learned != why else [],
                },
                "tags": [*self.run.tags, ATTEMPT],
            }

    @property
    def _failed(self) -> list[Json]:
        return [one for one in self.attempts if one.get("result") == Result.FAILURE]

    def draft(self, verdict: Verdict, failed_attempts: Iterable[str] = ()) -> Json:
        """The memory, in the form that `store` takes; `failed_attempts` are the ids of their memories."""
        marks = {PARTIAL: verdict.result is Result.PARTIAL, UNVERIFIED: isinstance(verdict, InferredVerdict)}
        outcome = {
            "success": verdict.result is Result.SUCCESS,
            "summary": verdict.summary,
            "learnings": verdict.learnings,
            "follow_up_needed": verdict.follow_ups,
            "failure_reason": verdict.reason and _cut(verdict.reason),
            "failure_category": verdict.category,
            "verified_by": verdict.verified_by,
        }
        steps = self.steps
        if len(steps) > MAX_STEPS:
            steps = [*steps[: MAX_STEPS // 2], *steps[-MAX_STEPS // 2 :]]
        draft: Json = {
            "intent": {"goal": self.run.task, "task_type": self.run.task_type, "context": self.run.plan},
            "perception": self._perception(),
            "reasoning": self._reasoning(),
            "actions": steps,
            "outcome": {name: one for name, one in outcome.items() if one is not None},
            "tags": [*self.run.tags, *(mark for mark, holds in marks.items() if holds)],
        }
        if causes := [*(one.memory_id for one in self.children if one.memory_id), *failed_attempts]:
            draft["links"] = {"caused_by": causes}
        return draft

    def full_text(self, verdict: Verdict) -> str:
        """All texts of the agent for extraction, without texts that RUM added."""
        summary = "" if isinstance(verdict, InferredVerdict) else verdict.summary
        parts = [verdict.output, summary, *verdict.learnings]
        parts += [str(one["content"]) for one in self.discoveries]
        parts += [_decision_text(one["description"], one.get("reasoning") or "") for one in self.decisions]
        parts += [str(one["lessons"]) for one in self.attempts if one.get("lessons")]
        return "\n\n".join(dict.fromkeys(part.strip() for part in parts if part.strip()))

    def _perception(self) -> Json:
        found: dict[str, list[Json]] = {}
        named: list[str] = []
        for one in self.discoveries:
            # Values that cannot be a path are left out.
            related = cast("list[str]", one.get("relatedFiles") or [])
            paths = [path for path in related if path.strip() and path.isprintable()]
            named += paths
            kind = str(one["type"])
            significance = ", ".join(filter(None, (kind.replace("_", " "), one.get("importance"))))
            seen = {
                "what": _cut(one["content"]),
                "where": next(iter(paths), ""),
                "significance": significance,
            }
            found.setdefault(kind, []).append(seen)
        patterns = found.pop(DiscoveryType.CODE_PATTERN.value, [])
        causes = found.pop(DiscoveryType.FAILURE_CAUSE.value, [])
        return {
            "observations": [one for group in found.values() for one in group],
            "patterns_noticed": [one["what"] for one in patterns],
            "anomalies": [one["what"] for one in causes],
            "relevant_files": [{"path": path} for path in dict.fromkeys((*self.files, *named))],
        }

    def _reasoning(self) -> Json:
        """The last decision; the alternatives that were rejected, and the attempts that failed."""
        chosen = self.decisions[-1] if self.decisions else {}
        approaches = [one["approach"] for one in self.attempts if one.get("approach")]
        rejected: list[Json] = []
        for one in self.decisions:
            for other in one.get("alternatives") or ():
                alternative = cast("Json", other) if isinstance(other, dict) else {"name": other}
                name, why = str(alternative.get("name")), str(alternative.get("reason") or "")
                rejected.append({"approach": name, "why_rejected": why})
        for one in self._failed:
            rejected.append({"approach": one["description"], "why_rejected": _cut(_why(one) or "")})
        return {
            "approach_chosen": chosen.get("description") or (approaches[-1] if approaches else ""),
            "why_chosen": chosen.get("reasoning") or "",
            "alternatives_considered": rejected,
        }


def _why(attempt: Json) -> str | None:
    return attempt.get("error") or attempt.get("output") or attempt.get("lessons")


def _decision_text(what: str, why: str) -> str:
    """A decision with its reason, as one sentence; without a reason unchanged."""
    first, _, rest = why.strip().partition(" ")
    if not first:
        return what
    plain = first if first == "I" or content_words(first) else first.lower()
    return f"Decision: {what.rstrip(' .')}, because {plain} {rest}"


def _cut(text: object) -> str:
    return one_line(str(text), MAX_FIELD_LENGTH)


def infer_verdict(record: Record) -> InferredVerdict:
    """The verdict of a run that gave none and ended without an error: success, or partial after problems.

    It is unverified; the summary and a tag say so.
    """
    problems = list(_problems(record))
    if not problems:
        return InferredVerdict(result=Result.SUCCESS, summary=f"{record.default_summary()} {OUTCOME_UNKNOWN}")
    texts = [one_line(text, _MAX_EVENT_LENGTH) for text, _ in problems]
    return InferredVerdict(
        result=Result.PARTIAL,
        summary=f"{texts[0]} {OUTCOME_UNKNOWN}",
        reason="; ".join(texts),
        category=next((category for _, category in problems if category), FailureCategory.OTHER),
    )


def _problems(record: Record) -> Iterator[tuple[str, FailureCategory | None]]:
    """What did not work and was not repeated with success, with its category.

    That is of the last child run of each task, of the last attempt and of the last step.
    """
    last = {(one.agent, one.task): one for one in record.children}
    for agent, task, verdict, _ in last.values():
        if verdict.result is not Result.SUCCESS:
            why = verdict.reason or verdict.summary
            yield f"Run of {agent} {_HOW[verdict.result]} ({task}): {why}", verdict.category
    for attempt in record.attempts[-1:]:
        if attempt.get("result") in (Result.FAILURE, Result.PARTIAL):
            why = attempt.get("error") or attempt.get("output") or "no reason given"
            yield f"Attempt {_HOW[Result(attempt['result'])]} ({attempt['description']}): {why}", None
    for step in record.steps[-1:]:
        if not step["result"]["success"]:
            why = step["result"].get("error") or "no reason given"
            yield f"Step failed ({step.get('diff_summary') or step.get('query')}): {why}", None


def verdict_of(error: BaseException, given: Verdict | None) -> Verdict:
    """The verdict of a run that an exception ended: a failure, unless the loop gave its own reason.

    An exception of RUM, a wrong call of RUM and an interruption are no failure of the task: then the verdict
    of the loop counts.
    """
    interruption = interruption_text(error)
    if given is not None and (interruption or given.result is not Result.SUCCESS):
        return given
    reason, where = interruption or reason_of(error), ""
    if frames := traceback.extract_tb(error.__traceback__):
        name, path, line = frames[-1].name, os.path.basename(frames[-1].filename), frames[-1].lineno
        where = f" (in {name}, {path}:{line})"
    if interruption:
        return InferredVerdict(
            result=Result.PARTIAL,
            summary=one_line(reason, _MAX_SUMMARY_LENGTH),
            reason=reason + where,
            category=FailureCategory.OTHER,
        )
    return Verdict(
        result=Result.FAILURE,
        summary=one_line(f"Stopped by {reason}", _MAX_SUMMARY_LENGTH),
        reason=reason + where,
        category=next(category for kind, category in CATEGORIES if isinstance(error, kind)),
        learnings=given.learnings if given else (),
        output=given.output if given else "",
    )


def interruption_text(error: BaseException) -> str | None:
    """The text for an exception that is not about the work; None if the work failed."""
    if is_from_rum(error):
        is_wrong_call = isinstance(error, InvalidQuery | TypeError | AttributeError)
        by = "a wrong call of RUM" if is_wrong_call else "RUM"
        return f"Broken off by {by}, not by the task: {reason_of(error)}"
    if isinstance(error, Exception | SystemExit):
        return None
    return f"Interrupted by {reason_of(error)}"


def is_from_rum(error: BaseException) -> bool:
    """Whether an exception comes from RUM, or from calling it wrongly, and not from the work."""
    if isinstance(error, RumError) or not isinstance(error, Exception):
        return isinstance(error, RumError)
    if isinstance(error, TypeError) and _message(error).startswith(PREFIX):
        return True
    if isinstance(error, AttributeError) and type(error.obj).__module__.startswith(PREFIX):
        return True
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = frame.filename
        # The standard library does not show who called it wrongly.
        if "site-packages" in path or not path.startswith(("<frozen ", _STANDARD_LIBRARY)):
            return path.startswith(_PACKAGE)
    return False


def is_failure(error: BaseException) -> bool:
    """Whether an exception means a failure; `sys.exit(0)` does not."""
    return not (isinstance(error, SystemExit) and error.code in (None, 0))


def reason_of(error: BaseException) -> str:
    """The name and the message of an exception."""
    name, text = type(error).__name__, _message(error)
    return one_line(f"{name}: {text}" if text else name, MAX_FIELD_LENGTH)


def _message(error: BaseException) -> str:
    try:
        return str(error).strip()
    except Exception:  # noqa: BLE001 (any exception, whose `__str__` may fail itself)
        return ""


@contextmanager
def keep_error(error: BaseException | None) -> Generator[None]:
    """Keep the caller's exception if recording fails too; add a note about that to it."""
    try:
        yield
    except Exception as failure:
        if error is None:
            raise
        error.add_note(f"RUM could not record this: {reason_of(failure)}")


def start_event(run: RunRequest, agent_id: str | None) -> Json:
    """The event for the start of a run, with a summary of its prompt: what the agent loop puts into it."""
    shown = one_line(run.task, _MAX_EVENT_LENGTH)
    parts = {"": run.system, "Task: ": run.task, "Plan: ": run.plan}
    prompt = "\n".join(
        name + one_line(text, _MAX_PROMPT_PART_LENGTH) for name, text in parts.items() if text.strip()
    )
    about = {"agentId": agent_id, "agent": run.agent, "task": shown, "prompt": prompt}
    return {"content": f"{run.agent} started: {shown}", "metadata": about}


def end_event(start: Json, verdict: Verdict, memory_id: str | None, prompt_tokens: int) -> Json:
    """The event for the end of a run; of the prompt only its length, as the start has a summary."""
    about = {name: value for name, value in start["metadata"].items() if name != "prompt"}
    word = "ended" if isinstance(verdict, InferredVerdict) else _EVENT_WORDS[verdict.result]
    content = f"{about['agent']} {word}: {one_line(verdict.summary, _MAX_EVENT_LENGTH)}"
    more = {"result": verdict.result.value, "memoryId": memory_id, "promptTokens": prompt_tokens}
    return {"content": content, "metadata": about | more}
