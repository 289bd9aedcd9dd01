"""Make a memory of a turn, as the fields that `store` takes, or give the reason why the turn makes none."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from rum.capture.observe.checks import Check, check_of
from rum.capture.observe.errors import Fault, fault_in
from rum.capture.observe.goals import (
    GOAL,
    PromptKind,
    asks_back,
    context_of,
    goal_of,
    read_prompt,
    says_task,
    sets_task,
    task_type,
)
from rum.capture.observe.last_message import read_last_message
from rum.capture.observe.messages import option_named, options_left, without_client_tags
from rum.capture.observe.rejection import new_lines, rejection_of, undone_lines, wish_after
from rum.capture.observe.steps import Step, steps_of
from rum.capture.observe.success import Attempt, attempts_in, judge, suspect_in
from rum.capture.observe.timeline import UNDONE, ChangePosition, FileReader, Timeline, significant_lines
from rum.capture.observe.turns import Report, Turn
from rum.model.memory import PARTIAL, REJECTED, UNVERIFIED
from rum.model.memory_layers import ActionType, TaskType
from rum.store.attempt_fingerprint import REJECTED_BY_USER, REPLACED_FOR_USER, carrying_line, is_beside
from rum.text.guidance_cues import FAILS
from rum.text.message_cues import says_checks_pass
from rum.text.sentences import split_sentences
from rum.text.shell import segments
from rum.text.shorten import shorten, shorten_start
from rum.text.terms import content_words

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
# An investigation is worth a memory from this many characters of last words on, if it answers a question or
# looked this often; one with long last words is worth it in any case.
_CONCLUSION, _LOOKS, _LONG_CONCLUSION = 120, 3, 200
_MAX_REPORT, _MAX_REPORTS = 600, 10  # Characters of a subagent's report, and number of reports
_MIN_SHARED_WORDS = 2  # From which on a sentence speaks of what a subagent reported
# A sentence about a subagent that says that it was wrong.
_SUBAGENT = re.compile(r"\b(?:sub-?)?agent(?:'?s|en)?\b|\bhelper|\bHelfer|子代理", re.IGNORECASE)
_DISPUTED = re.compile(
    r"\b(?:wrong\w*|mistaken\w*|incorrect\w*|inaccurate|believed|claimed|assumed|thought|overlooked|misread"
    r"|contrary to|not (?:true|right|correct|the case)|falsch|irrt\w*|stimmt nicht|trifft nicht zu"
    r"|à tort|faux|se trompe|equivocad\w*)\b|错误|不对",
    re.IGNORECASE,
)
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


def observe_turn(turn: Turn, read: FileReader = lambda _: None) -> TurnObservation:
    """Return the memory that a turn makes, or why it makes none; `read` gives what is in a file now."""
    # A turn with an event that could not be cleaned is incomplete, and its memory would be wrong.
    if any(event.get("withheld") == "unredacted" for event in turn.events):
        return TurnObservation(None, "withheld")
    steps = steps_of(turn.events)
    stored = tuple(step.memories[0] for step in steps if _is_store_call(step) and step.memories)
    checks = [check_of(step) for step in steps]
    if skip_reason := _triviality(turn, steps, checks, stored):
        return TurnObservation(None, skip_reason, stored=stored)
    commits = _commits_in(steps)
    fields = _TurnReader(turn, steps, checks, read).memory_fields(commits)
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
    if turn.key.agent and not stored:
        return "reported to its caller"
    if stored or any(len(report.text.strip()) >= _CONCLUSION for report in turn.reports):
        return ""
    if asks_back(turn.last_words) and not turn.asks:
        return "only asked the user"
    # A subagent looks more than once on behalf of its caller.
    looks = len(work) + sum(step.tool == "agent" for step in work) * _LOOKS
    length = len(turn.last_words.strip()) if turn.is_finished and turn.prompt else 0
    if length >= _LONG_CONCLUSION or ((turn.asks or looks >= _LOOKS) and length >= _CONCLUSION):
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

    def __init__(self, turn: Turn, steps: list[Step], checks: list[Check | None], read: FileReader) -> None:
        self.turn = turn
        self.steps = steps
        self.checks = checks
        self.timeline = Timeline(steps, read)
        self.verdict = judge(turn, steps, self.timeline)
        self.message = read_last_message(turn.last_words)
        self.attempts = attempts_in(self.timeline, asks=turn.asks)
        self.rejection = rejection_of(turn)
        self._failed = {attempt.position: attempt for attempt in (*self._rejected(), *self.attempts)}
        self._suspect = suspect_in(self.timeline, self.verdict)

    def _rejected(self) -> list[Attempt]:
        """The changes that the next turn took back as the user rejected them, or wants something else."""
        wish = "" if self.rejection else wish_after(self.turn)
        if not self.rejection and not wish:
            return []
        undone = undone_lines(self.turn.events, self.turn.after)
        found = (
            (ChangePosition(at, which), undone.get(file["path"], frozenset()) & new_lines(file))
            for at, step in enumerate(self.steps)
            for which, file in enumerate(step.changes)
        )
        kind = REJECTED_BY_USER if self.rejection else REPLACED_FOR_USER
        fault = Fault(kind, f"“{self.rejection or wish}”")
        return [Attempt(position, fault, lines) for position, lines in found if lines]

    def memory_fields(self, commits: Sequence[Commit]) -> Json:
        turn, verdict = self.turn, self.verdict
        changed = self._changed_paths()
        goal = goal_of(turn.prompt, turn.earlier, turn.said)
        if commits and not turn.earlier and not sets_task(turn.prompt, turn.said):
            goal = commits[-1].subject  # "commit it" without anything before it
        if goal and not says_task(goal) and self.message.summary:
            # Only an address, or "go": what was done tells what it was about.
            goal = shorten(f"{goal}: {split_sentences(self.message.summary)[0]}", GOAL)
        goal = goal or f"Work on {', '.join(changed[:3]) or 'the project'}"
        task = task_type(turn.prompt, turn.earlier, turn.said)
        # A request to change something that changed nothing was an investigation.
        if not changed and task not in (TaskType.INVESTIGATION, TaskType.CONFIGURATION):
            task = TaskType.INVESTIGATION if task is None or not self._did_something() else task
        had_failure = bool(self.attempts) or bool(self.rejection) or not verdict.success
        importance = _IMPORTANCE_PROVEN if verdict.proof else _IMPORTANCE
        return {
            "intent": {
                "goal": goal,
                "task_type": task or TaskType.OTHER,
                "context": self._context(),
            },
            "perception": self._perception(commits),
            "reasoning": self._reasoning(),
            "actions": self._actions(),
            "outcome": self._outcome(changed),
            "tags": self._tags(changed),
            "importance": _IMPORTANCE_FAILED if had_failure else importance,
        }

    def _reasoning(self) -> Json:
        """What the last message says of the decision, and the options that the user did not choose."""
        found = self.message.reasoning()
        kind, decision = read_prompt(self.turn.prompt, self.turn.said)
        chosen = option_named(decision, self.turn.said) if kind is PromptKind.ANSWER else ""
        left = [
            {"approach": shorten(text.rstrip("."), _MAX_OUTPUT), "why_rejected": f"the user chose “{chosen}”"}
            for text in options_left(chosen, self.turn.said)
        ]
        if left:
            found["alternatives_considered"] = [*left, *found.get("alternatives_considered", [])]
        return found

    def _tags(self, changed: list[str]) -> list[str]:
        """Unverified: only the agent's own words say that a change is right."""
        verdict = self.verdict
        unproven = verdict.success and bool(changed) and verdict.proof is None
        # What the user rejected is no success, whatever passed, and no failure of the task either.
        unconfirmed = verdict.partial or unproven or (bool(self.rejection) and verdict.success)
        return [PARTIAL] * verdict.partial + [REJECTED] * bool(self.rejection) + [UNVERIFIED] * unconfirmed

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
                *self._reports(),
                *(
                    {"what": f"Committed {one.sha}: {one.subject}", "significance": "commit"}
                    for one in commits
                ),
            ],
            "relevant_files": [
                {"path": path, "relevance": _read_lines(spans)}
                for path, spans in list(read.items())[:_MAX_FILES]
            ],
            "anomalies": list(anomalies.values())[:_MAX_ANOMALIES],
        }

    def _reports(self) -> Iterator[Json]:
        """The conclusions of subagents, in their own words."""
        for report in self.turn.reports[:_MAX_REPORTS]:
            name = report.agent_type or "subagent"
            quote = shorten(" ".join(report.text.split()), _MAX_REPORT)
            yield {"what": f"The subagent {name} reported: “{quote}”", "significance": "subagent"}

    def _context(self) -> str:
        """What the prompts of the story say beyond its goal."""
        turn = self.turn
        prompts = (" ".join(without_client_tags(prompt).split()) for prompt in turn.then)
        then = [f"Then: “{shorten(prompt, 200)}”" for prompt in prompts if prompt]
        return " ".join(filter(None, (context_of(turn.prompt, turn.earlier, turn.said), *then)))

    def _actions(self) -> list[Json]:
        found: list[tuple[bool, Json]] = []
        for at, (step, check) in enumerate(zip(self.steps, self.checks, strict=True)):
            for which, file in enumerate(step.changes):
                position = ChangePosition(at, which)
                actions = _edit_actions(step, file, self._failed.get(position))
                if position == self._suspect and position not in self._failed:
                    del actions[0]["result"]  # whether it works is not known
                found += ((True, action) for action in actions)
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
            "summary": self._claims() or self._summary(changed),
            # The agent's own explanation first: it is worth more than what RUM saw of the attempts.
            "learnings": [
                *self._rejection_learned(),
                *self._causes(),
                *self._conclusions(),
                *self._learnings(),
            ],
            "follow_up_needed": [] if self.rejection else list(self.message.left),
        }
        if self.message.text != outcome["summary"]:
            outcome["full_text"] = self.message.text
        if verdict.reason is not None:
            outcome["failure_reason"] = verdict.reason
        if verdict.category is not None:
            outcome["failure_category"] = verdict.category
        # An answer to a question is not proved by what ran while it was looked for.
        if proof is not None and not (self.turn.asks and not changed):
            outcome["verified_by"] = {
                "type": proof.kind,
                "command": proof.shown[:_MAX_COMMAND],
                "result": proof.result,
            }
        return outcome

    def _claims(self) -> str:
        """What the agent says that it did; after a failed check nothing that this check refutes."""
        if not self._has_failed_check():
            return self.message.summary
        return " ".join(self._not_refuted(split_sentences(self.message.summary))) if self._admits() else ""

    def _causes(self) -> list[str]:
        """The causes that the agent names, unless the result speaks against them."""
        is_refuted = self.verdict.is_disputed or (self._has_failed_check() and not self._admits())
        return [] if is_refuted else self._not_refuted(self.message.causes)

    def _has_failed_check(self) -> bool:
        proof = self.verdict.proof
        return proof is not None and proof.passed is False

    def _admits(self) -> bool:
        """Whether the agent says itself that something fails."""
        proof = self.verdict.proof
        names = proof.failing if proof else ()
        return FAILS.search(self.message.text) is not None or any(one in self.message.text for one in names)

    def _not_refuted(self, sentences: Iterable[str]) -> list[str]:
        """Sentences without those that say that checks pass, if the last one failed."""
        has_failed = self._has_failed_check()
        return [one for one in sentences if not (has_failed and says_checks_pass(one))]

    def _summary(self, changed: list[str]) -> str:
        names = [_file_name(path) for path in changed]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        parts = [f"Changed {', '.join(names[:5])}{more}" if changed else "Nothing was changed"]
        if proof := self.verdict.proof:
            parts.append(f"{proof.shown[:_MAX_QUOTE]}: {proof.result}")
        elif self.verdict.reason:
            parts.append(self.verdict.reason)
        return "; ".join(parts)

    def _conclusions(self) -> list[str]:
        """What subagents found, unless the agent that asked them says that one was wrong, or that claim."""
        disputes = [one for one in split_sentences(self.message.text) if _DISPUTED.search(one)]
        if any(map(_SUBAGENT.search, disputes)):
            return []
        words = [set(content_words(one)) for one in disputes]
        found = map(_conclusion, self.turn.reports[:_MAX_LEARNINGS])
        return [one for one in found if not any(_is_about(dispute, one) for dispute in words)]

    def _rejection_learned(self) -> list[str]:
        return [f"The user rejected this: “{self.rejection}”"] if self.rejection else []

    def _learnings(self) -> list[str]:
        """What failed and what worked instead."""
        learnings: list[str] = []
        for attempt in self.attempts:
            file = self._file(attempt.position)
            what = f"{_file_name(file['path'])}: {_quote_change(file, attempt.lines)}"
            error = attempt.fault.line
            learning = f"{what} was {error}" if error.startswith(UNDONE) else f"{what} failed ({error})"
            if (there := attempt.instead) and there.position not in self._failed:
                learning += (
                    f"; replaced by {_quote_change(self._file(there.position), frozenset(there.left))}"
                )
                if self.verdict.success and self.verdict.proof:
                    learning += f", and {self.verdict.proof.shown[:_MAX_QUOTE]} passed"
            learnings.append(learning)
        return list(dict.fromkeys(learnings))[:_MAX_LEARNINGS]

    def _file(self, position: ChangePosition) -> FileAccess:
        return self.steps[position.step].changes[position.file]


