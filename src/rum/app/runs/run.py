"""A run: one agent's work on one task; its prompt, steps and outcome are recorded automatically."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from msgspec.structs import replace

from rum.app.agents import resume_or_register
from rum.app.brief import brief as brief_module
from rum.app.caller import Caller
from rum.app.calls import load, plain_json, public
from rum.app.journal.journals import AgentJournal, Journals
from rum.app.layers.backends import StoreBackend
from rum.app.layers.layers import Layers
from rum.app.memories import store as memory_store
from rum.app.runs.record import (
    MAX_FIELD_LENGTH,
    Child,
    Record,
    end_event,
    infer_verdict,
    interruption_text,
    is_failure,
    is_from_rum,
    keep_error,
    reason_of,
    start_event,
    verdict_of,
)
from rum.model.errors import InvalidQuery, RumError
from rum.model.fields import parse
from rum.model.journal import (
    DecisionType,
    DiscoveryType,
    JournalContext,
    Kind,
    format_timestamp,
    require_valid,
    with_file_keys,
)
from rum.model.memory import UNVERIFIED, LinkType
from rum.model.memory_layers import FailureCategory
from rum.model.requests import LinkRequest
from rum.model.runs import (
    LONGEST_RUN,
    Brief,
    BriefRequest,
    InferredVerdict,
    Result,
    RunRequest,
    Step,
    Verdict,
)
from rum.text.shorten import one_line, shorten
from rum.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from rum.app.arguments import RunArguments, StepArguments
    from rum.model.runs import Extracted


@public
class Run:
    """A run of an agent loop, as a context manager; at the end it is stored as a memory.

    Errors while recording do not stop the run: they are collected in `problems` and reported as a warning at
    the end. An invalid call raises, but does not mark the task as failed. Nothing can be recorded outside the
    `with` block.
    """

    def __init__(self, caller: Caller, request: RunRequest, parent: Run | None = None) -> None:
        self._caller = caller.other_agent(request.session)
        self._request = request
        self._parent = parent
        self._record = Record(request, [self._caller.relative(path) for path in request.files])
        self._verdict: Verdict | None = None
        self._journal: RunJournal | None = None
        self._prompt_tokens = 0
        self.problems = Problems()
        self.agent_id: str | None = None
        self.memory_id: str | None = None
        """The id of the memory of this run; set at the end."""
        self.extracted: Extracted | None = None
        """What was extracted from this run; set at the end."""

    @property
    def agent(self) -> str:
        """The agent that does the work."""
        return self._request.agent

    @property
    def task(self) -> str:
        """The task."""
        return self._request.task

    @property
    def session(self) -> str:
        """The id of the session that this run belongs to."""
        return self._caller.session_id

    def __enter__(self) -> Self:
        if self._journal is not None:
            self._journal.refuse_if_over()
            raise InvalidQuery("This run is already active; start another with rum.run(…).", field="run")
        self.problems.collect("The agent was not registered", self._register_agent)
        self._journal = RunJournal(self._caller, self._request, self.problems)
        self._short_task = shorten(self.task, MAX_FIELD_LENGTH)
        self._first_attempt = Attempt(self._journal, {"description": self._short_task})
        self._attempts: list[Attempt] = []
        self._start = start_event(self._request, self.agent_id)
        self._store_event(self._start)
        return self

    def _started_journal(self) -> RunJournal:
        """The journal, once the run has started; InvalidQuery before."""
        if self._journal is None:
            raise InvalidQuery(
                "This run has not started; nothing was recorded. Record inside the block "
                "`with rum.run(…) as run:`.",
                field="run",
            )
        return self._journal

    def _active_journal(self) -> RunJournal:
        """The journal while the run is active; InvalidQuery before and after."""
        journal = self._started_journal()
        journal.refuse_if_over()
        return journal

    def _register_agent(self) -> None:
        parent = self._parent.agent_id if self._parent else None
        with self._caller.project.locked(), self._caller.project.store.transaction():
            self._caller.agent = resume_or_register(self._caller, self.agent, parent)
        self.agent_id = self._caller.agent.id

    @property
    def brief(self) -> Brief:
        """The current brief for this run."""
        request = BriefRequest(
            task=self.task,
            plan=self._request.plan,
            file=tuple(self._record.files),
            agent=self.agent,
            session=self._started_journal().session,
            tokens=self._request.tokens,
        )
        with self._caller.project.locked():
            return brief_module.brief(self._caller, request)

    @property
    def prompt(self) -> str:
        """The agent's current prompt: the system prompt, the brief with rules and journal, the task."""
        self._started_journal()
        brief = self.problems.collect("The brief was not created", lambda: self.brief.text) or ""
        parts = [self._request.system, brief, f"## Task\n\n{self.task}"]
        parts += [f"## Plan\n\n{self._request.plan}"] if self._request.plan else []
        prompt = "\n\n".join(part.strip() for part in parts if part.strip())
        self._prompt_tokens = estimate_tokens(prompt)
        return prompt

    def child(self, *, agent: str, task: str, **options: Unpack[RunArguments]) -> Run:
        """A run within this one, by another agent, in the same project; stored as a memory of its own."""
        self._active_journal()
        defaults = {"session": self._request.session, "extract": self._request.extract}
        arguments = {**defaults, **options, "agent": agent, "task": task}
        return Run(self._caller, parse(plain_json(arguments), RunRequest, "run"), self)

    def discovery(self, type: DiscoveryType | str, content: str, **more: Any) -> None:
        """Record something learned about the code or the task; `more` are other fields of a journal entry."""
        self._record.discoveries.append(self._add_entry(Kind.DISCOVERY, type=type, content=content, **more))

    def decision(self, type: DecisionType | str, description: str, **more: Any) -> None:
        """Record a significant decision (`reasoning`, `alternatives`, … as in a journal)."""
        self._record.decisions.append(
            self._add_entry(Kind.DECISION, type=type, description=description, **more)
        )

    def attempt(self, description: str, **more: Any) -> Attempt:
        """Record an attempt (`approach`, `plan_step`, …); call the returned object to record its outcome.

        As a context manager it fails if the block raises, else it succeeds.
        """
        journal, fields = self._active_journal(), plain_json({"description": description, **more})
        if "id" in fields:
            raise InvalidQuery("attempt: `id` is assigned by the run; do not pass it.", field="id")
        if self._attempts:
            self._attempts.append(Attempt(journal, fields))
        else:  # The entry from the start of the run becomes this attempt
            self._first_attempt.change(fields)
            self._attempts.append(self._first_attempt)
        return self._attempts[-1]

    def step(self, description: str, **fields: Unpack[StepArguments]) -> None:
        """Record a step: a change to `file` (an edit unless `action` is given), a `command`, or another step.

        `success`, `output` and `error` are its outcome.
        """
        self._active_journal()
        step = parse(plain_json({**fields, "description": description}), Step, "step")
        if step.file is not None:
            step = replace(step, file=self._caller.relative(step.file))
        action = self._record.step(self._caller.project.now(), step)
        active = (attempt for attempt in reversed(self._attempts) if not attempt.is_over)
        next(active, self._first_attempt).step(step.description, action)

    def set_context(self, **fields: Any) -> None:
        """Set fields of the journal's `context`, such as current_plan_step, blockers."""
        self._active_journal().context(plain_json(fields))

    def succeed(self, summary: str, **more: Any) -> None:
        """Record success, with `learnings`, `follow_ups`, `verified_by` and the agent's `output`."""
        self._set_verdict(Result.SUCCESS, summary=summary, **more)

    def fail(self, reason: str, category: FailureCategory | str = FailureCategory.OTHER, **more: Any) -> None:
        """Record a failure, with `summary`, `learnings`, `follow_ups` and the agent's `output`."""
        self._set_verdict(Result.FAILURE, **{"summary": reason, **more}, reason=reason, category=category)

    def partial(self, summary: str, **more: Any) -> None:
        """Record a partial success; `reason` and `category` say why, `follow_ups` what is left."""
        self._set_verdict(Result.PARTIAL, summary=summary, **more)

    def _set_verdict(self, result: Result, **fields: Any) -> None:
        self._active_journal()
        self._verdict = parse(plain_json({"result": result, **fields}), Verdict, str(result))

    def _add_entry(self, kind: Kind, **fields: Any) -> dict[str, Any]:
        return self._active_journal().add(kind, plain_json(fields))[0]

    def __exit__(self, _exception_type: object, error: BaseException | None, _trace: object) -> None:
        with keep_error(error):
            journal = self._active_journal()
            try:
                self._end(journal, error)
            finally:
                journal.close()
            problems = " ".join(dict.fromkeys(self.problems))
            if problems and error is not None:
                error.add_note(f"RUM: {problems}")
            elif problems:
                warnings.warn(f"RUM: {problems}", RuntimeWarning, stacklevel=2)

    def _end(self, journal: RunJournal, error: BaseException | None) -> None:
        """Store the run as a memory, close its journal entry, and extract knowledge from it."""
        self._record.attempts = [attempt.entry for attempt in self._attempts]
        if error is not None and is_failure(error):
            verdict = verdict_of(error, self._verdict)
        else:
            verdict = self._verdict or infer_verdict(self._record)
        # From now on refuse entries of other threads: they might be missing from the memory.
        journal.is_over = True
        self.problems.collect("The memory was not stored", lambda: self._store(verdict))
        if self._parent is not None:
            self._parent.add_child(Child(self.agent, self.task, verdict, self.memory_id))
        self._close_journal(journal, verdict)
        self._store_event(end_event(self._start, verdict, self.memory_id, self._prompt_tokens))
        if self._request.extract:
            self.problems.collect("Nothing was extracted", lambda: self._extract(verdict))

    def _close_journal(self, journal: RunJournal, verdict: Verdict) -> None:
        """Record the outcome of open attempts.

        If there are none, add an entry for the run, unless its last attempt and the run itself succeeded.
        """
        outcome = {
            "output": None if verdict.result is Result.FAILURE else verdict.summary,
            "error": verdict.reason,
            "lessons": "\n".join(verdict.learnings) or None,
            "status": UNVERIFIED if isinstance(verdict, InferredVerdict) else None,
        }
        outcome = {name: one[:MAX_FIELD_LENGTH] for name, one in outcome.items() if one is not None}
        active = [attempt for attempt in self._attempts or [self._first_attempt] if not attempt.is_over]
        for attempt in active:
            attempt.close(verdict.result, **outcome)
        if not active and {self._attempts[-1].entry["result"], verdict.result} != {Result.SUCCESS}:
            entry = {"description": self._short_task, "result": verdict.result, **outcome}
            journal.add(Kind.ATTEMPT, plain_json(entry))

    def _store(self, verdict: Verdict) -> None:
        caller = self._caller
        with caller.project.locked(), caller.project.store.transaction():
            attempts = [
                memory_store.store(caller, plain_json(one)) for one in self._record.failed_attempts(verdict)
            ]
            draft = self._record.draft(verdict, [one.memory_id for one in attempts])
            stored = memory_store.store(caller, plain_json(draft))
        self.memory_id = stored.memory_id

    def add_child(self, child: Child) -> None:
        """Record a finished child run; this run's memory gets a link to the child's memory."""
        self._record.children.append(child)
        if self._started_journal().is_over and self.memory_id and child.memory_id:
            link = LinkRequest(
                source_id=self.memory_id, target_id=child.memory_id, link_type=LinkType.CAUSED_BY
            )
            self.problems.collect("The memory was not linked", lambda: self._link(link))

    def _link(self, link: LinkRequest) -> None:
        with self._caller.project.locked():
            memory_store.link(self._caller, link)

    def _extract(self, verdict: Verdict) -> None:
        run = {
            "agent": self.agent,
            "task": self.task,
            "agentOutput": self._record.full_text(verdict)[:LONGEST_RUN],
            "result": verdict.result.value,
            "error": None if isinstance(verdict, InferredVerdict) else verdict.reason,
        }
        self.extracted = load("app.runs.extraction:extract")(self._caller, run)

    def _store_event(self, entry: dict[str, Any]) -> None:
        layers = Layers(lambda: StoreBackend(self._caller))
        self.problems.collect("No event was stored", lambda: layers.append("episodic", entry))


