"""Journals, one per agent and session: their entries, their text for a prompt, and the call `journal`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from rum.app.agents import caller_name
from rum.app.caller import Caller
from rum.app.calls import public
from rum.app.journal.entries import entries_of, search_entries, task_sections, trace_entry
from rum.inject.journal import DISCOVERIES, FAILURES, agent_prompt, arbiter_prompt, journal_context
from rum.model.errors import NO_RESULTS, InvalidQuery, NotFound, RumError
from rum.model.fields import parse
from rum.model.journal import (
    JournalArchived,
    JournalContext,
    JournalFound,
    JournalRequest,
    JournalSearched,
    JournalShown,
    JournalTraced,
    JournalWritten,
    Kind,
    Part,
    Result,
    SessionView,
    Validated,
    format_timestamp,
    require_valid,
    seconds_of,
    with_file_keys,
)
from rum.store.files.journal.archive import GRACE, archive, archived_texts, may_be_due, size_remarks
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import FORBIDDEN, Sessions
from rum.store.files.journal.metadata import metadata, update_session_metadata
from rum.store.files.journal.text import JournalText

UNNAMED_AGENT = "(nobody)"  # Shown for a journal that names no agent
MAX_SESSIONS_NAMED = 10  # Sessions that are named if one does not exist
MAX_SESSIONS_SEARCHED = 100  # The latest ones
_MAX_ID_LENGTH = 100
_FILLED = ("id", "timestamp", "result")  # Fields that are filled in
MAX_TRACE = 20


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
        self.session, self.agent, self.path = self._file.session, self._file.agent, self._file.path

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
        with self._locked_call():
            now = self._caller.project.clock()
            given = self._plain_fields(kind.model, {**(fields or {}), **more})
            # Null is a value, but no id, time or result.
            plain = {name: value for name, value in given.items() if value is not None or name not in _FILLED}
            defaults: dict[str, Any] = {"timestamp": format_timestamp(now)}
            if kind is Kind.DISCOVERY:
                defaults["importance"] = "medium"
            elif kind is Kind.ATTEMPT:
                defaults["result"] = Result.IN_PROGRESS.value
            entry = with_file_keys(kind.model, defaults | plain)
            require_valid(kind.model, {"id": "placeholder", **entry}, kind, whole=True)
            entry_id: str | None = entry.pop("id", None)
            if entry_id and (len(entry_id) > _MAX_ID_LENGTH or not entry_id.isprintable()):
                message = f"An entry's id is one line of at most {_MAX_ID_LENGTH} characters."
                raise InvalidQuery(message, field="id")
            self._sessions.prepare()
            self._archive_if_full(now)
            entry_id, previous_text = self._file.add(kind, entry_id, entry, now)
            return self._after_write(now, previous_text, entry_id, kind)

    def update(self, id: str, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of an entry: maps are merged, lists replaced, None is written as null."""
        fields = {**(fields or {}), **more}
        if not fields or "id" in fields:
            raise InvalidQuery("update: give the fields to set; an entry keeps its id.", field="entry")
        with self._locked_call():
            now = self._caller.project.clock()

            def compute_changes(kind: Kind, entry: dict[str, Any]) -> dict[str, Any]:
                plain = self._plain_fields(kind.model, fields)
                require_valid(kind.model, plain, kind, whole=False)
                return plain | _duration(kind, entry, plain, now)

            self._archive_if_full(now)
            return self._after_write(now, self._file.update(id, compute_changes, now), id)

    def context(self, fields: Mapping[str, Any] | None = None, /, **more: Any) -> JournalWritten:
        """Set fields of the section `context`, the current state of the work; maps in it are merged."""
        fields = {**(fields or {}), **more}
        if not fields:
            raise InvalidQuery("context: give the fields to set, such as currentPlanStep.", field="entry")
        with self._locked_call():
            now = self._caller.project.clock()
            plain = self._plain_fields(JournalContext, fields)
            require_valid(JournalContext, plain, "context", whole=False)
            self._sessions.prepare()
            self._archive_if_full(now)
            return self._after_write(now, self._file.set_context(plain, now))

    def kind_of(self, id: str) -> Kind:
        """The kind of an entry."""
        with self._locked_call():
            return self._file.read().get(id)[0]

    def entry(self, id: str) -> dict[str, Any]:
        """One entry with all its fields."""
        with self._locked_call():
            return self._caller.project.clean(self._find(id))

    def _find(self, id: str) -> dict[str, Any]:
        """An entry of the journal or else of its archive."""
        try:
            return self._file.read().get(id)[1].value
        except NotFound:
            for text in reversed(archived_texts(self._file)):
                if found := text.find(id):
                    return found[1].value
            raise

    def trace(self, id: str, max_depth: int = 3) -> JournalTraced:
        """An entry, what it names and what names it, and so on; archived entries included."""
        if not 1 <= max_depth <= MAX_TRACE:
            raise InvalidQuery(f"trace: `max_depth` is 1 to {MAX_TRACE}.", field="max_depth")
        clean = self._caller.project.clean
        with self._locked_call():
            entry = clean(self._find(id))
            chain = trace_entry(entries_of(self._file), id, max_depth)
            return JournalTraced(
                session=self.session,
                agent=self.agent,
                entry=entry,
                chain=[replace(one, entry=clean(one.entry)) for one in chain],
                code=UNSET if chain else NO_RESULTS,
                hint=UNSET if chain else f"`{id}` names no other entry, and none names it.",
            )

    def remarks(self) -> list[str]:
        """What is noteworthy about the file: that it is larger than it should be."""
        with self._locked_call():
            return size_remarks(self._file.read())

    def entries(self, kind: Kind | str) -> list[dict[str, Any]]:
        """All entries of a kind, in order."""
        kind = parse(kind, Kind, "kind")
        with self._locked_call():
            found = [entry.value for entry in self._file.read().entries(kind.section)]
            return [self._caller.project.clean(entry) for entry in found]

    def situation(self) -> dict[str, Any]:
        """The section `context`; empty if there is none."""
        with self._locked_call():
            return self._caller.project.clean(self._file.read().context or {})

    def text(self) -> str:
        """The newest discoveries and failures and the context, as lines for a fenced block."""
        with self._locked_call():
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
        with self._locked_call():
            return _check_file(self._file)

    def archive(self) -> JournalArchived:
        """Move entries older than two hours to the archive file, if the journal is long."""
        with self._locked_call():
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
        with self._locked_call():
            if not self.exists:
                return None
            return self._archive_if_due(self._file.read(), self._caller.project.clock())

    def _locked_call(self) -> AbstractContextManager[None]:
        return self._caller.locked_call(rate_limited=self._rate_limited)

    def _plain_fields(self, model: type[Part], fields: dict[str, Any]) -> dict[str, Any]:
        """The fields as JSON values, with the keys of the file, without secrets."""
        try:
            values = cast("dict[str, Any]", msgspec.to_builtins(fields, enc_hook=os.fspath))
        except TypeError as error:
            raise InvalidQuery(f"Only JSON values can be written: {error}.") from None
        return self._caller.project.clean(with_file_keys(model, values))

    def _archive_if_full(self, now: float) -> None:
        """Make space before the journal reaches its maximum size."""
        if self._file.is_full:
            with suppress(RumError):
                archive(self._file, now, entry_follows=True)

    def _after_write(
        self, now: float, previous_text: JournalText, entry_id: str | None = None, kind: Kind | None = None
    ) -> JournalWritten:
        """Update the session's metadata, and archive what is due."""
        hints: list[str | None] = []
        try:
            update_session_metadata(self._sessions, self.session, self.agent, now, kind=kind, task=self._task)
        except RumError as error:
            hints.append(f"Written, but the session's metadata could not be updated: {error.message}")
        hints.append(self._archive_if_due(previous_text, now))
        return JournalWritten(
            session=self.session,
            agent=self.agent,
            path=self._caller.relative(self.path),
            id=entry_id or UNSET,
            hint=" ".join(filter(None, hints)) or UNSET,
        )

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


