"""Rum: one open project and everything that can be done with it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, overload
from zlib import crc32

from msgspec.structs import replace

from rum.app.caller import Caller, ParameterName, RateLimit, Role
from rum.app.calls import PYTHON, call, load, plain_json, public
from rum.app.project import Clock, Progress, Project, ignore, warn_of_damage
from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError, StoreMoved
from rum.model.fields import parse
from rum.model.requests import Depth
from rum.repo.manage import set_store
from rum.repo.project import ProjectLocation, open_project
from rum.repo.registry import PROJECTS
from rum.settings.load import Settings
from rum.settings.load import load as load_settings
from rum.settings.table import DEFAULT_STORE, FILES
from rum.store.sqlite.readonly import known_commits
from rum.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    import msgspec

    from rum.app.arguments import (
        BriefArguments,
        FinishedRunArguments,
        GitImportArguments,
        IdentityArguments,
        ListArguments,
        RecallArguments,
        RunArguments,
        TraceArguments,
    )
    from rum.app.capture.events import CapturedEventList
    from rum.app.capture.intake import Intake
    from rum.app.chapters.api import Chapters, WisdomApi
    from rum.app.exchange.json_lines import ImportResult
    from rum.app.exchange.layers import LayerImport
    from rum.app.imports.batch import Imported
    from rum.app.imports.git import GitImport
    from rum.app.imports.notes import NotesImport, Written
    from rum.app.imports.transcripts import TranscriptImport
    from rum.app.imports.typescript_rum import TypeScriptImport
    from rum.app.journal.journals import AgentJournal, Journals
    from rum.app.layers.backends import StoreBackend
    from rum.app.layers.facts import Facts
    from rum.app.layers.layers import Layers
    from rum.app.layers.rules import Rules
    from rum.app.memories.trash import Trash
    from rum.app.notes.notes import Notes
    from rum.app.pages.api import Pages
    from rum.app.review.review import Review
    from rum.app.runs.run import Run
    from rum.app.upkeep.archive import Archived, Restored
    from rum.app.upkeep.doctor import TokensSpent
    from rum.app.upkeep.merge import Merged
    from rum.app.upkeep.tidy import TidyResult
    from rum.model.agents import Identity
    from rum.model.answers import (
        Diagnosis,
        FeedbackResult,
        ForgetResult,
        LinkResult,
        ListResult,
        OffersResult,
        OfferView,
        RecallResult,
        RestoreResult,
        RetrievedMemory,
        Stats,
        Tag,
        TraceResult,
        UpdateResult,
    )
    from rum.model.chapters import RefreshResult
    from rum.model.code import ConfirmResult, VerifyResult, WhyResult
    from rum.model.memory import ActionInput, Links, StoreResult, Version
    from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning
    from rum.model.report import Report
    from rum.model.runs import Brief, Extracted
    from rum.model.sync import SyncResult
    from rum.store.base import Store


Path = str | os.PathLike[str]
Given = Mapping[str, Any]  # A layer as plain JSON values
_MOST_MOVES = 8  # Moves that are followed when a project is opened


class Nothing(TypedDict):
    """No further names; one that is given all the same is answered with the nearest right one."""


class Changes(TypedDict, total=False):
    """What `update_memory` may change, for type checkers; None clears what is optional."""

    intent: Intent | Given
    outcome: Outcome | Given
    perception: Perception | Given | None
    reasoning: Reasoning | Given | None
    actions: Sequence[Action | ActionInput | Given] | None
    links: Links | Given | None
    tags: Sequence[str] | None
    importance: float | None


def locate(
    cwd: str, flags: Mapping[str, object], *, create: bool = False
) -> tuple[Settings, ProjectLocation]:
    """The project of a directory or of the flags, and its settings; registered only with `create`."""
    return open_project(cwd, flags=flags, create=create, commits=known_commits)


def find_at(folder: str, home: str, create: bool) -> tuple[Settings, ProjectLocation]:
    """The project of a folder, whichever the environment names, and its settings."""
    environ = {name: value for name, value in os.environ.items() if name != "RUM_PROJECT"}
    return open_project(folder, flags={"home": home}, environ=environ, create=create, commits=known_commits)


def _flags(**given: Path | None) -> dict[str, object]:
    return {name: os.fspath(value) for name, value in given.items() if value is not None}


def store_address(settings: Settings, name: str | None) -> str:
    """`files`, or the address of the database with a name; None is the one of the setting `store`."""
    if name in (None, DEFAULT_STORE) or settings.origin("store") == "flag":
        return settings.store or FILES
    if name == FILES:
        return FILES
    known = dict(one.split("=", 1) for one in settings.stores)
    if name not in known:
        raise InvalidQuery(
            f"There is no database `{name}`. The setting `stores` has {', '.join(sorted(known)) or 'none'}.",
            field="stores",
            allowed=[FILES, DEFAULT_STORE, *sorted(known)],
        )
    return known[name]


def _open_store(
    location: ProjectLocation, settings: Settings, before_create: Callable[[], None] | None
) -> Store:
    """The store of a project, wherever it was moved."""
    name, move_id = location.store or DEFAULT_STORE, ""
    for _ in range(_MOST_MOVES):
        address = store_address(settings, name)
        if address == FILES:
            return SqliteStore(location.directory, settings.busy_timeout, before_create)
        try:
            return _open_database(address, location.directory, settings, before_create, move_id)
        except StoreMoved as moved:
            name, move_id = moved.to, moved.move_id
    raise StorageError(
        f"The databases name each other as the place of {location.name}. Run `rum projects move` again."
    )


def _open_database(
    address: str,
    directory: str,
    settings: Settings,
    before_create: Callable[[], None] | None,
    move_id: str,
) -> Store:
    try:
        from rum.store.postgres.store import PostgresStore  # noqa: PLC0415 (a driver that few have)
    except ImportError as error:
        raise InvalidQuery(
            "The setting `store` names a database, which needs more packages. "
            "Run `pip install 'rum-memory[server]'`.",
            field="store",
        ) from error

    def before_write() -> None:
        """Register the project here, too: locks and captured events are in its folder."""
        if not os.path.isdir(directory):
            if before_create:
                before_create()
            os.makedirs(directory, mode=0o700, exist_ok=True)

    name, position = os.path.basename(directory), None
    if settings.read_replicas == "on":
        position = _position_file(directory, address)
    return PostgresStore(address, name, settings.busy_timeout, before_write, move_id, position)


def _position_file(directory: str, address: str) -> str:
    """Where a project keeps how far the log of a database was when it was last written there."""
    return os.path.join(directory, f"position-{crc32(address.encode()):08x}")


def delete_rows(project: ProjectLocation, settings: Settings) -> None:
    """Delete all rows of a project, where memories are in a database."""
    address = store_address(settings, project.store)
    if address != FILES:
        load("store.postgres.store:delete_project")(address, project.id)


def check_databases(home: str) -> tuple[list[str], list[str]]:
    """What is wrong with the databases of the settings, and what could be better."""
    problems: list[str] = []
    advice: list[str] = []
    settings = load_settings(None, flags={"home": home})
    for name in (DEFAULT_STORE, *(one.split("=", 1)[0] for one in settings.stores)):
        address = store_address(settings, name)
        try:
            if address != FILES and not load("store.postgres.store:check_database")(address):
                advice.append(
                    f"Database `{name}` has no pgvector, so large projects are compared by meaning in the "
                    "server's memory. An administrator can run `CREATE EXTENSION vector` in it."
                )
        except RumError as error:
            problems.append(f"Database `{name}`: {error.message}")
    return problems, advice


def move_project(
    project: ProjectLocation, settings: Settings, to: str, progress: Callable[[int], None]
) -> dict[str, object]:
    """Move a project to another database while it is used; the figures of the move.

    It can be repeated after an interruption. Writers wait for the last part of it.
    """
    names = [DEFAULT_STORE, *(one.split("=", 1)[0] for one in settings.stores)]
    places = {name: store_address(settings, name) for name in names}
    source = project.store or DEFAULT_STORE
    others = [place for place in places.items() if place[0] not in (source, to) and place[1] != FILES]

    def record() -> None:
        set_store(project.id, None if to == DEFAULT_STORE else to, settings)

    move = load("store.postgres.move:move_project")
    given = (settings.busy_timeout, record, progress)
    if source != to:
        with suppress(FileNotFoundError):  # An earlier stay there says nothing of the rows that come now
            os.remove(_position_file(project.directory, places[to]))
        return move(project.id, (source, places[source]), (to, places[to]), *given)
    # Moved before: what is left in the others is deleted.
    clean = load("store.postgres.move:delete_left_behind")
    return {"rows": 0, "deleted": sum(clean(project.id, place, to) for place in others)}


@public
class Rum:
    """The memory of one project.

    Use it as a context manager; calls from several threads take turns.
    """

    # Opening and closing

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._project = caller.project

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        home: Path | None = None,
        store: str | None = None,
        client: str = "python",
        owner: bool = False,
        clock: Clock = time.time,
        spell: ParameterName = str,
    ) -> Self:
        """Open the memory of the project at `path` (default: the current directory).

        `agent` is the name or id to act as; a new name is registered at the first write. `owner` is for a
        person, who may change every agent's memories. `store` is `files` or the address of a database.
        `spell` returns the name of a parameter as hints and errors should write it.
        """
        cwd = os.path.abspath(path or os.getcwd())
        flags = _flags(project=project, agent=agent, session=session, home=home, store=store)
        settings, location = locate(cwd, flags)
        opened = Project(
            location, settings, _open_store, find_at, clock, lambda create: locate(cwd, flags, create=create)
        )
        return cls(
            Caller(opened, client="owner" if owner else client, owner=owner, cwd=cwd, parameter_name=spell)
        )

    @classmethod
    def open_database(
        cls,
        directory: str,
        *,
        agent: str | None = None,
        client: str = "python",
        owner: bool = False,
        clock: Clock = time.time,
    ) -> Self:
        """Open the memory whose files are in a directory, whatever project it is of."""
        above, name = os.path.split(os.path.realpath(directory))
        home, folder = os.path.split(above)
        flags = _flags(agent=agent or None, home=home if folder == PROJECTS else None)
        settings = load_settings(None, flags=flags, cwd=directory)
        location = ProjectLocation(name, name, None, os.path.join(above, name), ())
        opened = Project(location, settings, _open_store, find_at, clock)
        return cls(Caller(opened, client="owner" if owner else client, owner=owner, cwd=directory))

    @classmethod
    def repair(
        cls, path: Path | None = None, *, project: str | None = None, home: Path | None = None
    ) -> Diagnosis:
        """Do what is safe about the problems that `doctor` finds, after a copy of the files was made.

        The answer is a new diagnosis; its facts `repaired` and `copy` name the steps and the copy.
        """
        cls._must_be_files(path, project, home, "Its server checks and repairs it.")
        directory = cls._directory(path, project, home)
        done: list[str] = []
        copy: str | None = None
        try:
            with cls.open(path, project=project, home=home, owner=True) as rum:
                found = rum.doctor()
            damaged = any("rum.db" in one.what or "index" in one.what for one in found.problems)
        except StorageError:
            found, damaged = None, True
        if damaged:
            copy, done = load("store.sqlite.repair:repair_files")(directory)
        with cls.open(path, project=project, home=home, owner=True) as rum:
            rum._project.store.local_upkeep.repair_activity()
            if damaged:
                rum.reindex(left_out=lambda _: None)
                done.append("The index was rebuilt.")
            found = rum.doctor()
        if not copy:
            return found
        facts = {**found.facts, "repaired": done, "copy": copy}
        return replace(found, facts=facts)

    @classmethod
    def restore_backup(
        cls, file: Path, path: Path | None = None, *, project: str | None = None, home: Path | None = None
    ) -> str:
        """Replace the memory by a backup; the folder to which the files before were copied."""
        cls._must_be_files(
            path, project, home, "Restore it with `pg_restore`, or read an export with `rum import`."
        )
        directory = cls._directory(path, project, home)
        return load("store.sqlite.repair:restore_backup")(directory, os.path.abspath(file))

    @classmethod
    def _must_be_files(cls, path: Path | None, project: str | None, home: Path | None, advice: str) -> None:
        settings, found = locate(os.path.abspath(path or os.getcwd()), _flags(project=project, home=home))
        if store_address(settings, found.store) != FILES:
            raise InvalidQuery(f"This memory is in PostgreSQL, not in files. {advice}")

    @classmethod
    def _directory(cls, path: Path | None, project: str | None, home: Path | None) -> str:
        _, location = locate(os.path.abspath(path or os.getcwd()), _flags(project=project, home=home))
        if not location.exists:
            raise NotFound(f"No memory here yet: nothing is stored for {location.name}.")
        return location.directory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is pending and close the files; a second time does nothing."""
        self._project.close()

    def settle(self) -> None:
        """Write what is pending (how often memories were retrieved)."""
        self._project.settle()

    @property
    def project(self) -> ProjectLocation:
        """Which project this is."""
        return self._project.location

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._project.settings

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know: settings that were ignored, a project that moved, an old index."""
        return self._project.warnings()

    def take_question(self) -> str | None:
        """The question whether this is another project, for the caller to show; it is asked once."""
        return self._project.take_question()

    def take_damage(self) -> str | None:
        """Name the rows that calls could not read as a whole, in a sentence; each is named once."""
        return self._project.take_damage()

    def use_session(self, session_id: str) -> None:
        """Work in the client's session from now on, unless the settings name one."""
        if not self.settings.session:
            self._caller.session_id = self._project.label(session_id)

    # How use cases are called

    def call(self, name: str, arguments: Mapping[str, Any]) -> msgspec.Struct:
        """Any call of the API by its name, with plain JSON arguments."""
        return call(self._caller, name, arguments)

    def _call(self, name: str, /, **arguments: Any) -> Any:
        return call(self._caller, name, arguments)

    def _do(self, name: str, /, *arguments: Any, **options: Any) -> Any:
        """Use one of the functions that take a caller."""
        with self._caller.locked_call():
            return load(PYTHON[name])(self._caller, *arguments, **options)

    def _maintain(self, name: str, /, *arguments: Any, **options: Any) -> Any:
        """Use one of the functions that take a project; no rate limit applies to upkeep."""
        with self._project.locked():
            return load(PYTHON[name])(self._project, *arguments, **options)

    def _make(self, name: str, *arguments: Any) -> Any:
        """Make one of the classes that take a caller."""
        return load(PYTHON[name])(self._caller, *arguments)

    # Memories

    def store(
        self,
        *,
        intent: Intent | Given,
        outcome: Outcome | Given,
        perception: Perception | Given | None = None,
        reasoning: Reasoning | Given | None = None,
        actions: Sequence[Action | ActionInput | Given] = (),
        links: Links | Given | None = None,
        tags: Sequence[str] = (),
        importance: float | None = None,
        target_agent_id: str | None = None,
        **unknown: Unpack[Nothing],
    ) -> StoreResult:
        """Keep a finished unit of work in five layers, yours or that of a subagent (`target_agent_id`)."""
        layers = {"perception": perception, "reasoning": reasoning, "links": links, "importance": importance}
        others = {**layers, "target_agent_id": target_agent_id}
        optional = {name: value for name, value in others.items() if value is not None}
        needed = {"intent": intent, "outcome": outcome, "actions": actions, "tags": tags}
        return self._call("store", **needed, **optional, **unknown)

    def update_memory(self, memory_id: str, **changes: Unpack[Changes]) -> UpdateResult:
        """Change only what is given: objects are merged, arrays replaced, None clears what is optional."""
        return self._call("update_memory", memory_id=memory_id, **changes)

    def recall(self, *query: str, **arguments: Unpack[RecallArguments]) -> RecallResult:
        """The memories that answer a question: `rum.recall("words")`, and other wordings of it if you like.

        See RecallRequest for what can be asked.
        """
        if query and arguments.get("query") is not None:
            raise InvalidQuery("recall: give the query once, by position or by name.", field="query")
        return self._call("recall", **({**arguments, "query": list(query)} if query else arguments))

    def show(self, memory_id: str, depth: Depth | str = Depth.COMPLETE) -> RetrievedMemory:
        """One memory by id, with its links."""
        return self._do("show", memory_id, parse(depth, Depth, "depth"))

    def trace(self, memory_id: str, **arguments: Unpack[TraceArguments]) -> TraceResult:
        """What led to a memory (`direction="causes"`), what it led to (`"effects"`), or both."""
        return self._call("trace", memory_id=memory_id, **arguments)

    def why(self, target: str, *, max_tokens: int = 400) -> WhyResult:
        """Why code is as it is: `FILE:LINE`, `FILE:LINE-LINE` or `FILE#SYMBOL`."""
        return self._call("why", target=target, max_tokens=max_tokens)

    def verify(self, *files: str, limit: int = 100) -> VerifyResult:
        """The memories, notes, facts and rules about code that has changed since, by file."""
        return self._do("verify", files, limit)

    def confirm(self, *ids: str, kind: str | None = None) -> ConfirmResult:
        """Say that memories, notes, facts or rules hold for the code as it is now.

        From now on they are compared with that. `kind` is needed only if two kinds have an id.
        """
        return self._do("confirm", ids, kind)

    def list(self, **arguments: Unpack[ListArguments]) -> ListResult:
        """The calling agent's own memories; the owner sees everybody's."""
        return self._call("list", **arguments)

    def link(self, source_id: str, target_id: str, link_type: str) -> LinkResult:
        """Link two memories."""
        return self._call("link", source_id=source_id, target_id=target_id, link_type=link_type)

    def forget(
        self,
        id: str,
        *,
        kind: str | None = None,
        dry_run: bool = False,
        now: bool = False,
        purge: bool = False,
    ) -> ForgetResult:
        """Move anything that has an id into the trash for 30 days, with its history.

        `now` deletes it for good at once; `purge` also leaves no trace of it in the files.
        """
        return self._call("forget", id=id, kind=kind, dry_run=dry_run, now=now, purge=purge)

    @cached_property
    def trash(self) -> Trash:
        """What was forgotten and can be restored."""
        return self._make("trash")

    @cached_property
    def review(self) -> Review:
        """What was captured or extracted and waits for a person; see the setting `review`."""
        return self._make("review")

    @cached_property
    def pages(self) -> Pages:
        """Lists in pages and overviews, as the page of `rum web` shows them."""
        return self._make("pages")

    def check_may_write(self, what: str) -> None:
        """Raise PermissionDenied if the caller may only read; `what` names the change in the error."""
        self._caller.check_may_write(what)

    def purge(self) -> bool:
        """Make what was forgotten unrecoverable; False when another process is in the way."""
        return bool(self._do("purge")["purged"])

    def history(self, memory_id: str) -> Sequence[Version]:
        """Every version of a memory, oldest first."""
        return self._do("history", memory_id)

    @overload
    def restore(self, id: str, version: int) -> UpdateResult: ...

    @overload
    def restore(self, id: str, version: None = None, *, kind: str | None = None) -> RestoreResult: ...

    def restore(
        self, id: str, version: int | None = None, *, kind: str | None = None
    ) -> UpdateResult | RestoreResult:
        """Restore an earlier version of a memory; without a version, what is in the trash under this id."""
        if version is None:
            return self._do("restore_from_trash", id, kind)
        return self._do("restore", id, version)

    def tags(self) -> Sequence[Tag]:
        """Every tag with the number of its memories, the most used first."""
        return self._do("tags")

    def feedback(
        self, id: str, *, useful: bool, still_true: bool = False, kind: str | None = None
    ) -> FeedbackResult:
        """Say whether a memory, note, fact, rule, chapter or wisdom was useful; that changes its rank.

        `still_true` says that a memory holds for the code as it is now.
        """
        return self._call("feedback", id=id, useful=useful, still_true=still_true, kind=kind)

    # Agents and the project

    def identity(
        self, action: Literal["register", "resume", "info"], **arguments: Unpack[IdentityArguments]
    ) -> Identity:
        """Register, resume or look up an agent."""
        return self._call("identity", action=action, **arguments)

    def agents(self) -> Sequence[Identity]:
        """Every agent of the project, the last active first."""
        return self._do("agents")

    def summary(self) -> dict[str, Any]:
        """The project in a few figures: its name and place, its agents, the number of memories."""
        return self._do("summary")

    def report(self, *, since: float | None = None) -> Report:
        """The project's memory on one page: its figures, and as `text` Markdown."""
        return self._do("report", since)

    # Knowledge

    def brief(self, *task: str, **arguments: Unpack[BriefArguments]) -> Brief:
        """What is known and matters to a task or some files: `rum.brief("Let tokens live longer")`.

        The text is one block for a prompt. See BriefRequest for what else can be passed.
        """
        if task and (arguments.get("task") is not None or len(task) > 1):
            raise InvalidQuery("brief: give the task once, by position or by name.", field="task")
        return self._call("brief", **({**arguments, "task": task[0]} if task else arguments), explain=True)

    @cached_property
    def notes(self) -> Notes:
        """Markdown files in the repository, for people and agents to read."""
        return self._make("notes")

    @cached_property
    def journals(self) -> Journals:
        """What agents note while they work: all sessions of this checkout."""
        return self._make("journals")

    def journal(
        self, session: str | None = None, agent: str | None = None, *, task: str | None = None
    ) -> AgentJournal:
        """An agent's journal of a session; by default the caller's own, in the current session."""
        return self.journals.of(session, agent, task)

    @cached_property
    def facts(self) -> Facts:
        """What is known: keys and values."""
        return self._make("facts")

    @cached_property
    def rules(self) -> Rules:
        """What to do when: conditions and actions."""
        return self._make("rules")

    @cached_property
    def chapters(self) -> Chapters:
        """Memories that tell one story, and what they say together."""
        return self._make("chapters")

    @cached_property
    def wisdom(self) -> WisdomApi:
        """What chapters say together: insights, patterns and practices, each with its evidence."""
        return self._make("wisdom")

    def refresh(self, *ids: str, dry_run: bool = False) -> RefreshResult:
        """Renew the named chapters and wisdom, or else all that are stale; says what changed."""
        return load(PYTHON["refresh"])(self._caller, ids, dry_run=dry_run)

    @cached_property
    def layers(self) -> Layers:
        """Working, episodic, semantic and procedural memory as layers of entries."""
        return self._make("layers")

    def lasting(self) -> StoreBackend:
        """The layers that last beyond a process; closing them closes this too."""
        return self._make("stored_layers", self.close)

    # Runs of agents, captured events, offers

    def run(self, *, agent: str, task: str, **how: Unpack[RunArguments]) -> Run:
        """One agent's work on one task, for a `with` block: prompt, steps and outcome are recorded."""
        arguments = plain_json({**how, "agent": agent, "task": task})
        return self._make("run", parse(arguments, load("model.runs:RunRequest"), "run"))

    def extract(self, *, dry_run: bool = False, **run: Unpack[FinishedRunArguments]) -> Extracted:
        """What a finished run is worth: a note, facts and rules, checked and kept, or why there is none."""
        return load(PYTHON["extract"])(self._caller, plain_json(run), dry_run=dry_run)

    def take_in(self, *, patience: float = 0.0) -> Intake:
        """Read the events that hooks captured, and make memories of the turns that are over."""
        with self._project.locked():
            return load(PYTHON["take_in"])(self._caller, patience)

    def captured_events(
        self,
        *,
        session: str | None = None,
        client: str | None = None,
        kind: str | None = None,
        memory: str | None = None,
        since: float | None = None,
        became: str | None = None,
        limit: int = 50,
    ) -> CapturedEventList:
        """The captured events, newest first, and which memories were made of them."""
        event = {"session": session, "client": client, "kind": kind, "memory": memory, "since": since}
        return self._maintain("captured_events", **event, became=became, limit=limit)

    def offers(
        self,
        *,
        session: str | None = None,
        memory: str | None = None,
        kind: str | None = None,
        since: float | None = None,
        limit: int = 20,
    ) -> OffersResult:
        """What was offered to agents automatically, newest first, with reason and outcome."""
        return self._maintain("offers", session, memory, kind, since, limit)

    def session_offers(self) -> list[OfferView]:
        """What was offered in this session, newest first; the first time also what a session starts with."""
        return self._do("session_offers")

    def newest_offer(self) -> object:
        """Something that differs when there is a new offer in this session."""
        with self._project.locked():
            return load(PYTHON["newest_offer"])(self._caller)

    def stats(self, since: float = 0) -> Stats:
        """What was captured, offered, muted, followed and reviewed since a time."""
        return self._maintain("stats", since)

    # Import and export

    def export(self, left_out: Callable[[str], None] = warn_of_damage) -> Iterator[bytes]:
        """Everything as JSON lines; `left_out` gets the id of each memory that cannot be read."""
        with self._caller.locked_call():
            yield from load(PYTHON["export"])(self._project, left_out)

    def import_lines(
        self, lines: Iterable[bytes], progress: Callable[[int], None] = ignore, *, restore: bool = False
    ) -> ImportResult:
        """Take in an export; it is checked whole before anything is written.

        What was forgotten here is left out and counted; `restore` brings it back.
        """
        with self._caller.locked_call():
            return load(PYTHON["import_lines"])(self._project, lines, progress, restore=restore)

    def merge_from(self, other: Rum, progress: Callable[[int], None] = lambda _: None) -> Merged:
        """Copy everything from another project into this one; nothing is removed there."""
        return load(PYTHON["merge"])(other._project, self._project, progress)

    def import_git(
        self, path: Path | None = None, *, progress: Progress = ignore, **chosen: Unpack[GitImportArguments]
    ) -> GitImport:
        """Make memories of the history of the project's repository, or of that at `path`."""
        return self._do("import_git", path, plain_json(chosen), progress)

    def import_issues(self, exported: bytes, progress: Progress = ignore) -> Imported:
        """Make memories of issues that `gh issue list --json` or GitHub's REST API exported."""
        return self._do("import_issues", exported, progress)

    def import_transcripts(
        self,
        client: str,
        path: Path | None = None,
        *,
        sessions: Sequence[list[str]] | None = None,
        progress: Progress = ignore,
    ) -> TranscriptImport:
        """Make memories of sessions that a client recorded: about this project, or at a path."""
        where = os.fspath(path) if path is not None else None
        return self._do("import_transcripts", client, where, sessions, progress)

    def import_guides(self, *paths: Path) -> NotesImport:
        """Make notes of files of instructions for agents, as CLAUDE.md: one for each heading."""
        return self._do("import_guides", tuple(os.fspath(path) for path in paths))

    def export_guide(self, path: Path | None = None) -> Written:
        """Write what everybody should know into a section of AGENTS.md, or of another file."""
        return self._do("export_guide", None if path is None else os.fspath(path))

    def import_graph(self, exported: bytes, progress: Progress = ignore) -> Imported:
        """Make memories of the graph that the MCP reference memory server keeps as JSON lines."""
        return self._do("import_graph", exported, progress)

    def import_typescript_rum(
        self, path: Path, *, dry_run: bool = False, progress: Progress = ignore
    ) -> TypeScriptImport:
        """Take in the database of the TypeScript RUM; what is here already or was forgotten is left out."""
        return self._do("import_typescript_rum", os.fspath(path), dry_run, progress)

    def import_layers(self, path: Path) -> LayerImport:
        """Take in the files of layers of a directory: `episodic.json`, `semantic.json`, `procedural.json`."""
        return self._do("import_layers", os.path.abspath(path))

    def export_layers(self, path: Path) -> dict[str, int]:
        """Write such files into a directory that has none; the number of entries of each."""
        return self._do("export_layers", os.path.abspath(path))

    # Upkeep

    def doctor(self) -> Diagnosis:
        """Check files, index, permissions, space and settings."""
        return self._maintain("doctor")

    def reindex(
        self,
        progress: Callable[[int], None] = ignore,
        *,
        vectors: bool = False,
        left_out: Callable[[str], None] = warn_of_damage,
    ) -> int:
        """Rebuild everything derived; vectors only on request, and then as there is time.

        `left_out` gets the id of each memory that cannot be read.
        """
        return self._maintain("reindex", progress, left_out, vectors=vectors)

    @property
    def pending(self) -> int:
        """How many memories wait for a vector."""
        return self._maintain("pending")

    @property
    def behind(self) -> bool:
        """Whether the last semantic question found memories without a vector."""
        return "semantic" in self._project.__dict__ and self._project.semantic.has_pending

    def tidy(
        self, seconds: float = 30.0, *, patience: float = 0.0, progress: Callable[[int], None] = ignore
    ) -> TidyResult:
        """Do pending work for at most so many seconds; `math.inf` finishes it.

        One process at a time does so for a project; another is waited for at most `patience` seconds.
        """
        with self._project.locked():
            return load(PYTHON["tidy"])(self._caller, seconds, patience, progress)

    def sync(
        self,
        with_: str | None = None,
        *,
        remote: str | None = None,
        dry_run: bool = False,
        auto: bool | None = None,
        sign: bool = False,
        prompt: bool = False,
        progress: Progress = ignore,
    ) -> SyncResult:
        """Unite this memory with the one on a ref of the repository's remote, by default `origin`.

        `with_` is a shared folder, or the address of a git repository or a team server, instead. The
        setting `share` says what is sent. `auto` lets `tidy` do it from now on, or no longer. With `prompt`,
        git may ask for passwords.
        """
        with self._project.locked():
            return load(PYTHON["sync"])(
                self._caller,
                with_,
                remote=remote,
                dry_run=dry_run,
                auto=auto,
                sign=sign,
                prompt=prompt,
                progress=progress,
            )

    def idle(self) -> bool:
        """Start a short-lived process that does pending work; whether one was started."""
        try:
            return self._maintain("idle")
        except RumError:  # nobody waits for this, so nobody needs the error
            return False

    def backup(self, path: Path) -> int:
        """Copy the memory to a new file while others go on writing."""
        return self._maintain("backup", os.fspath(path))

    def archive(
        self,
        *,
        older_than: float | None = None,
        importance: float | None = None,
        uses: int | None = None,
        dry_run: bool = False,
        progress: Progress = ignore,
    ) -> Archived:
        """Compress memories older than a number of days and rarely used; they are still found.

        Memories at least that important, or retrieved more often, stay as they are. The defaults are
        settings.
        """
        with self._project.locked():
            return load(PYTHON["archive"])(
                self._caller, older_than, importance, uses, dry_run=dry_run, progress=progress
            )

    def restore_archived(self, memory_ids: str | Sequence[str]) -> Restored:
        """Make archived memories live again."""
        return self._maintain("restore_archived", [memory_ids] if isinstance(memory_ids, str) else memory_ids)

    def tokens(self) -> TokensSpent:
        """What language models have used by day and project, and may use today."""
        return self._maintain("tokens")


def for_token(rum: Rum, client: str, role: Role | None, session: str | None, *, is_page: bool = False) -> Rum:
    """The same open memory for one caller of a server, which counts the calls itself.

    What somebody looks at on the page does not count as a use of the memories. Without a role, the user of
    the page is the owner.
    """
    project = rum._project  # pyright: ignore[reportPrivateUsage]
    return Rum(
        Caller(
            project,
            client=client,
            owner=role == "owner" or (is_page and role is None),
            counts_uses=not is_page,
            cwd=project.location.root or project.location.directory,
            session_id=session,
            rate=RateLimit(0),
            role=role,
        )
    )


def answer_sync(rum: Rum, sender: str, request: object) -> dict[str, Any]:
    """What a server answers to a request of somebody's `rum sync`; `sender` is the id of their token."""
    return load(PYTHON["answer_sync"])(rum._caller, sender, request)  # pyright: ignore[reportPrivateUsage]