Json = dict[str, Any]
MAX_STEPS_SHOWN = 50  # The last steps, in the entry of an attempt
T = TypeVar("T")


class Problems(list[str]):
    """What could not be recorded; this does not stop the run."""

    def collect(self, failure_message: str, work: Callable[[], T]) -> T | None:
        """The result of `work`; None, and one more problem, if it fails."""
        try:
            return work()
        except (RumError, OSError) as error:
            self.append(f"{failure_message}: {error}")
            return None


class RunJournal:
    """One agent's journal as its run writes it; without a folder for journals nothing is written."""

    def __init__(self, caller: Caller, run: RunRequest, problems: Problems) -> None:
        self._caller = caller
        self._problems = problems
        self.is_over = False
        """Whether the run has ended; nothing is written after that."""
        self._journal: AgentJournal | None = None
        if caller.project.settings.folder("sessions_dir") is not None:
            journals = Journals(caller, rate_limited=False)
            self._journal = self._collect(lambda: journals.of(run.session, run.agent, run.task))

    @property
    def session(self) -> str | None:
        """The session of the journal; None without a journal."""
        return self._journal and self._journal.session

    def _collect(self, work: Callable[[], T]) -> T | None:
        return self._problems.collect("The journal was not written", work)

    def refuse_if_over(self) -> None:
        """Raise InvalidQuery after the end of the run: later entries would be lost."""
        if self.is_over:
            raise InvalidQuery(
                "This run is over and its memory is stored; nothing was written. Call this within the `with` "
                "block, start another run, or correct the memory with `update_memory`.",
                field="run",
            )

    def add(self, kind: Kind, fields: Json) -> tuple[Json, str | None]:
        """Check and write an entry; return it, and its id or None if it could not be written."""
        entry, journal = self.checked(kind, fields), self._journal
        written = self._collect(lambda: journal.add(kind, entry)) if journal else None
        return entry, (written.id or None) if written else None

    def checked(self, kind: Kind, fields: Json) -> Json:
        """An entry with the keys of the file; raise InvalidQuery if it is invalid."""
        entry = with_file_keys(kind.model, {name: one for name, one in fields.items() if one is not None})
        defaults = {"id": "new", "timestamp": format_timestamp(self._caller.project.clock())}
        defaults |= {"result": "in_progress"} if kind is Kind.ATTEMPT else {}
        require_valid(kind.model, defaults | entry, kind, whole=True)
        return entry

    def update(self, entry_id: str | None, fields: Json) -> None:
        """Change an entry that was written."""
        journal = self._journal
        if journal and entry_id is not None and fields:
            self._collect(lambda: journal.update(entry_id, fields))

    def context(self, fields: Json) -> None:
        """Write the current state of the work."""
        if not fields:
            raise InvalidQuery(
                "set_context: give the fields to set, such as current_plan_step.", field="set_context"
            )
        require_valid(JournalContext, with_file_keys(JournalContext, fields), "context", whole=False)
        if journal := self._journal:
            self._collect(lambda: journal.context(fields))

    def close(self) -> None:
        """Refuse further entries, and archive what is due."""
        self.is_over = True
        if self._journal:
            self._collect(self._journal.tidy)