def _check_file(file: JournalFile) -> Validated:
    found = list(file.findings())
    remarks = [] if found else size_remarks(file.read())
    return Validated(file.path, not found, found, remarks or UNSET)


def _duration(kind: Kind, entry: dict[str, Any], plain: dict[str, Any], now: float) -> dict[str, Any]:
    """The duration to set on an attempt that is now finished; empty if it has one or it is unknown."""
    is_finished = plain.get("result") not in (None, Result.IN_PROGRESS)
    started_at = seconds_of(entry.get("timestamp"))
    if kind is not Kind.ATTEMPT or not is_finished or started_at is None or now < started_at:
        return {}
    if "duration_ms" in plain or entry.get("duration_ms") is not None:
        return {}
    return {"duration_ms": round((now - started_at) * 1000)}


@public
class Journals:
    """The sessions of an open project's checkout."""

    def __init__(self, caller: Caller, *, rate_limited: bool = True) -> None:
        self._caller = caller
        self._rate_limited = rate_limited

    def of(
        self, session: str | None = None, agent: str | None = None, task: str | None = None
    ) -> AgentJournal:
        """An agent's journal of a session: by default the caller's, in the current session.

        `task` is what the session is about; the next write records it in the metadata.
        """
        caller, sessions = self._caller, self._sessions()
        with caller.project.locked():
            session = self.session(session)
            named = agent or caller_name(caller)
            if not named:
                there = sessions.agents(session)
                if len(there) != 1:
                    some = f" There are {', '.join(there)}." if there else ""
                    message = f"Give the agent whose journal it is.{some}"
                    raise InvalidQuery(message, field="agent", allowed=there)
                named = there[0]
            elif named == caller.client:
                named = _folder_name(named)
            return AgentJournal(caller, sessions, session, named, task, rate_limited=self._rate_limited)

    def arbiter(self, session: str | None = None, task: str | None = None) -> str:
        """What each agent of a session did last, as a prompt for the arbiter that chooses the next one.

        With a `task` also the failures that recur, and what was tried and discovered that is about the task.
        """
        with self._locked_call():
            files = self._sessions().files(self.session(session))
            last: list[tuple[str, dict[str, Any] | str | None]] = []
            for file in files:
                try:
                    attempt = _last_attempt(file.read())
                except RumError as error:  # The others are shown anyway
                    problem = error.message.replace(file.path, self._caller.relative(file.path))
                    attempt = f"the journal cannot be read: {problem}"
                last.append((file.agent or UNNAMED_AGENT, attempt))
            sections = task_sections(_all_entries(files), task) if task else {}
            return self._caller.project.redactor.redact(arbiter_prompt(last, sections))

    def search(self, query: str, session: str | None = None, limit: int = 10) -> list[JournalFound]:
        """The entries that contain words, best first: of all agents in a session, or in every session."""
        sessions, clean = self._sessions(), self._caller.project.clean
        with self._locked_call():
            names = sessions.names()[:MAX_SESSIONS_SEARCHED] if session is None else [session]
            files = [file for name in names for file in sessions.files(name)]
            entries = list(_all_entries(files))
            times = [seconds_of(one.entry.get("timestamp")) or 0.0 for one in entries]
            found = search_entries(entries, query, limit, times, self._caller.project.clock())
            return [replace(one, entry=clean(one.entry)) for one in found]

    def sessions(self, limit: int = 50) -> list[SessionView]:
        """The sessions with journals, the one written to last first."""
        sessions = self._sessions()
        with self._locked_call():
            return [_view(sessions, name) for name in sessions.names()[:limit]]

    def names(self) -> list[str]:
        """The names of the sessions with journals, the one written to last first."""
        return self._sessions().names()

    def latest(self) -> str | None:
        """The session that was written to last."""
        return next(iter(self.names()), None)

    def session(self, given: str | None) -> str:
        """The session to use: the one named or set, else the current one."""
        return given or self._caller.project.settings.session or _folder_name(self._caller.session_id)

    def missing(self, session: str) -> str | None:
        """A message for a session without journals, naming those that have some; None if it has any."""
        names = self.names()
        if session in names:
            return None
        if not names:
            return f"There is no session `{session}` here yet, nor any other."
        more = f", and {len(names) - MAX_SESSIONS_NAMED} more" if len(names) > MAX_SESSIONS_NAMED else ""
        listed = ", ".join(f"`{name}`" for name in names[:MAX_SESSIONS_NAMED])
        return f"There is no session `{session}` here. There are {listed}{more}, the latest first."

    def agents(self, session: str) -> list[str]:
        """Who has a journal in a session."""
        return self._sessions().agents(session)

    def validate(self, session: str) -> list[Validated]:
        """All problems of the journals of a session, also of one that names no agent."""
        with self._locked_call():
            return [_check_file(file) for file in self._sessions().files(session)]

    def validate_file(self, path: str | os.PathLike[str]) -> Validated:
        """All problems of the journal in any file, with line and field."""
        whole = os.path.realpath(path)
        if not os.path.isfile(whole):
            raise NotFound(f"There is no file {whole}.", path=whole)
        with self._locked_call():
            return _check_file(JournalFile(os.path.dirname(whole), whole, "", ""))

    def _locked_call(self) -> AbstractContextManager[None]:
        return self._caller.locked_call(rate_limited=self._rate_limited)

    def _sessions(self) -> Sessions:
        folder = self._caller.project.settings.folder("sessions_dir")
        if folder is None:
            raise InvalidQuery(
                "There is no folder for journals here: `sessions_dir` is off, or this project has no "
                "directory. `rum config` shows the setting.",
                field="sessions_dir",
            )
        return Sessions(folder)


