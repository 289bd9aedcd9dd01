"""A turn as a memory in five layers, as `store` would be told it, or the reason why it makes none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from rum.capture.observe.actions import LONGEST_COMMAND, command_of, edit_of, query_of, shortened
from rum.capture.observe.attempts import Place, attempts_in, lines
from rum.capture.observe.checks import Check, check_of
from rum.capture.observe.errors import fault_in
from rum.capture.observe.messages import context_of, goal_of, summary_of, task_type
from rum.capture.observe.steps import Step, steps_of
from rum.capture.observe.success import Verdict, judged
from rum.capture.observe.turns import Turn
from rum.model.memory import PARTIAL, UNVERIFIED
from rum.model.memory_layers import ActionType, TaskType
from rum.text.shell import segments

if TYPE_CHECKING:
    from rum.capture.events.event import Touched


_MADE = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
_MAKING = ("commit", "merge", "cherry-pick", "revert", "rebase")


class Commit(NamedTuple):
    """The beginning of a commit's id, and its subject."""

    sha: str
    subject: str


def commits_in(steps: Iterable[Step]) -> list[Commit]:
    """The commits that were made, in their order."""
    return [
        Commit(sha, subject.strip())
        for step in steps
        if step.tool == "run" and not step.failed and any(_commits(words) for words in segments(step.command))
        for sha, subject in _MADE.findall(step.output)
    ]


def _commits(words: list[str]) -> bool:
    return words[0] == "git" and any(word in _MAKING for word in words[1:6])


Json = dict[str, Any]
_MOST_FILES, _MOST_LEARNINGS, _MOST_ANOMALIES = 40, 5, 5
_TELLING = 0.7
"""The weight of what failed, or took more than one try."""
_CONCLUSION, _LOOKS = 120, 3
"""An investigation: so many characters of last words after so many looks."""


class TurnObservation(NamedTuple):
    """What was seen of a turn: the memory as `store` takes it, or why there is none."""

    said: Json | None
    why_not: str = ""
    commit: str | None = None
    made: tuple[str, ...] = ()
    """Memories that the agent stored itself."""


def observe_turn(turn: Turn) -> TurnObservation:
    """What a turn is worth."""
    if any(event.get("withheld") == "unredacted" for event in turn.events):
        return TurnObservation(None, "withheld")
    steps = steps_of(turn.events)
    made = tuple(step.memories[0] for step in steps if is_store_call(step) and step.memories)
    checks = [check_of(step) for step in steps]
    why_not = _trivial(turn, steps, checks, made)
    if why_not:
        return TurnObservation(None, why_not, made=made)
    seen = _TurnReader(turn, steps, checks)
    commits = commits_in(steps)
    return TurnObservation(seen.said(commits), commit=commits[-1].sha if commits else None, made=made)


def is_store_call(step: Step) -> bool:
    """Whether a step is a call of RUM's own `store` that made a memory."""
    if step.tool != "rum" or step.failed:
        return False
    called = (words for words in segments(step.command) if words[0] == "rum")
    return step.name.endswith("_store") or any(_verb(words) == "store" for words in called)


def _verb(words: list[str]) -> str:
    """What `rum` is told to do: its first word that is neither an option nor the value of one."""
    values = [word for before, word in pairwise(words) if before in ("--project", "--agent")]
    return next((word for word in words[1:] if not word.startswith("-") and word not in values), "")


def _trivial(turn: Turn, steps: Sequence[Step], checks: Sequence[Check | None], made: tuple[str, ...]) -> str:
    """Why a turn is not worth a memory; nothing where it is."""
    work = [step for step in steps if step.tool != "rum"]
    if not work:
        return "" if made else "nothing done"
    if any(checks) or any(not step.only_looks for step in work):
        return ""
    looks = len(work) + sum(step.tool == "agent" for step in work) * _LOOKS
    concluded = len(turn.last_words.strip()) >= _CONCLUSION and turn.is_finished
    if made or (looks >= _LOOKS and concluded and turn.prompt):
        return ""
    return "only looked around"


