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
    JournalContext,
    JournalWritten,
    Kind,
    Part,
    Result,
    Validated,
    format_timestamp,
    require_valid,
    seconds_of,
    with_file_keys,
)
from rum.model.parse import parse
from rum.store.files.journal.archive import GRACE, archive, may_be_due
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import Sessions
from rum.store.files.journal.metadata import update_session_metadata
from rum.store.files.journal.text import JournalText

_MAX_ID_LENGTH = 100


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
        rate_limited: bool = True,
    ) -> None:
        self._caller = caller
        self._rate_limited = rate_limited
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
        with self._exclusive_call():
            now = self._caller.project.clock()
            plain = self._plain_fields(kind.model, {**(fields or {}), **more})
            entry = with_file_keys(kind.model, {**_defaults(kind, now), **plain})
            require_valid(kind.model, {"id": "placeholder", **entry}, kind, whole=True)
            entry_id = _checked_id(entry.pop("id", None))
            self._sessions.prepare()
            self._archive_if_full(now)
            entry_id, previous_text = self._file.add(kind, entry_id, entry, now)
            return self._after_write(now, previous_text, entry_id, kind)

    def update(self, id: str, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of an entry: maps are merged, lists replaced, None is written as null."""
        fields = {**(fields or {}), **more}
        if not fields or "id" in fields:
            raise InvalidQuery("update: give the fields to set; an entry keeps its id.", field="entry")
        with self._exclusive_call():
            now = self._caller.project.clock()

            def compute_changes(kind: Kind, entry: dict[str, Any]) -> dict[str, Any]:
                plain = self._plain_fields(kind.model, fields, keep_nulls=True)
                require_valid(kind.model, plain, kind, whole=False)
                return plain | _duration(kind, entry, plain, now)

            self._archive_if_full(now)
            return self._after_write(now, self._file.update(id, compute_changes, now), id)

    def context(self, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of the section `context`, the current state of the work; maps in it are merged."""
        fields = {**(fields or {}), **more}
        if not fields:
            raise InvalidQuery("context: give the fields to set, such as currentPlanStep.", field="entry")
        with self._exclusive_call():
            now = self._caller.project.clock()
            plain = self._plain_fields(JournalContext, fields, keep_nulls=True)
            require_valid(JournalContext, plain, "context", whole=False)
            self._sessions.prepare()
            self._archive_if_full(now)
            return self._after_write(now, self._file.set_context(plain, now))

    def kind_of(self, id: str) -> Kind:
        """The kind of an entry."""
        with self._exclusive_call():
            return self._file.read().get(id)[0]

    def entry(self, id: str) -> dict[str, Any]:
        """One entry with all its fields."""
        with self._exclusive_call():
            return self._caller.project.clean(self._file.read().get(id)[1].value)

    def entries(self, kind: Kind | str) -> list[dict[str, Any]]:
        """All entries of a kind, in order."""
        kind = parse(kind, Kind, "kind")
        with self._exclusive_call():
            found = [entry.value for entry in self._file.read().entries(kind.section)]
            return [self._caller.project.clean(entry) for entry in found]

    def situation(self) -> dict[str, Any]:
        """The section `context`; empty if there is none."""
        with self._exclusive_call():
            return self._caller.project.clean(self._file.read().context or {})

    def text(self) -> str:
        """The newest discoveries and failures and the context, as lines for a fenced block."""
        with self._exclusive_call():
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
            agents = self._sessions.agents(self.session)
            hint = f" Agents with a journal in this session: {', '.join(agents)}." if agents else ""
            raise NotFound(f"{self.agent} has no journal in {self.session}.{hint}", agent=self.agent)
        with self._exclusive_call():
            return check_file(self._file)

    def archive(self) -> JournalArchived:
        """Move entries older than two hours to the archive file, if the journal is long."""
        with self._exclusive_call():
            archived = archive(self._file, self._caller.project.clock())
        return JournalArchived(
            session=self.session,
            agent=self.agent,
            long=archived.due,
            moved=archived.moved,
            path=self._caller.relative(archived.path),
        )

    def tidy(self) -> str | None:
        """Archive old entries if due, as every write does; return a message if any were moved."""
        with self._exclusive_call():
            return (
                self._archive_if_due(self._file.read(), self._caller.project.clock()) if self.exists else None
            )

    def _exclusive_call(self) -> AbstractContextManager[None]:
        return self._caller.turn(rate_limited=self._rate_limited)

    def _plain_fields(
        self, model: type[Part], fields: dict[str, Any], *, keep_nulls: bool = False
    ) -> dict[str, Any]:
        """The fields as JSON values, with the keys of the file, without secrets."""
        try:
            values = cast("dict[str, Any]", msgspec.to_builtins(fields, enc_hook=os.fspath))
        except TypeError as error:
            raise InvalidQuery(f"Only JSON values can be written: {error}.") from None
        plain = self._caller.project.clean(with_file_keys(model, values))
        return plain if keep_nulls else {name: value for name, value in plain.items() if value is not None}

    def _archive_if_full(self, now: float) -> None:
        """Make space before the journal reaches its maximum size."""
        if self._file.is_full:
            with suppress(RumError):
                archive(self._file, now, entry_follows=True)

    def _after_write(
        self, now: float, previous_text: JournalText, entry_id: str | None = None, kind: Kind | None = None
    ) -> JournalWritten:
        """Update the session's metadata, and archive what is due."""
        hints = [self._update_metadata(now, kind), self._archive_if_due(previous_text, now)]
        return JournalWritten(
            session=self.session,
            agent=self.agent,
            path=self._caller.relative(self.path),
            id=entry_id or UNSET,
            hint=" ".join(filter(None, hints)) or UNSET,
        )

    def _update_metadata(self, now: float, kind: Kind | None) -> str | None:
        try:
            update_session_metadata(self._sessions, self.session, self.agent, now, kind=kind, task=self._task)
        except RumError as error:
            return f"Written, but the session's metadata could not be updated: {error.message}"
        return None

    def _archive_if_due(self, journal: JournalText, now: float) -> str | None:
        """Archive old entries if `journal`, the text before the write, shows that this may be due."""
        try:
            archived = archive(self._file, now, GRACE) if may_be_due(journal) else None
        except RumError as error:
            return f"This journal is long and could not be archived: {error.message}"
        if archived is None or not archived.moved:
            return None
        entries = sum(archived.moved.values())
        return f"Older entries ({entries}) were moved to {self._caller.relative(archived.path)}."


def check_file(file: JournalFile) -> Validated:
    """All problems of a journal's file."""
    found = list(file.findings())
    return Validated(file.path, not found, found)


def _defaults(kind: Kind, now: float) -> dict[str, Any]:
    defaults: dict[str, Any] = {"timestamp": format_timestamp(now)}
    if kind is Kind.DISCOVERY:
        defaults["importance"] = "medium"
    return defaults | ({"result": Result.IN_PROGRESS.value} if kind is Kind.ATTEMPT else {})


def _checked_id(value: object) -> str | None:
    if isinstance(value, str) and (len(value) > _MAX_ID_LENGTH or not value.isprintable()):
        raise InvalidQuery(f"An entry's id is one line of at most {_MAX_ID_LENGTH} characters.", field="id")
    return value if isinstance(value, str) else None


def _duration(kind: Kind, entry: dict[str, Any], plain: dict[str, Any], now: float) -> dict[str, Any]:
    """The duration to set on an attempt that is now finished; empty if it has one or it is unknown."""
    is_finished = plain.get("result") not in (None, Result.IN_PROGRESS)
    started_at = seconds_of(entry.get("timestamp"))
    if kind is not Kind.ATTEMPT or not is_finished or started_at is None or now < started_at:
        return {}
    if "duration_ms" in plain or entry.get("duration_ms") is not None:
        return {}
    return {"duration_ms": round((now - started_at) * 1000)}