@public
class Attempt:
    """An attempt within a run; leaving its block without an outcome counts as success.

    A wrong call of RUM does not count as an outcome: the attempt then stays open.
    """

    def __init__(self, journal: RunJournal, fields: Json) -> None:
        self._journal = journal
        self.entry, self._id = journal.add(Kind.ATTEMPT, fields)
        self._commands: list[str] = []
        self._artifacts: dict[str, Json] = {}

    def change(self, fields: Json) -> None:
        """Replace the fields of the entry."""
        self.entry = self._journal.checked(Kind.ATTEMPT, fields)
        self._journal.update(self._id, self.entry)

    @property
    def is_over(self) -> bool:
        """Whether its outcome was recorded."""
        return self.entry.get("result") not in (None, "in_progress")

    def succeed(self, output: str = "", *, lessons: str | None = None) -> None:
        """Record success."""
        self.complete("success", output=output or None, lessons=lessons)

    def fail(self, error: str, *, lessons: str | None = None) -> None:
        """Record a failure and its reason."""
        self.complete("failure", error=error, lessons=lessons)

    def partial(self, output: str, *, lessons: str | None = None) -> None:
        """Record a partial success."""
        self.complete("partial", output=output, lessons=lessons)

    def complete(self, result: str, **fields: Any) -> None:
        """Record the outcome."""
        self._journal.refuse_if_over()
        self.close(result, **fields)

    def close(self, result: str, **fields: Any) -> None:
        """Record the outcome, also while the run itself is ending."""
        outcome = plain_json(
            {"result": result, **{name: one for name, one in fields.items() if one is not None}}
        )
        require_valid(Kind.ATTEMPT.model, outcome, Kind.ATTEMPT, whole=False)
        self.entry |= outcome
        self._journal.update(self._id, outcome)

    def step(self, description: str, action: Json) -> None:
        """Record a step of it."""
        self._commands = [*self._commands, one_line(description, MAX_FIELD_LENGTH)][-MAX_STEPS_SHOWN:]
        fields: Json = {"commands": self._commands}
        if path := action.get("file_path"):
            verb = str(action["type"]).removeprefix("file_")
            status = "success" if action["result"]["success"] else "failure"
            self._artifacts[path] = {"path": path, "action": verb, "status": status}
            fields["artifacts"] = list(self._artifacts.values())[-MAX_STEPS_SHOWN:]
            self.entry["artifacts"] = fields["artifacts"]
        self._journal.update(self._id, fields)

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        with keep_error(error):
            if error is None or not is_failure(error):
                if not self.is_over:
                    self.succeed()
            elif not is_from_rum(error):
                reason = interruption_text(error)
                self.partial(reason) if reason else self.fail(reason_of(error))
