"""The journals of a project: one per agent and session, and what each agent did last."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, cast

from msgspec import UNSET, Struct

from rum.app.agents import caller_name
from rum.app.caller import Caller
from rum.app.calls import public
from rum.app.journal.agent_journal import AgentJournal, check_file
from rum.inject.journal import arbiter_prompt
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.journal import JournalRequest, JournalShown, Kind, SessionView, Validated
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import FORBIDDEN, Sessions
from rum.store.files.journal.metadata import metadata
from rum.store.files.journal.text import JournalText

UNNAMED_AGENT = "(nobody)"  # Shown for a journal that names no agent
MAX_SESSIONS_NAMED = 10  # Sessions that are named if one does not exist


@public
class Journals:
    """The sessions of an open project's checkout."""

    def __init__(self, caller: Caller, *, rate_limited: bool = True) -> None:
        self._caller = caller
        self._rate_limited = rate_limited

    def of(
        self,
        session: str | None = None,
        agent: str | None = None,
        task: str | None = None,
    ) -> AgentJournal:
        """An agent's journal of a session: by default the caller's, in the current session.

        `task` is what the session is about; the next write records it in the metadata.
        """
        caller, sessions = self._caller, self._sessions()
        with caller.project.locked():
            session = self.session(session)
            agent = self._agent(agent, session)
            return AgentJournal(caller, sessions, session, agent, task, rate_limited=self._rate_limited)

    def arbiter(self, session: str | None = None) -> str:
        """What each agent of a session did last, as a prompt for the arbiter that chooses the next one."""
        sessions = self._sessions()
        with self._caller.turn(rate_limited=self._rate_limited):
            files = sessions.files(self.session(session))
            return self._caller.project.redactor.redact(
                arbiter_prompt((file.agent or UNNAMED_AGENT, self._last(file)) for file in files)
            )

    def _last(self, file: JournalFile) -> dict[str, Any] | str | None:
        """An agent's last attempt, or why its journal cannot be read: the others are shown anyway."""
        try:
            return _last_attempt(file.read())
        except RumError as error:
            problem = error.message.replace(file.path, self._caller.relative(file.path))
            return f"the journal cannot be read: {problem}"

    def sessions(self, limit: int = 50) -> list[SessionView]:
        """The sessions with journals, the one written to last first."""
        sessions = self._sessions()
        with self._caller.turn(rate_limited=self._rate_limited):
            return [_view(sessions, name) for name in sessions.names()[:limit]]

    def validate_file(self, path: str | os.PathLike[str]) -> Validated:
        """All problems of the journal in any file, with line and field."""
        whole = os.path.realpath(path)
        if not os.path.isfile(whole):
            raise NotFound(f"There is no file {whole}.", path=whole)
        with self._caller.turn(rate_limited=self._rate_limited):
            return check_file(JournalFile(os.path.dirname(whole), whole, "", ""))

    def latest(self) -> str | None:
        """The session that was written to last."""
        return next(iter(self.names()), None)

    def missing(self, session: str) -> str | None:
        """A message for a session without journals, naming those that have some; None if it has any."""
        names = self.names()
        if session in names:
            return None
        more = f", and {len(names) - MAX_SESSIONS_NAMED} more" if len(names) > MAX_SESSIONS_NAMED else ""
        listed = ", ".join(f"`{name}`" for name in names[:MAX_SESSIONS_NAMED])
        hint = f"There are {listed}{more}, the latest first."
        return f"There is no session `{session}` here{'.' if names else ' yet, nor any other.'}" + (
            f" {hint}" if names else ""
        )

    def _sessions(self) -> Sessions:
        folder = self._caller.project.settings.folder("sessions_dir")
        if folder is None:
            raise InvalidQuery(
                "There is no folder for journals here: `sessions_dir` is off, or this project has no "
                "directory. `rum config` shows the setting.",
                field="sessions_dir",
            )
        return Sessions(folder)

    def session(self, given: str | None) -> str:
        """The session to use: the one named or set, else the current one."""
        return given or self._caller.project.settings.session or _folder_name(self._caller.session_id)

    def agents(self, session: str) -> list[str]:
        """Who has a journal in a session."""
        return self._sessions().agents(session)

    def names(self) -> list[str]:
        """The sessions with journals, the one written to last first."""
        return self._sessions().names()

    def validate(self, session: str) -> list[Validated]:
        """All problems of the journals of a session, also of one that names no agent."""
        with self._caller.turn(rate_limited=self._rate_limited):
            return [check_file(file) for file in self._sessions().files(session)]

    def _agent(self, given: str | None, session: str) -> str:
        named = given or caller_name(self._caller)
        if named:
            return _folder_name(named) if named == self._caller.client else named
        there = self._sessions().agents(session)
        if len(there) == 1:
            return there[0]
        some = f" There are {', '.join(there)}." if there else ""
        raise InvalidQuery(f"Give the agent whose journal it is.{some}", field="agent", allowed=there)


