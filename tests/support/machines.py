"""A user's machine with real git repositories, and RUM's answer to which project each folder belongs to."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from rum.repo.manage import describe, join
from rum.repo.project import ProjectLocation, all_projects, open_project
from support.builders import make_draft


class Machine:
    """A user's machine: a home folder, RUM's folder, and a work folder."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "user"
        self.home = self.user / ".rum"
        self.work = folder / "work"
        self.environ = {"HOME": str(self.user), "RUM_HOME": str(self.home)}
        self.user.mkdir()
        self.work.mkdir()

    def git(self, cwd: Path, *arguments: str) -> str:
        command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
        environ = os.environ | {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))
        }
        done = subprocess.run(command, cwd=cwd, env=environ, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def repository(self, name: str, *, commit: bool = True) -> Path:
        path = self.work / name
        path.mkdir(parents=True)
        self.git(path, "init", "--quiet")
        if commit:
            self.commit(path, f"first of {name}")
        return path

    def commit(self, path: Path, text: str) -> None:
        (path / "file.txt").write_text(text)
        self.git(path, "add", "file.txt")
        self.git(path, "commit", "--quiet", "-m", text)

    def clone(self, source: Path | str, name: str, *options: str) -> Path:
        self.git(self.work, "clone", "--quiet", *options, str(source), name)
        return self.work / name

    def project(self, cwd: Path, **flags: object) -> ProjectLocation:
        return open_project(str(cwd), flags=flags, environ=self.environ)[1]

    def join(self, project_id: str, cwd: Path) -> ProjectLocation:
        settings, here = open_project(str(cwd), environ=self.environ, create=False)
        return join(project_id, str(cwd), settings, here)

    def ids(self) -> set[str]:
        return {project.id for project in all_projects(str(self.home))}

    @contextmanager
    def rum(self, cwd: Path, **how: str) -> Iterator[Rum]:
        """Open the memory of a folder as its owner."""
        with Rum.open(cwd, home=self.home, owner=True, **how) as rum:
            yield rum

    def remember(self, cwd: Path, goal: str) -> str:
        """Store a memory in a folder and return its id."""
        with self.rum(cwd) as rum:
            return rum.store(**make_draft(goal)).memory_id

    def goals(self, cwd: Path) -> list[str]:
        """The goals of all memories that a folder gives access to."""
        with self.rum(cwd) as rum:
            return sorted(memory.intent_goal for memory in rum.list(limit=100).memories)

    def aliases(self, project_id: str) -> list[dict[str, Any]]:
        """The aliases of a project, as `rum projects show` lists them."""
        return describe(project_id, str(self.home))["aliases"]

    def question(self, cwd: Path) -> str | None:
        """The question that is asked when a folder is used for the first time."""
        with self.rum(cwd) as rum:
            return rum.take_question()


def make_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine without the settings of this one."""
    for name in [name for name in os.environ if name.startswith(("RUM_", "GIT_"))]:
        monkeypatch.delenv(name)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ann@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    machine = Machine(folder)
    monkeypatch.setenv("HOME", str(machine.user))
    return machine
