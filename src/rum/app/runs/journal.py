"""The journal of a run: attempts, discoveries and decisions as they happen; file errors do not stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rum.app.caller import Caller
from rum.app.calls import plain_json, public
from rum.app.journal import AgentJournal, Journals
from rum.app.runs.record import (
    MAX_FIELD_LENGTH,
    interruption_text,
    is_failure,
    is_from_rum,
    keep_error,
    reason_of,
)
from rum.model.errors import InvalidQuery, RumError
from rum.model.journal import JournalContext, Kind, format_timestamp, require_valid, with_file_keys
from rum.model.runs import RunRequest
from rum.text.shorten import one_line

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
            raise InvalidQuery("stand: give the fields to set, such as current_plan_step.", field="stand")
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
