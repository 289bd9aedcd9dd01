"""The journal of a run: attempts, discoveries and decisions as they happen; file errors stop nothing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.calls import plain_json, public
from rum.app.journal.agent_journal import AgentJournal
from rum.app.journal.journals import Journals
from rum.app.runs.exception import interruption_text, is_failure, is_from_rum, keep_error, reason_of
from rum.model.errors import InvalidQuery, RumError
from rum.model.journal import JournalContext, Kind, format_timestamp, require_valid, with_file_keys
from rum.model.runs import RunRequest
from rum.text.shorten import one_line

Json = dict[str, Any]
SHOWN = 50  # The maximum of steps in the entry of an attempt: the last ones
LONGEST = 2000  # Characters of what a run says of itself in the journal


class RunJournal:
    """One agent's journal as its run writes it; without a folder for journals nothing is written."""

    def __init__(self, caller: Caller, run: RunRequest, problems: list[str]) -> None:
        self._caller = caller
        self._problems = problems
        self.is_over = False
        """Whether the run is over: then nothing is written any more."""
        self._journal: AgentJournal | None = None
        if caller.project.settings.folder("sessions_dir") is not None:
            with self.record_problems():
                self._journal = Journals(caller, rate_limited=False).of(run.session, run.agent, run.task)

    @property
    def session(self) -> str | None:
        """The session under which it is kept; None where there is none."""
        return self._journal and self._journal.session

    @contextmanager
    def record_problems(self) -> Generator[None]:
        """Record errors of the file as problems, and go on."""
        try:
            yield
        except (RumError, OSError) as error:
            self._problems.append(f"The journal was not written: {error}")

    def refuse_if_over(self) -> None:
        """InvalidQuery once the run is over: its memory is written, and what comes now would be lost."""
        if self.is_over:
            raise InvalidQuery(
                "This run is over and its memory is stored; nothing was written. Call this within the `with` "
                "block, start another run, or correct the memory with `update_memory`.",
                field="run",
            )

    def add(self, kind: Kind, fields: Json) -> tuple[Json, str | None]:
        """Check and write an entry; the entry, and its id or None if it could not be written."""
        entry = self.checked(kind, fields)
        if self._journal is not None:
            with self.record_problems():
                written = self._journal.add(kind, entry)
                return entry, None if written.id is UNSET else written.id
        return entry, None

    def checked(self, kind: Kind, fields: Json) -> Json:
        """An entry as journals spell it; InvalidQuery says what is wrong with one."""
        entry = with_file_keys(kind.model, {name: one for name, one in fields.items() if one is not None})
        known = {"id": "new", "timestamp": format_timestamp(self._caller.project.clock())}
        known |= {"result": "in_progress"} if kind is Kind.ATTEMPT else {}
        require_valid(kind.model, known | entry, kind, whole=True)
        return entry

    def update(self, entry_id: str | None, fields: Json) -> None:
        """Change an entry that was written."""
        if self._journal is not None and entry_id is not None and fields:
            with self.record_problems():
                self._journal.update(entry_id, fields)

    def close(self) -> None:
        """Refuse further entries, and archive what is due."""
        self.is_over = True
        if self._journal is not None:
            with self.record_problems():
                self._journal.tidy()

    def context(self, fields: Json) -> None:
        """Write the current state of the work."""
        if not fields:
            raise InvalidQuery("stand: give the fields to set, such as current_plan_step.", field="stand")
        require_valid(JournalContext, with_file_keys(JournalContext, fields), "context", whole=False)
        if self._journal is not None:
            with self.record_problems():
                self._journal.context(fields)


@public
class Attempt:
    """Something that is tried within a run; leaving its block without an outcome means that it worked.

    A wrong call of RUM says nothing of it: what was tried is then still going on.
    """

    def __init__(self, journal: RunJournal, fields: Json) -> None:
        self._journal = journal
        self.entry, self._id = journal.add(Kind.ATTEMPT, fields)
        self._commands: list[str] = []
        self._artifacts: dict[str, Json] = {}

    def change(self, fields: Json) -> None:
        """Try it in another way, or something else."""
        self.entry = self._journal.checked(Kind.ATTEMPT, fields)
        self._journal.update(self._id, self.entry)

    @property
    def is_over(self) -> bool:
        """Whether its outcome was recorded."""
        return self.entry.get("result") not in (None, "in_progress")

    def succeed(self, output: str = "", *, lessons: str | None = None) -> None:
        """It worked."""
        self.complete("success", output=output or None, lessons=lessons)

    def fail(self, error: str, *, lessons: str | None = None) -> None:
        """It did not work, and why."""
        self.complete("failure", error=error, lessons=lessons)

    def partial(self, output: str, *, lessons: str | None = None) -> None:
        """Some of it worked."""
        self.complete("partial", output=output, lessons=lessons)

    def complete(self, result: str, **fields: Any) -> None:
        """Record how it ended."""
        self._journal.refuse_if_over()
        self.close(result, **fields)

    def close(self, result: str, **fields: Any) -> None:
        """Record how it ended, also while the run itself is ending."""
        outcome = plain_json(
            {"result": result, **{name: one for name, one in fields.items() if one is not None}}
        )
        require_valid(Kind.ATTEMPT.model, outcome, Kind.ATTEMPT, whole=False)
        self.entry |= outcome
        self._journal.update(self._id, outcome)

    def step(self, description: str, action: Json) -> None:
        """Record a step of it."""
        self._commands = [*self._commands, one_line(description, LONGEST)][-SHOWN:]
        fields: Json = {"commands": self._commands}
        if path := action.get("file_path"):
            verb = str(action["type"]).removeprefix("file_")
            status = "success" if action["result"]["success"] else "failure"
            self._artifacts[path] = {"path": path, "action": verb, "status": status}
            fields["artifacts"] = list(self._artifacts.values())[-SHOWN:]
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
