"""The record of a run, step by step, and the memory and the two events created from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

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
_MAX_EVENT_LENGTH = 500  # Characters of an event or of a problem


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
        action: Json = {"type": step.action or _default_action(step), "timestamp": at, **touched}
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

    def failed_attempts(self, verdict: Verdict) -> list[Json]:
        """The failed attempts, each as a small memory that warns of it.

        Empty for a failed run: its own memory is the warning.
        """
        if verdict.result is Result.FAILURE:
            return []
        return [self._attempt_memory(one) for one in self.attempts if one.get("result") == Result.FAILURE]

    def _attempt_memory(self, attempt: Json) -> Json:
        why = _cut(attempt.get("error") or attempt.get("output") or attempt.get("lessons") or NO_REASON)
        files = [str(one["path"]) for one in attempt.get("artifacts") or ()] or self.files
        learned = [_cut(attempt["lessons"])] if attempt.get("lessons") else []
        return {
            "intent": {
                "goal": one_line(attempt["description"], MAX_FIELD_LENGTH),
                "task_type": self.run.task_type,
                "context": f"Tried for: {one_line(self.run.task, MAX_FIELD_LENGTH)}",
            },
            "perception": {"relevant_files": [{"path": path} for path in files]},
            "reasoning": {"approach_chosen": attempt.get("approach") or ""},
            "outcome": {
                "success": False,
                "summary": why,
                "failure_reason": why,
                "learnings": [one for one in learned if one != why],
            },
            "tags": [*self.run.tags, ATTEMPT],
        }

    def draft(self, verdict: Verdict, failed_attempts: Iterable[str] = ()) -> Json:
        """The memory, in the form that `store` takes; `failed_attempts` are the ids of their memories."""
        marks = {PARTIAL: verdict.result is Result.PARTIAL, UNVERIFIED: isinstance(verdict, InferredVerdict)}
        draft: Json = {
            "intent": {"goal": self.run.task, "task_type": self.run.task_type, "context": self.run.plan},
            "perception": self._perception(),
            "reasoning": self._reasoning(),
            "actions": self._shown_steps(),
            "outcome": _outcome(verdict),
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

    def _shown_steps(self) -> list[Json]:
        if len(self.steps) <= MAX_STEPS:
            return self.steps
        return [*self.steps[: MAX_STEPS // 2], *self.steps[-MAX_STEPS // 2 :]]

    def _perception(self) -> Json:
        by_type: dict[str, list[Json]] = {}
        for one in self.discoveries:
            by_type.setdefault(str(one["type"]), []).append(one)
        patterns = by_type.pop(DiscoveryType.CODE_PATTERN.value, [])
        causes = by_type.pop(DiscoveryType.FAILURE_CAUSE.value, [])
        named = [path for one in self.discoveries for path in _paths(one)]
        return {
            "observations": [_observation(one) for found in by_type.values() for one in found],
            "patterns_noticed": [_cut(one["content"]) for one in patterns],
            "anomalies": [_cut(one["content"]) for one in causes],
            "relevant_files": [{"path": path} for path in dict.fromkeys((*self.files, *named))],
        }

    def _reasoning(self) -> Json:
        chosen = self.decisions[-1] if self.decisions else {}
        approaches = [one["approach"] for one in self.attempts if one.get("approach")]
        return {
            "approach_chosen": chosen.get("description") or (approaches[-1] if approaches else ""),
            "why_chosen": chosen.get("reasoning") or "",
            "alternatives_considered": list(self._rejected_approaches()),
        }

    def _rejected_approaches(self) -> Iterator[Json]:
        """Alternatives that were rejected, and failed attempts."""
        for one in self.decisions:
            for other in one.get("alternatives") or ():
                alternative = cast("Json", other) if isinstance(other, dict) else {"name": other}
                yield {
                    "approach": str(alternative.get("name")),
                    "why_rejected": str(alternative.get("reason") or ""),
                }
        for one in self.attempts:
            if one.get("result") == Result.FAILURE:
                why = one.get("error") or one.get("output") or one.get("lessons") or ""
                yield {"approach": one["description"], "why_rejected": _cut(why)}


def _decision_text(what: str, why: str) -> str:
    """A decision with its reason, as one sentence; without a reason unchanged."""
    first, _, rest = why.strip().partition(" ")
    if not first:
        return what
    plain = first if first == "I" or content_words(first) else first.lower()
    return f"Decision: {what.rstrip(' .')}, because {plain} {rest}"


def _default_action(step: Step) -> ActionType:
    if step.file is not None:
        return ActionType.FILE_EDIT
    return ActionType.EXTERNAL_QUERY if step.command is None else ActionType.COMMAND_RUN


def _observation(discovery: Json) -> Json:
    files = _paths(discovery)
    kind = str(discovery["type"]).replace("_", " ")
    importance = discovery.get("importance")
    return {
        "what": _cut(discovery["content"]),
        "where": files[0] if files else "",
        "significance": f"{kind}, {importance}" if importance else kind,
    }


def _paths(discovery: Json) -> list[str]:
    """The related files, without values that cannot be a path."""
    named = cast("list[str]", discovery.get("relatedFiles") or [])
    return [path for path in named if path.strip() and path.isprintable()]


def _outcome(verdict: Verdict) -> Json:
    outcome: Json = {
        "success": verdict.result is Result.SUCCESS,
        "summary": verdict.summary,
        "learnings": verdict.learnings,
        "follow_up_needed": verdict.follow_ups,
    }
    optional = {
        "failure_reason": verdict.reason and _cut(verdict.reason),
        "failure_category": verdict.category,
        "verified_by": verdict.verified_by,
    }
    return outcome | {name: one for name, one in optional.items() if one is not None}


def _cut(text: object) -> str:
    return one_line(str(text), MAX_FIELD_LENGTH)


class _Problem(NamedTuple):
    """Something that did not work and was not repeated with success."""

    what: str
    category: FailureCategory | None = None


def infer_verdict(record: Record) -> InferredVerdict:
    """The verdict of a run that gave none and ended without an error: success, or partial after problems.

    It is unverified; the summary and a tag say so.
    """
    problems = list(_problems(record))
    if not problems:
        return InferredVerdict(result=Result.SUCCESS, summary=f"{record.default_summary()} {OUTCOME_UNKNOWN}")
    return InferredVerdict(
        result=Result.PARTIAL,
        summary=f"{problems[0].what} {OUTCOME_UNKNOWN}",
        reason="; ".join(one.what for one in problems),
        category=next((one.category for one in problems if one.category), FailureCategory.OTHER),
    )


def _problems(record: Record) -> Iterator[_Problem]:
    """Problems of the last child run of each task, of the last attempt and of the last step."""
    last: dict[tuple[str, str], Child] = {(one.agent, one.task): one for one in record.children}
    for one in last.values():
        if (verdict := one.verdict).result is not Result.SUCCESS:
            what = f"Run of {one.agent} {_HOW[verdict.result]} ({one.task})"
            why = verdict.reason or verdict.summary
            yield _Problem(one_line(f"{what}: {why}", _MAX_EVENT_LENGTH), verdict.category)
    for attempt in record.attempts[-1:]:
        result = attempt.get("result")
        if result in (Result.FAILURE, Result.PARTIAL):
            why = attempt.get("error") or attempt.get("output") or "no reason given"
            what = f"Attempt {_HOW[Result(result)]} ({attempt['description']})"
            yield _Problem(one_line(f"{what}: {why}", _MAX_EVENT_LENGTH))
    for step in record.steps[-1:]:
        if not step["result"]["success"]:
            why = step["result"].get("error") or "no reason given"
            what = f"Step failed ({step.get('diff_summary') or step.get('query')})"
            yield _Problem(one_line(f"{what}: {why}", _MAX_EVENT_LENGTH))


def start_event(agent: str, agent_id: str | None, task: str) -> Json:
    """The event for the start of a run."""
    shown = one_line(task, _MAX_EVENT_LENGTH)
    about = {"agentId": agent_id, "agent": agent, "task": shown}
    return {"content": f"{agent} started: {shown}", "metadata": about}


def end_event(start: Json, verdict: Verdict, memory_id: str | None, prompt_tokens: int) -> Json:
    """The event for the end of a run; of the prompt only its length, as its content is stored elsewhere."""
    about = start["metadata"]
    word = "ended" if isinstance(verdict, InferredVerdict) else _EVENT_WORDS[verdict.result]
    content = f"{about['agent']} {word}: {one_line(verdict.summary, _MAX_EVENT_LENGTH)}"
    more = {"result": verdict.result.value, "memoryId": memory_id, "promptTokens": prompt_tokens}
    return {"content": content, "metadata": about | more}
