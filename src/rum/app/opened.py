"""One open project: how it is opened and closed, who is asking, and whose turn it is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import msgspec

from rum.app.caller import Caller, Spell
from rum.app.calls import TAKES_TURNS, called, plain
from rum.app.project import Clock, Project
from rum.repo.project import ProjectLocation, open_project
from rum.repo.registry import PROJECTS
from rum.settings.load import Settings, load
from rum.store.sqlite.store import SqliteStore

A = TypeVar("A")
P = ParamSpec("P")


class Opened:
    """What holds for an open project whatever is done with it."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        home: str | os.PathLike[str] | None = None,
        client: str = "python",
        owner: bool = False,
        clock: Clock = time.time,
        spell: Spell = str,
    ) -> Self:
        """Open the memory of the project at `path` (default: the current directory).

        `agent` is the name or id to act as; a new name is registered at the first write. `owner` is for a
        person, who may change every agent's memories. `spell` writes the name of a parameter as those who
        read hints and errors know it.
        """
        cwd = os.path.abspath(path or os.getcwd())
        given = {"project": project, "agent": agent, "session": session, "home": home and os.fspath(home)}
        flags = {name: value for name, value in given.items() if value is not None}
        settings, found = open_project(cwd, flags=flags)
        return cls._of(found, settings, client=client, owner=owner, clock=clock, cwd=cwd, spell=spell)

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
        """Open the memory whose files lie in a directory, whatever project it is of."""
        above, name = os.path.split(os.path.realpath(directory))
        home, folder = os.path.split(above)
        given = {"agent": agent, "home": home if folder == PROJECTS else None}
        settings = load(None, flags={name: value for name, value in given.items() if value}, cwd=directory)
        found = ProjectLocation(name, name, None, os.path.join(above, name), ())
        return cls._of(found, settings, client=client, owner=owner, clock=clock, cwd=directory, spell=str)

    @classmethod
    def _of(
        cls,
        location: ProjectLocation,
        settings: Settings,
        *,
        client: str,
        owner: bool,
        clock: Clock,
        cwd: str,
        spell: Spell,
    ) -> Self:
        store = SqliteStore(location.directory, patience=settings.busy_timeout)
        client = "owner" if owner else client
        project = Project(location, settings, store, clock)
        return cls(Caller(project, client=client, owner=owner, cwd=cwd, spell=spell))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write down what is pending and let go of the files."""
        self._caller.project.settle()
        self._caller.project.store.close()

    @property
    def project(self) -> ProjectLocation:
        """Which project this is."""
        return self._caller.project.location

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._caller.project.settings

    def use_session(self, session_id: str) -> None:
        """Work in the client's session from now on, unless the settings name one."""
        if not self.settings.session:
            self._caller.session_id = self._caller.project.label(session_id)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know: settings that were ignored, a project that moved, an old index."""
        return self._caller.project.warnings()

    def settle(self) -> None:
        """Write down what is pending (how memories were used)."""
        self._caller.project.settle()

    def call(self, name: str, arguments: Mapping[str, Any]) -> msgspec.Struct:
        """Any call of the API by its name, with plain JSON arguments."""
        given = plain(arguments)
        if name in TAKES_TURNS:
            return called(self._caller, name, given)
        with self._caller.turn():
            return called(self._caller, name, given)

    def _call(self, name: str, arguments: Mapping[str, Any], _: type[A]) -> A:
        """The same, for a method that knows what its call answers."""
        return cast("A", self.call(name, arguments))

    def _do(self, use_case: Callable[Concatenate[Caller, P], A], *given: P.args, **named: P.kwargs) -> A:
        """Do what is no call of the API, in its turn."""
        with self._caller.turn():
            return use_case(self._caller, *given, **named)

    def _look_after(
        self, use_case: Callable[Concatenate[Project, P], A], *given: P.args, **named: P.kwargs
    ) -> A:
        """Do what no agent asks for, in its turn."""
        with self._caller.project.turn():
            return use_case(self._caller.project, *given, **named)
