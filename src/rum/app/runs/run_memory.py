"""What happened in a run: recorded step by step, then made into a memory and two events."""

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
LONGEST = 2000  # Characters of one discovery, reason or output
NOTHING_DONE = "Ended without an error"
NO_REASON = "It did not work"
ATTEMPT = "attempt"  # The tag of what was tried within a run, in vain
MAX_STEPS = 200  # Steps that go into a memory: the first and the last half of these
OUTCOME_UNKNOWN = "(outcome unknown)"
_HOW = {Result.FAILURE: "failed", Result.PARTIAL: "was done in part"}
_EVENT_WORDS = {Result.SUCCESS: "completed", Result.PARTIAL: "ended in part", Result.FAILURE: "failed"}
_SHORT = 500  # Characters of an event or of a problem


class Child(NamedTuple):
    """A run within a run that is over, and the memory of it, if it could be stored."""

    agent: str
    task: str
    verdict: Verdict
    memory_id: str | None


class Record:
    """The parts of a run that its memory is made of."""

    def __init__(self, run: RunRequest, files: Iterable[str]) -> None:
        self.run = run
        self.files = list(dict.fromkeys(files))
        self.steps: list[Json] = []
        self.discoveries: list[Json] = []
        self.decisions: list[Json] = []
        self.attempts: list[Json] = []
        """Those within the run that are over."""
        self.children: list[Child] = []
        """The child runs that are over."""

    def step(self, at: int, step: Step) -> Json:
        """Note an action, as `store` takes it."""
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

    def last_words(self) -> str:
        """A summary where none was given: the last decision, discovery or step."""
        decided = [one["description"] for one in self.decisions[-1:]]
        found = [one["content"] for one in self.discoveries[-1:]]
        done = [one.get("diff_summary") or one.get("query") for one in self.steps[-1:]]
        return _cut(next(iter((*decided, *found, *done)), "")) or NOTHING_DONE

    def failed_attempts(self, verdict: Verdict) -> list[Json]:
        """What was tried in vain before something else worked, each as a small memory that warns of it.

        A run that failed warns by itself.
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
                "goal": one_line(attempt["description"], LONGEST),
                "task_type": self.run.task_type,
                "context": f"Tried for: {one_line(self.run.task, LONGEST)}",
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
        """The memory, as `store` takes it; `in_vain` are the memories of what was tried before it worked."""
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
        """All texts of the agent, as extraction reads them; none of RUM's own texts."""
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
        """What was decided against, and what was tried in vain."""
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
    """The files it names, without what cannot be the name of one."""
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
    return one_line(str(text), LONGEST)


class _Problem(NamedTuple):
    """Something that did not work, and was not done again with success."""

    what: str
    category: FailureCategory | None = None


def infer_verdict(record: Record) -> InferredVerdict:
    """Work that ended without an error is no failure, and unless something in it went wrong a success.

    Neither is verified: it says so, for people, and by a tag.
    """
    problems = list(_problems(record))
    if not problems:
        return InferredVerdict(result=Result.SUCCESS, summary=f"{record.last_words()} {OUTCOME_UNKNOWN}")
    return InferredVerdict(
        result=Result.PARTIAL,
        summary=f"{problems[0].what} {OUTCOME_UNKNOWN}",
        reason="; ".join(one.what for one in problems),
        category=next((one.category for one in problems if one.category), FailureCategory.OTHER),
    )


def _problems(record: Record) -> Iterator[_Problem]:
    """What did not work: of child runs with one task the last counts, of attempts and steps the very last."""
    last: dict[tuple[str, str], Child] = {(one.agent, one.task): one for one in record.children}
    for one in last.values():
        if (verdict := one.verdict).result is not Result.SUCCESS:
            what = f"Run of {one.agent} {_HOW[verdict.result]} ({one.task})"
            why = verdict.reason or verdict.summary
            yield _Problem(one_line(f"{what}: {why}", _SHORT), verdict.category)
    for attempt in record.attempts[-1:]:
        result = attempt.get("result")
        if result in (Result.FAILURE, Result.PARTIAL):
            why = attempt.get("error") or attempt.get("output") or "no reason given"
            what = f"Attempt {_HOW[Result(result)]} ({attempt['description']})"
            yield _Problem(one_line(f"{what}: {why}", _SHORT))
    for step in record.steps[-1:]:
        if not step["result"]["success"]:
            why = step["result"].get("error") or "no reason given"
            what = f"Step failed ({step.get('diff_summary') or step.get('query')})"
            yield _Problem(one_line(f"{what}: {why}", _SHORT))


def start_event(agent: str, agent_id: str | None, task: str) -> Json:
    """The entry for the beginning."""
    shown = one_line(task, _SHORT)
    about = {"agentId": agent_id, "agent": agent, "task": shown}
    return {"content": f"{agent} started: {shown}", "metadata": about}


def end_event(start: Json, verdict: Verdict, memory_id: str | None, prompt_tokens: int) -> Json:
    """The entry for the end; of the prompt it says how long it was, as what was in it is kept already."""
    about = start["metadata"]
    word = "ended" if isinstance(verdict, InferredVerdict) else _EVENT_WORDS[verdict.result]
    content = f"{about['agent']} {word}: {one_line(verdict.summary, _SHORT)}"
    more = {"result": verdict.result.value, "memoryId": memory_id, "promptTokens": prompt_tokens}
    return {"content": content, "metadata": about | more}