def call(caller: Caller, question: JournalRequest) -> Struct:
    """The call `journal`: what to do, and the fields that this needs."""
    journals = Journals(caller, rate_limited=False)
    if question.action == "arbiter":
        session = journals.session(question.session)
        hint = journals.missing(session) or UNSET
        return JournalShown(session=session, text=journals.arbiter(session), hint=hint)
    journal = journals.of(question.session, question.agent, question.task)
    return _ACTIONS[question.action](journals, journal, question)


def _add(_: Journals, journal: AgentJournal, question: JournalRequest) -> Struct:
    if question.kind is None:
        allowed = [str(kind) for kind in Kind]
        raise InvalidQuery(
            f"journal: `kind` is required to add: {', '.join(allowed)}.", field="kind", allowed=allowed
        )
    return journal.add(question.kind, (question.entry or {}) | ({"id": question.id} if question.id else {}))


def _update(_: Journals, journal: AgentJournal, question: JournalRequest) -> Struct:
    if question.id is None:
        raise InvalidQuery("journal: give `id`, the entry to update.", field="id")
    return journal.update(question.id, question.entry)


def _context(_: Journals, journal: AgentJournal, question: JournalRequest) -> Struct:
    return journal.context(question.entry)


def _show(journals: Journals, journal: AgentJournal, question: JournalRequest) -> Struct:
    if question.id is not None:
        entry = journal.entry(question.id)
        return JournalShown(session=journal.session, agent=journal.agent, entry=entry)
    hint = (
        UNSET
        if journal.exists
        else journals.missing(journal.session) or _other_agents_hint(journals, journal)
    )
    return JournalShown(session=journal.session, agent=journal.agent, text=journal.prompt(), hint=hint)


def _other_agents_hint(journals: Journals, journal: AgentJournal) -> str:
    agents = ", ".join(journals.agents(journal.session))
    return f"`{journal.agent}` has no journal in `{journal.session}`; there are {agents}."


_ACTIONS: dict[str, Callable[[Journals, AgentJournal, JournalRequest], Struct]] = {
    "add": _add,
    "update": _update,
    "context": _context,
    "show": _show,
}


def _last_attempt(journal: JournalText) -> dict[str, Any] | None:
    """The last attempt; if all were archived, the last one in the history."""
    if attempts := journal.entries("attempts"):
        return attempts[-1].value
    for period in reversed(journal.entries("history")):
        entries = period.value.get("entries")
        named = cast("list[dict[str, Any]]", entries) if isinstance(entries, list) else []
        for one in reversed(named):
            if "result" in one:
                return {"result": one["result"], "description": one.get("title")}
    return None


def _view(sessions: Sessions, session: str) -> SessionView:
    try:
        found = metadata(sessions, session)
    except RumError as error:
        found: dict[str, Any] = {"task": f"(cannot be read: {error.message})"}
    counts = found.get("counts")
    return SessionView(
        session=session,
        agents=[str(one) for one in cast("list[object]", found.get("agents") or [])],
        task=str(found.get("task") or ""),
        start=str(found.get("start") or ""),
        end=str(found.get("end") or ""),
        counts=cast("dict[str, int]", counts) if isinstance(counts, dict) else {},
    )


def _folder_name(text: str) -> str:
    """A name with the characters replaced that no folder may have."""
    return re.sub(FORBIDDEN, "-", text)[:100]
