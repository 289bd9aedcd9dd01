"""MemoryManager: the layers of whatever lies at a path, opened when they are first needed."""

from __future__ import annotations

import os
import time
from typing import Self

from rum.app.layers.backend import LastingLayers
from rum.app.layers.json_files import FiledLayers
from rum.app.layers.layers import Layers
from rum.app.project import Clock
from rum.app.rum import Rum
from rum.llm.base import LanguageModel
from rum.llm.choose import open_meter, open_model
from rum.model.errors import InvalidQuery, NotFound
from rum.model.layers import MOST_WORKING
from rum.redact.redactor import Redactor
from rum.repo.location import find_root
from rum.settings.home import find_home
from rum.settings.load import load
from rum.store.files.atomic_write import make_folder
from rum.store.files.layers import holds_layers

DATABASE = "rum.db"


class MemoryManager(Layers):
    """The four layers of a project, of a RUM database, or of a directory with files of layers.

    A project shares its layers among all its agents. A directory of layers (one that holds `episodic.json`,
    `semantic.json` or `procedural.json`, or is called `.rlm-data/memory`) is worked on in place. Without an
    `agent` the owner acts, who may change everything.
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
        super().__init__(self._there, max_working_entries)
        self.path = os.path.abspath(path)
        self._agent = agent
        self._home = None if home is None else os.fspath(home)
        self._clock = clock

    def init(self) -> Self:
        """Open what lies at the path; a directory is made if there is none. Any other call does so too."""
        with self._turn():
            return self

    def close(self) -> None:
        """Let go of the files; the working entries stay."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def __enter__(self) -> Self:
        return self.init()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _there(self) -> LastingLayers:
        if holds_layers(self.path):
            make_folder(self.path)
            return self._files()
        directory = self._database()
        if directory is None:
            make_folder(self.path)
        rum = self._project() if directory is None else self._opened_database(directory)
        return rum.lasting()

    def _database(self) -> str | None:
        """The directory of the RUM database that is meant, if one is."""
        if os.path.isfile(os.path.join(self.path, DATABASE)):
            return self.path
        folder, name = os.path.split(self.path)
        if os.path.isfile(self.path):
            if name == DATABASE:
                return folder
            raise InvalidQuery(
                f"{self.path} is no folder and no RUM database, which is called {DATABASE}.", field="path"
            )
        if name.endswith(".db"):
            raise NotFound(f"There is no database {self.path}.", path=self.path)
        return None

    def _opened_database(self, directory: str) -> Rum:
        return Rum.open_database(directory, agent=self._agent, owner=self._agent is None, clock=self._clock)

    def _project(self) -> Rum:
        return Rum.open(
            self.path, agent=self._agent, owner=self._agent is None, home=self._home, clock=self._clock
        )

    def _files(self) -> FiledLayers:
        flags = {"home": self._home} if self._home else {}
        root = find_root(self.path, find_home(flags, os.environ, self.path))
        settings = load(root, flags=flags, cwd=self.path)
        redactor = Redactor(extra=settings.redact_extra, allow=settings.redact_allow)

        def model() -> LanguageModel | None:
            meter = open_meter(settings, os.path.basename(self.path), self._clock)
            return open_model(settings, meter, redactor.redact_tree)

        return FiledLayers(self.path, redactor, self._clock, model)