class _TurnReader:
    """One turn with what was made out of it."""

    def __init__(self, turn: Turn, steps: list[Step], checks: list[Check | None]) -> None:
        self.turn = turn
        self.steps = steps
        self.checks = checks
        self.verdict: Verdict = judged(turn, steps, checks)
        self.attempts = attempts_in(steps, checks)
        self._failed = {attempt.place: attempt for attempt in self.attempts}

    def said(self, commits: Sequence[Commit]) -> Json:
        """The memory, as `store` takes it."""
        turn, verdict = self.turn, self.verdict
        changed = self._changed()
        goal = goal_of(turn.prompt, turn.earlier) or f"Work on {', '.join(changed[:3]) or 'the project'}"
        task = task_type(turn.prompt, turn.earlier)
        if not changed and task not in (TaskType.INVESTIGATION, TaskType.CONFIGURATION):
            task = TaskType.INVESTIGATION if task is None or not self._did() else task
        telling = bool(self.attempts) or not verdict.success
        plain = 0.5 if verdict.proof else 0.4
        return {
            "intent": {"goal": goal, "task_type": task or TaskType.OTHER, "context": context_of(turn.prompt)},
            "perception": self._perception(commits),
            "actions": self._actions(),
            "outcome": self._outcome(changed),
            "tags": self._tags(changed),
            "importance": _TELLING if telling else plain,
        }

    def _tags(self, changed: list[str]) -> list[str]:
        """That it was broken off, and that nothing but the agent's own words says that a change is right."""
        verdict = self.verdict
        unproven = verdict.success and bool(changed) and verdict.proof is None
        return [PARTIAL] * verdict.partial + [UNVERIFIED] * (verdict.partial or unproven)

    def _did(self) -> bool:
        return any(not step.only_looks for step in self.steps if step.tool != "rum")

    def _changed(self) -> list[str]:
        paths = (file["path"] for step in self.steps if not step.failed for file in step.changes)
        return list(dict.fromkeys(paths))

    def _perception(self, commits: Sequence[Commit]) -> Json:
        read: dict[str, list[str]] = {}
        for step in self.steps:
            for file in step.files if not step.failed else ():
                if file["operation"] == "read":
                    read.setdefault(file["path"], []).append(file.get("lines", ""))
        faults = (fault for step in self.steps if step.failed and (fault := fault_in(step.output)))
        seen = {fault.fingerprint: fault.line for fault in faults}
        return {
            "observations": [
                {"what": f"Committed {one.sha}: {one.subject}", "significance": "commit"} for one in commits
            ],
            "relevant_files": [
                {"path": path, "relevance": _read_lines(spans)}
                for path, spans in list(read.items())[:_MOST_FILES]
            ],
            "anomalies": list(seen.values())[:_MOST_ANOMALIES],
        }

    def _actions(self) -> list[Json]:
        found: list[tuple[bool, Json]] = []
        for at, (step, check) in enumerate(zip(self.steps, self.checks, strict=True)):
            for which, file in enumerate(step.changes):
                found.append((True, edit_of(step, file, self._failed.get(Place(at, which)))))
            if step.tool == "run" and (check or not step.only_looks or step.failed):
                found.append((check is not None, command_of(step, check)))
            elif step.tool == "search" and step.text:
                found.append((False, query_of(ActionType.SEARCH, step)))
            elif step.tool == "agent" and step.text:
                found.append((False, query_of(ActionType.EXTERNAL_QUERY, step)))
        return shortened(found)

    def _outcome(self, changed: list[str]) -> Json:
        verdict, proof = self.verdict, self.verdict.proof
        outcome: Json = {
            "success": verdict.success,
            "summary": summary_of(self.turn.last_words) or self._summary(changed),
            "learnings": self._learnings(),
        }
        told: Json = {"failure_reason": verdict.reason, "failure_category": verdict.category}
        if proof is not None:
            told["verified_by"] = {
                "type": proof.kind,
                "command": proof.command[:LONGEST_COMMAND],
                "result": proof.told,
            }
        return outcome | {name: one for name, one in told.items() if one is not None}

    def _summary(self, changed: list[str]) -> str:
        names = [path.replace("\\", "/").rpartition("/")[2] for path in changed]
        parts = [
            f"Changed {', '.join(names[:5])}" + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        ]
        if not changed:
            parts = ["Nothing was changed"]
        if proof := self.verdict.proof:
            parts.append(f"{proof.command[:80]}: {proof.told}")
        elif self.verdict.reason:
            parts.append(self.verdict.reason)
        return "; ".join(parts)

    def _learnings(self) -> list[str]:
        """What failed and what worked instead, as it was seen."""
        told: list[str] = []
        for attempt in self.attempts:
            file = self._file(attempt.place)
            name = file["path"].replace("\\", "/").rpartition("/")[2]
            said = f"{name}: {_essence(file)} failed ({attempt.fault.line})"
            if attempt.instead and attempt.instead not in self._failed:
                said += f"; replaced by {_essence(self._file(attempt.instead))}"
                if self.verdict.success and self.verdict.proof:
                    said += f", and {self.verdict.proof.command[:80]} passed"
            told.append(said)
        return list(dict.fromkeys(told))[:_MOST_LEARNINGS]

    def _file(self, place: Place) -> Touched:
        return self.steps[place.step].changes[place.file]


def _essence(file: Touched) -> str:
    """The first line that a change puts in, as it would be quoted."""
    old = lines(file.get("removed", ""))
    new = [line.strip() for line in file.get("added", "").splitlines()]
    fresh = [line for line in new if line in lines(line) and line not in old] or new
    said = next((line for line in fresh if line), "")
    if not said:
        gone = next((line.strip() for line in file.get("removed", "").splitlines() if line.strip()), "")
        return f"removing `{gone[:80]}`" if gone else "the change"
    return f"`{said[:80]}`"


def _read_lines(spans: list[str]) -> str:
    named = list(dict.fromkeys(span for span in spans if span))
    return f"read lines {', '.join(named[:5])}" if named else "read"
