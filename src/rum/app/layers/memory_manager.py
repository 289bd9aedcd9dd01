"""MemoryManager: the layers of a project or database, or of a directory with three JSON files."""

from __future__ import annotations

import os
import time
from typing import Self

from rum.app.layers.backends import Backend, FileBackend
from rum.app.layers.layers import Layers
from rum.app.project import Clock
from rum.app.rum import Rum
from rum.llm.base import LanguageModel
from rum.llm.client import open_meter, open_model
from rum.model.errors import InvalidQuery, NotFound
from rum.model.layers import (
    MOST_WORKING,
)
from rum.redact.redactor import Redactor
from rum.repo.location import find_root
from rum.settings.home import find_home
from rum.settings.load import load
from rum.store.files.layers import holds_layers, make_layers

DATABASE = "rum.db"


class MemoryManager(Layers):
    """The four layers of a project, of a RUM database, or of a directory with files of layers.

    A project shares its layers among all its agents. A directory of layers (one that holds `episodic.json`,
    `semantic.json` or `procedural.json`, or is called `.rlm-data/memory`) is read and changed in place; a
    directory that does not exist becomes one.
    Without an `agent` the owner acts, who may change everything.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        max_working_entries: int = MOST_WORKING,
        *,
        agent: str | None = None,
        home: str | os.PathLike[str] | None = None,
        clock: Clock = time.time,
    ) -> None:
        super().__init__(self._open, max_working_entries)
        self.path = os.path.abspath(path)
        self._agent = agent
        self._home = None if home is None else os.fspath(home)
        self._clock = clock

    def init(self) -> Self:
        """Open the path; a directory is created if there is none. Any other call does so too."""
        with self._locked_call():
            return self

    def close(self) -> None:
        """Close the files; the working entries stay."""
        with self._lock:
            if self._backend is not None:
                self._backend.close()
                self._backend = None

    def __enter__(self) -> Self:
        return self.init()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Backend:
        if holds_layers(self.path):
            return self._open_files()
        agent, owner, clock = self._agent, self._agent is None, self._clock
        if directory := self._database():
            return Rum.open_database(directory, agent=agent, owner=owner, clock=clock).lasting()
        if not os.path.lexists(self.path):
            return self._open_files()
        return Rum.open(self.path, agent=agent, owner=owner, home=self._home, clock=clock).lasting()

    def _database(self) -> str | None:
        """The directory of the RUM database that the path names, if it names one."""
        if os.path.isfile(os.path.join(self.path, DATABASE)):
            return self.path
        folder, name = os.path.split(self.path)
        if os.path.isfile(self.path):
            if name == DATABASE:
                return folder
            raise InvalidQuery(
                f"{self.path} is neither a folder nor a RUM database ({DATABASE}).", field="path"
            )
        if name.endswith(".db"):
            raise NotFound(f"There is no database {self.path}.", path=self.path)
        return None

    def _open_files(self) -> FileBackend:
        flags = {"home": self._home} if self._home else {}
        root = find_root(self.path, find_home(flags, os.environ, self.path))
        settings = load(root, flags=flags, cwd=self.path)
        redactor = Redactor(extra=settings.redact_extra, allow=settings.redact_allow)

        def model() -> LanguageModel | None:
            meter = open_meter(settings, os.path.basename(self.path), self._clock)
            return open_model(settings, meter, redactor.redact_tree)

        make_layers(self.path)
        return FileBackend(self.path, redactor, self._clock, model)
