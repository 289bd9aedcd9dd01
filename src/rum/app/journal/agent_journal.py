"""One agent's journal of one session: what it takes down at each point of the work, and what it shows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, cast

import msgspec
from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.error_origin import public
from rum.inject.journal import DISCOVERIES, FAILURES, agent_prompt, journal_context
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.journal import Kind, Part, Result, Situation, moment, seconds_of
from rum.model.journal_answers import JournalArchived, JournalWritten, Validated
from rum.model.journal_check import refuse_problems, spelt
from rum.model.parse import parse
from rum.store.files.journal.archive import GRACE, archive, may_be_due
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import Sessions
from rum.store.files.journal.metadata import note_work
from rum.store.files.journal.text import JournalText

_LONGEST_ID = 100


@public
class AgentJournal:
    """A journal, which need not exist yet: the first thing that is written down makes it."""

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
        """The session it is of."""
        return self._file.session

    @property
    def agent(self) -> str:
        """Whose it is."""
        return self._file.agent

    @property
    def path(self) -> str:
        """The file it lies in."""
        return self._file.path

    @property
    def exists(self) -> bool:
        """Whether anything was written down yet."""
        return self._file.exists

    def discovery(self, type: str, content: str, **more: Any) -> JournalWritten:
        """Something was learned about the code or the task."""
        return self.add(Kind.DISCOVERY, type=type, content=content, **more)

    def attempt(self, description: str, **more: Any) -> JournalWritten:
        """Something is about to be tried; `complete` says later what came of it."""
        return self.add(Kind.ATTEMPT, description=description, **more)

    def complete(self, id: str, result: str, **more: Any) -> JournalWritten:
        """An attempt is over: what came of it (`output`, `error`), and what it taught (`lessons`).

        How long it took is reckoned from its beginning, unless `duration_ms` says it.
        """
        return self.update(id, result=result, **more)

    def decision(self, type: str, description: str, **more: Any) -> JournalWritten:
        """A choice that mattered was made."""
        return self.add(Kind.DECISION, type=type, description=description, **more)

    def add(
        self, kind: Kind | str, fields: Mapping[str, Any] | None = None, /, **more: Any
    ) -> JournalWritten:
        """Append an entry. An id and the time are made where they are not given; unknown fields are kept."""
        kind = parse(kind, Kind, "kind")
        with self._turn():
            now = self._caller.project.clock()
            told = self._told(kind.model, {**(fields or {}), **more})
            entry = spelt(kind.model, {**_usual(kind, now), **told})
            refuse_problems(kind.model, {"id": "made", **entry}, kind, whole=True)
            entry_id = _checked_id(entry.pop("id", None))
            self._sessions.prepare()
            self._make_room(now)
            entry_id, before = self._file.add(kind, entry_id, entry, now)
            return self._written(now, before, entry_id, kind)

    def update(self, id: str, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of an entry: maps are merged, lists replaced, None is written as null."""
        fields = {**(fields or {}), **more}
        if not fields or "id" in fields:
            raise InvalidQuery("update: give the fields to set; an entry keeps its id.", field="entry")
        with self._turn():
            now = self._caller.project.clock()

            def changes(kind: Kind, entry: dict[str, Any]) -> dict[str, Any]:
                told = self._told(kind.model, fields, nulls=True)
                refuse_problems(kind.model, told, kind, whole=False)
                return told | _duration(kind, entry, told, now)

            self._make_room(now)
            return self._written(now, self._file.update(id, changes, now), id)

    def context(self, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set where the agent stands: the fields of the section `context`; maps in it are merged."""
        fields = {**(fields or {}), **more}
        if not fields:
            raise InvalidQuery("context: give the fields to set, such as currentPlanStep.", field="entry")
        with self._turn():
            now = self._caller.project.clock()
            told = self._told(Situation, fields, nulls=True)
            refuse_problems(Situation, told, "context", whole=False)
            self._sessions.prepare()
            self._make_room(now)
            return self._written(now, self._file.set_context(told, now))

    def kind_of(self, id: str) -> Kind:
        """What kind of entry one is."""
        with self._turn():
            return self._file.read().get(id)[0]

    def entry(self, id: str) -> dict[str, Any]:
        """One entry with everything in it."""
        with self._turn():
            return self._caller.project.clean(self._file.read().get(id)[1].value)

    def entries(self, kind: Kind | str) -> list[dict[str, Any]]:
        """All entries of a kind, in their order."""
        kind = parse(kind, Kind, "kind")
        with self._turn():
            found = [entry.value for entry in self._file.read().entries(kind.section)]
            return [self._caller.project.clean(entry) for entry in found]

    def situation(self) -> dict[str, Any]:
        """The section `context`, empty where there is none."""
        with self._turn():
            return self._caller.project.clean(self._file.read().context or {})

    def text(self) -> str:
        """The newest discoveries and failures and where the agent stands, as lines to put behind a fence."""
        with self._turn():
            journal = self._file.read()
            failures = journal.newest("attempts", FAILURES, result=Result.FAILURE)
            found = journal.newest("discoveries", DISCOVERIES)
            return self._caller.project.redactor.redact(journal_context(found, failures, journal.context))

    def prompt(self, system_prompt: str = "") -> str:
        """A system prompt with those lines after it, fenced as background."""
        return agent_prompt(system_prompt, self.text())

    def validate(self) -> Validated:
        """Everything that is wrong with the file, with lines and fields."""
        if not self.exists:
            there = self._sessions.agents(self.session)
            some = f" There are those of {', '.join(there)}." if there else ""
            raise NotFound(f"{self.agent} has no journal in {self.session}.{some}", agent=self.agent)
        with self._turn():
            return checked(self._file)

    def archive(self) -> JournalArchived:
        """Move what is older than two hours to the archive beside it, if the journal has grown long."""
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
        """Archive what is due, as all that is written does; a word on it, if there is any."""
        with self._turn():
            return self._tidied(self._file.read(), self._caller.project.clock()) if self.exists else None

    def _turn(self) -> AbstractContextManager[None]:
        return self._caller.turn(counted=self._counted)

    def _told(self, model: type[Part], fields: dict[str, Any], *, nulls: bool = False) -> dict[str, Any]:
        """The fields as plain values, spelt as in the file, and without secrets."""
        try:
            plain = cast("dict[str, Any]", msgspec.to_builtins(fields, enc_hook=os.fspath))
        except TypeError as error:
            raise InvalidQuery(f"Only what JSON can say can be written down: {error}.") from None
        told = self._caller.project.clean(spelt(model, plain))
        return told if nulls else {name: value for name, value in told.items() if value is not None}

    def _make_room(self, now: float) -> None:
        """Before a journal takes no entry any more, archive what can be."""
        if self._file.is_full:
            with suppress(RumError):
                archive(self._file, now, entry_follows=True)

    def _written(
        self, now: float, before: JournalText, entry_id: str | None = None, kind: Kind | None = None
    ) -> JournalWritten:
        """What is done once something is written down: the account of the session, and what is due."""
        words = [self._noted(now, kind), self._tidied(before, now)]
        return JournalWritten(
            session=self.session,
            agent=self.agent,
            path=self._caller.relative(self.path),
            id=entry_id or UNSET,
            hint=" ".join(filter(None, words)) or UNSET,
        )

    def _noted(self, now: float, kind: Kind | None) -> str | None:
        try:
            note_work(self._sessions, self.session, self.agent, now, kind=kind, task=self._task)
        except RumError as error:
            return f"Written down, but not told in the session's metadata: {error.message}"
        return None

    def _tidied(self, journal: JournalText, now: float) -> str | None:
        """Archive what is old, if the journal as it was says that this is due."""
        try:
            moved = archive(self._file, now, GRACE) if may_be_due(journal) else None
        except RumError as error:
            return f"This journal has grown long, and could not be archived: {error.message}"
        if moved is None or not moved.moved:
            return None
        entries = sum(moved.moved.values())
        return f"Older entries ({entries}) were moved to {self._caller.relative(moved.path)}."


def checked(file: JournalFile) -> Validated:
    """Everything that is wrong with a journal's file."""
    found = list(file.findings())
    return Validated(file.path, not found, found)


def _usual(kind: Kind, now: float) -> dict[str, Any]:
    usual: dict[str, Any] = {"timestamp": moment(now)}
    if kind is Kind.DISCOVERY:
        usual["importance"] = "medium"
    return usual | ({"result": Result.IN_PROGRESS.value} if kind is Kind.ATTEMPT else {})


def _checked_id(given: object) -> str | None:
    if isinstance(given, str) and (len(given) > _LONGEST_ID or not given.isprintable()):
        raise InvalidQuery(f"An entry's id is one line of at most {_LONGEST_ID} characters.", field="id")
    return given if isinstance(given, str) else None


def _duration(kind: Kind, entry: dict[str, Any], told: dict[str, Any], now: float) -> dict[str, Any]:
    """How long an attempt took, when it is over and nobody said it."""
    over = told.get("result") not in (None, Result.IN_PROGRESS)
    begun = seconds_of(entry.get("timestamp"))
    if kind is not Kind.ATTEMPT or not over or begun is None or now < begun:
        return {}
    if "duration_ms" in told or entry.get("duration_ms") is not None:
        return {}
    return {"duration_ms": round((now - begun) * 1000)}