def call(caller: Caller, request: JournalRequest) -> Struct:
    """The call `journal`: what to do, and the fields that this needs."""
    journals = Journals(caller, rate_limited=False)
    if request.action == "arbiter":
        session = journals.session(request.session)
        hint = journals.missing(session) or UNSET
        code = NO_RESULTS if hint else UNSET
        return JournalShown(
            session=session, text=journals.arbiter(session, request.task), code=code, hint=hint
        )
    if request.action == "search":
        if not (request.query or "").strip():
            raise InvalidQuery("journal: give `query`, the words to search.", field="query")
        found = journals.search(request.query or "", request.session)
        hint = UNSET if found else "No entry has one of these words."
        return JournalSearched(found, UNSET if found else NO_RESULTS, hint)
    journal = journals.of(request.session, request.agent, request.task)
    writes = request.action in ("add", "update", "context")
    if writes and caller.is_confined and journal.agent != journals.of(request.session).agent:
        caller.check_unconfined("write in the journal of another agent")
    if request.action == "add":
        if request.kind is None:
            allowed = [str(kind) for kind in Kind]
            message = f"journal: `kind` is required to add: {', '.join(allowed)}."
            raise InvalidQuery(message, field="kind", allowed=allowed)
        named = {"id": request.id} if request.id else {}
        return journal.add(request.kind, (request.entry or {}) | named)
    if request.action == "update":
        if request.id is None:
            raise InvalidQuery("journal: give `id`, the entry to update.", field="id")
        return journal.update(request.id, request.entry)
    if request.action == "context":
        return journal.context(request.entry)
    session, agent = journal.session, journal.agent
    if request.action == "trace":
        if request.id is None:
            raise InvalidQuery("journal: give `id`, the entry to trace.", field="id")
        return journal.trace(request.id)
    if request.id is not None:
        return JournalShown(session=session, agent=agent, entry=journal.entry(request.id))
    hint = " ".join(journal.remarks()) or UNSET
    if not journal.exists:
        others = f"`{agent}` has no journal in `{session}`; there are {', '.join(journals.agents(session))}."
        hint = journals.missing(session) or others
    code = UNSET if journal.exists else NO_RESULTS
    return JournalShown(session=session, agent=agent, text=journal.prompt(), code=code, hint=hint)


def _all_entries(files: Iterable[JournalFile]) -> Iterator[JournalFound]:
    """The entries of several journals; one that cannot be read has none."""
    for file in files:
        with suppress(RumError):
            yield from entries_of(file)


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