def failure_of_line(path: str, line: str) -> str:
    """How a learning begins that a line of a file did not work."""
    return f"{_file_name(path)}: `{shorten(line, _MAX_QUOTE)}` failed"


def _conclusion(report: Report) -> str:
    """What a subagent found, in its own words: the first sentences that say it."""
    found = read_last_message(report.text)
    return f"The subagent reported: {(found.causes or (found.summary,))[0]}"


def _is_about(words: set[tuple[str, ...]], text: str) -> bool:
    """Whether a sentence with these words speaks of what a text says."""
    return len(words & set(content_words(text))) >= _MIN_SHARED_WORDS


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _quote_change(file: FileAccess, lines: frozenset[str] | None = None) -> str:
    """The line that carries a change, quoted: one of `lines`, else one that it adds, else one it removes."""
    old = significant_lines(file.get("removed", ""))
    new = [line.strip() for line in file.get("added", "").splitlines()]
    fresh = [line for line in new if line in significant_lines(line) and line not in old]
    chosen = [line for line in fresh if line in lines] if lines else fresh
    if line := carrying_line(chosen or fresh or new):
        return f"`{shorten(line, _MAX_QUOTE)}`"
    gone = carrying_line(line.strip() for line in file.get("removed", "").splitlines())
    return f"removing `{shorten(gone, _MAX_QUOTE)}`" if gone else "the change"


