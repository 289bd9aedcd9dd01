"""Machines that share one memory: each with a clone and a home, and one bare repository."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rum import Rum
from rum.app.sync.items import ITEM_KINDS
from rum.model.sync import SyncResult
from support.builders import HandClock, make_draft
from support.repositories import Repository


class Team:
    """Machines with a home and a clone each, and the bare repository that they share."""

    def __init__(self, folder: Path, opened: ExitStack) -> None:
        self.folder = folder
        self.clock = HandClock()
        self._opened = opened
        self.origin = Repository(folder / "first")
        self.origin.commit("Begin", {"app.py": "print(1)\n"})
        self.origin.git("clone", "--quiet", "--bare", ".", str(folder / "origin.git"))

    @property
    def remote(self) -> Path:
        return self.folder / "origin.git"

    def machine(self, name: str, share: str = "all") -> Machine:
        self.origin.git("clone", "--quiet", str(self.remote), str(self.folder / name))
        return Machine(self, name, share, self._opened)

    def git(self, *arguments: str) -> str:
        return self.origin.git("--git-dir", str(self.remote), *arguments)


class Machine:
    """One clone with a memory of its own."""

    def __init__(self, team: Team, name: str, share: str, opened: ExitStack) -> None:
        self.clone = team.folder / name
        self.home = team.folder / f"{name}.rum"
        self.home.mkdir()
        self._team = team
        self._opened = opened
        self.set_share(share)

    def set_share(self, share: str, token: str = "") -> None:
        lines = [f'share = "{share}"', 'embedder = "none"', *([f'token = "{token}"'] if token else [])]
        (self.home / "config.toml").write_text("\n".join(lines) + "\n")
        self.rum = self._opened.enter_context(
            Rum.open(self.clone, home=self.home, clock=self._team.clock, owner=True)
        )

    def keep(self, goal: str, **more: Any) -> str:
        self._team.clock.forward(1)
        return self.rum.store(**make_draft(goal, f"Done: {goal}", **more)).memory_id

    def sync(self, *given: Any, **how: Any) -> SyncResult:
        self._team.clock.forward(1)
        return self.rum.sync(*given, **how)

    def goals(self) -> set[str]:
        found = self.rum.recall(since=1, limit=100, min_confidence=0).memories
        return {one.intent.goal for one in found}

    def shared(self) -> dict[str, Any]:
        """Everything that is shared, with all versions, in a form that can be compared."""
        project = self.rum._project
        found: dict[str, Any] = {}
        for kind in ITEM_KINDS.values():
            for ids in kind.ids(project):
                for one, versions in kind.versions(project, ids).items():
                    found[f"{kind.name} {one}"] = [(v.number, v.at, v.by, v.body) for v in versions]
        for edge in project.store.links.of():
            found[f"link {edge}"] = True
        return found
