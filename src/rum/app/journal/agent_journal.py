"""One agent's journal of one session: writing entries, and rendering it for a prompt."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, cast

import msgspec
from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.calls import public
from rum.inject.journal import DISCOVERIES, FAILURES, agent_prompt, journal_context
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.journal import (
    JournalArchived,
    JournalWritten,
    Kind,
    Part,
    Result,
    Situation,
    Validated,
    moment,
    refuse_problems,
    seconds_of,
    spelt,
)
from rum.model.parse import parse
from rum.store.files.journal.archive import GRACE, archive, may_be_due
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import Sessions
from rum.store.files.journal.metadata import note_work
from rum.store.files.journal.text import JournalText

_LONGEST_ID = 100


@public
class AgentJournal:
    """A journal; its file is created by the first write."""

    def __init__(
        self,
        caller: Caller,
        sessions: Sessions,
        session: str,
        agent: str,
        task: str | None = None,
        *,
        counted: bool = True,
    ) -> None:
        self._caller = caller
        self._counted = counted
        self._sessions = sessions
        self._task = task and caller.project.redactor.redact(task)
        self._file: JournalFile = sessions.journal(session, agent)

    @property
    def session(self) -> str:
        """The session it belongs to."""
        return self._file.session

    @property
    def agent(self) -> str:
        """The agent it belongs to."""
        return self._file.agent

    @property
    def path(self) -> str:
        """The path of its file."""
        return self._file.path

    @property
    def exists(self) -> bool:
        """Whether anything was written yet."""
        return self._file.exists

    def discovery(self, type: str, content: str, **more: Any) -> JournalWritten:
        """Record something learned about the code or the task."""
        return self.add(Kind.DISCOVERY, type=type, content=content, **more)

    def attempt(self, description: str, **more: Any) -> JournalWritten:
        """Record an attempt that begins now; `complete` records its outcome."""
        return self.add(Kind.ATTEMPT, description=description, **more)

    def complete(self, id: str, result: str, **more: Any) -> JournalWritten:
        """Record the outcome of an attempt (`output`, `error`), and what it taught (`lessons`).

        The duration is counted from its timestamp, unless `duration_ms` is given.
        """
        return self.update(id, result=result, **more)

    def decision(self, type: str, description: str, **more: Any) -> JournalWritten:
        """Record a significant decision."""
        return self.add(Kind.DECISION, type=type, description=description, **more)

    def add(
        self, kind: Kind | str, fields: Mapping[str, Any] | None = None, /, **more: Any
    ) -> JournalWritten:
        """Append an entry. Id and timestamp are generated if missing; unknown fields are kept."""
        kind = parse(kind, Kind, "kind")
        with self._turn():
            now = self._caller.project.clock()
            plain = self._plain_fields(kind.model, {**(fields or {}), **more})
            entry = spelt(kind.model, {**_defaults(kind, now), **plain})
            refuse_problems(kind.model, {"id": "made", **entry}, kind, whole=True)
            entry_id = _checked_id(entry.pop("id", None))
            self._sessions.prepare()
            self._archive_if_full(now)
            entry_id, before = self._file.add(kind, entry_id, entry, now)
            return self._after_write(now, before, entry_id, kind)

    def update(self, id: str, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of an entry: maps are merged, lists replaced, None is written as null."""
        fields = {**(fields or {}), **more}
        if not fields or "id" in fields:
            raise InvalidQuery("update: give the fields to set; an entry keeps its id.", field="entry")
        with self._turn():
            now = self._caller.project.clock()

            def changes(kind: Kind, entry: dict[str, Any]) -> dict[str, Any]:
                plain = self._plain_fields(kind.model, fields, nulls=True)
                refuse_problems(kind.model, plain, kind, whole=False)
                return plain | _duration(kind, entry, plain, now)

            self._archive_if_full(now)
            return self._after_write(now, self._file.update(id, changes, now), id)

    def context(self, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of the section `context`, the current state of the work; maps in it are merged."""
        fields = {**(fields or {}), **more}
        if not fields:
            raise InvalidQuery("context: give the fields to set, such as currentPlanStep.", field="entry")
        with self._turn():
            now = self._caller.project.clock()
            plain = self._plain_fields(Situation, fields, nulls=True)
            refuse_problems(Situation, plain, "context", whole=False)
            self._sessions.prepare()
            self._archive_if_full(now)
            return self._after_write(now, self._file.set_context(plain, now))

    def kind_of(self, id: str) -> Kind:
        """The kind of an entry."""
        with self._turn():
            return self._file.read().get(id)[0]

    def entry(self, id: str) -> dict[str, Any]:
        """One entry with all its fields."""
        with self._turn():
            return self._caller.project.clean(self._file.read().get(id)[1].value)

    def entries(self, kind: Kind | str) -> list[dict[str, Any]]:
        """All entries of a kind, in order."""
        kind = parse(kind, Kind, "kind")
        with self._turn():
            found = [entry.value for entry in self._file.read().entries(kind.section)]
            return [self._caller.project.clean(entry) for entry in found]

    def situation(self) -> dict[str, Any]:
        """The section `context`; empty if there is none."""
        with self._turn():
            return self._caller.project.clean(self._file.read().context or {})

    def text(self) -> str:
        """The newest discoveries and failures and the context, as lines for a fenced block."""
        with self._turn():
            journal = self._file.read()
            failures = journal.newest("attempts", FAILURES, result=Result.FAILURE)
            found = journal.newest("discoveries", DISCOVERIES)
            return self._caller.project.redactor.redact(journal_context(found, failures, journal.context))

    def prompt(self, system_prompt: str = "") -> str:
        """A system prompt followed by the fenced lines of `text`."""
        return agent_prompt(system_prompt, self.text())

    def validate(self) -> Validated:
        """All problems of the file, with line and field."""
        if not self.exists:
            there = self._sessions.agents(self.session)
            some = f" There are those of {', '.join(there)}." if there else ""
            raise NotFound(f"{self.agent} has no journal in {self.session}.{some}", agent=self.agent)
        with self._turn():
            return check_file(self._file)

    def archive(self) -> JournalArchived:
        """Move entries older than two hours to the archive file, if the journal is long."""
        with self._turn():
            done = archive(self._file, self._caller.project.clock())
        return JournalArchived(
            session=self.session,
            agent=self.agent,
            long=done.due,
            moved=done.moved,
            path=self._caller.relative(done.path),
        )

    def tidy(self) -> str | None:
        """Archive what is due, as every write does; a message if anything was moved."""
        with self._turn():
            return (
                self._archive_if_due(self._file.read(), self._caller.project.clock()) if self.exists else None
            )

    def _turn(self) -> AbstractContextManager[None]:
        return self._caller.turn(counted=self._counted)

    def _plain_fields(
        self, model: type[Part], fields: dict[str, Any], *, nulls: bool = False
    ) -> dict[str, Any]:
        """The fields as JSON values, spelt as in the file, without secrets."""
        try:
            values = cast("dict[str, Any]", msgspec.to_builtins(fields, enc_hook=os.fspath))
        except TypeError as error:
            raise InvalidQuery(f"Only JSON values can be written: {error}.") from None
        plain = self._caller.project.clean(spelt(model, values))
        return plain if nulls else {name: value for name, value in plain.items() if value is not None}

    def _archive_if_full(self, now: float) -> None:
        """Make space before the journal reaches its maximum size."""
        if self._file.is_full:
            with suppress(RumError):
                archive(self._file, now, entry_follows=True)

    def _after_write(
        self, now: float, before: JournalText, entry_id: str | None = None, kind: Kind | None = None
    ) -> JournalWritten:
        """Update the session's metadata, and archive what is due."""
        words = [self._update_metadata(now, kind), self._archive_if_due(before, now)]
        return JournalWritten(
            session=self.session,
            agent=self.agent,
            path=self._caller.relative(self.path),
            id=entry_id or UNSET,
            hint=" ".join(filter(None, words)) or UNSET,
        )

    def _update_metadata(self, now: float, kind: Kind | None) -> str | None:
        try:
            note_work(self._sessions, self.session, self.agent, now, kind=kind, task=self._task)
        except RumError as error:
            return f"Written, but the session's metadata could not be updated: {error.message}"
        return None

    def _archive_if_due(self, journal: JournalText, now: float) -> str | None:
        """Archive old entries if the journal before the write says that this is due."""
        try:
            moved = archive(self._file, now, GRACE) if may_be_due(journal) else None
        except RumError as error:
            return f"This journal is long and could not be archived: {error.message}"
        if moved is None or not moved.moved:
            return None
        entries = sum(moved.moved.values())
        return f"Older entries ({entries}) were moved to {self._caller.relative(moved.path)}."


def check_file(file: JournalFile) -> Validated:
    """All problems of a journal's file."""
    found = list(file.findings())
    return Validated(file.path, not found, found)


def _defaults(kind: Kind, now: float) -> dict[str, Any]:
    defaults: dict[str, Any] = {"timestamp": moment(now)}
    if kind is Kind.DISCOVERY:
        defaults["importance"] = "medium"
    return defaults | ({"result": Result.IN_PROGRESS.value} if kind is Kind.ATTEMPT else {})


def _checked_id(value: object) -> str | None:
    if isinstance(value, str) and (len(value) > _LONGEST_ID or not value.isprintable()):
        raise InvalidQuery(f"An entry's id is one line of at most {_LONGEST_ID} characters.", field="id")
    return value if isinstance(value, str) else None


def _duration(kind: Kind, entry: dict[str, Any], plain: dict[str, Any], now: float) -> dict[str, Any]:
    """The duration of an attempt that is over, if it has none."""
    over = plain.get("result") not in (None, Result.IN_PROGRESS)
    begun = seconds_of(entry.get("timestamp"))
    if kind is not Kind.ATTEMPT or not over or begun is None or now < begun:
        return {}
    if "duration_ms" in plain or entry.get("duration_ms") is not None:
        return {}
    return {"duration_ms": round((now - begun) * 1000)}