def _read_lines(spans: list[str]) -> str:
    named = list(dict.fromkeys(span for span in spans if span))
    return f"read lines {', '.join(named[:5])}" if named else "read"


def _edit_actions(step: Step, file: FileAccess, attempt: Attempt | None) -> list[Json]:
    """The change of a file; where only some of its lines did not work, these are an action of their own."""
    if attempt is None:
        return [_edit_action(step, file, _failure_of(step))]
    rest, failed = _split_by_blame(file, attempt.lines)
    actions = [_edit_action(step, rest, None)] if rest else []
    return [*actions, _edit_action(step, failed, attempt.fault.line)]


def _failure_of(step: Step) -> str | None:
    """Why a tool did not make a change; None if it made it."""
    if not step.failed:
        return None
    fault = fault_in(step.output)
    return fault.line if fault else _one_line(step.output)


def _split_by_blame(file: FileAccess, lines: frozenset[str]) -> tuple[FileAccess | None, FileAccess]:
    """The lines of a change that stayed, if any, and those that did not work, without imports beside them."""
    added = file.get("added", "").splitlines()
    old = significant_lines(file.get("removed", ""))
    new = [line for line in added if line.strip() in significant_lines(line) and line.strip() not in old]
    blamed = [line for line in new if line.strip() in lines]
    carrying = [line for line in blamed if not is_beside(line)] or blamed
    failed: FileAccess = {**file, "added": "\n".join(carrying)}
    stayed = [line for line in new if line.strip() not in lines]
    if not stayed or not carrying:
        return None, failed if carrying else file
    rest: FileAccess = {"path": file["path"], "operation": "edit", "added": "\n".join(stayed)}
    return rest, failed


def _edit_action(step: Step, file: FileAccess, error: str | None) -> Json:
    action: Json = {
        "type": _OPERATIONS.get(file["operation"], ActionType.FILE_EDIT),
        "timestamp": int(step.at),
        "file_path": file["path"],
        "diff_summary": _diff_of(file) or None,
        "lines_affected": file.get("lines"),
    }
    if file.get("added"):
        action["diff_hash"] = _diff_hash(file)
    action["result"] = {"success": True} if error is None else {"success": False, "error": error}
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
