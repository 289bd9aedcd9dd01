"""A scratch folder for measurements: a checkout, RUM's home, and the database of the floor."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.floors import Floor
from benchmarks.workload import Memory
from rum import Rum
from rum.capture.memory_files import collect_files, relative_actions, relative_perception
from rum.model import memory as model
from rum.model.agents import Agent, AgentType
from rum.model.fields import parse
from rum.model.ids import new_id
from rum.repo.project import open_project
from rum.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from benchmarks.floors import Row

SPACING = 600  # Seconds from one memory to the next
SOURCE = "# What a file of the checkout holds, so that storing has something to read.\n" * 40


class Workspace:
    """One project, empty at first, in RUM and in the floor."""

    def __init__(self, folder: str) -> None:
        self.checkout = os.path.join(folder, "checkout")
        self.floor_path = os.path.join(folder, "floor.db")
        self.vectors_path = os.path.join(folder, "vectors.npy")
        os.makedirs(self.checkout)
        self.home = os.path.join(folder, "home")
        _make_repository(self.checkout)
        self.began = int(time.time()) - 200_000 * SPACING
        self.stored: list[Memory] = []

    def enter(self) -> Workspace:
        """Set the environment so that programs started from here use this workspace."""
        os.environ["RUM_HOME"] = self.home
        os.environ["RUM_IDLE_AFTER"] = "0"  # idle work would run into the next measurement
        os.environ["RUM_EMBEDDER"] = "none"  # by words alone, as the floor; see `by_meaning`
        return self

    @contextmanager
    def by_meaning(self) -> Generator[None]:
        """Use the built-in embedder inside the block, as by default."""
        os.environ["RUM_EMBEDDER"] = "builtin"
        try:
            yield
        finally:
            os.environ["RUM_EMBEDDER"] = "none"

    def open_rum(self) -> Rum:
        """RUM as a program uses it."""
        return Rum.open(self.checkout, agent="benchmark", home=self.home)

    def open_floor(self) -> Floor:
        """The floor in this process."""
        return Floor(self.floor_path)

    def open_store(self) -> SqliteStore:
        """The store itself, for steps that are not timed."""
        return SqliteStore(self.project_folder)

    @property
    def project_folder(self) -> str:
        """The folder of the project in RUM's home."""
        return open_project(self.checkout, flags={"home": self.home})[1].directory

    def floor_row(self, memory: Memory) -> Row:
        """A memory as the floor keeps it."""
        at = self.began + memory.number * SPACING
        body = json.dumps(memory.layers)
        return f"m{memory.number:06d}", at, memory.goal, int(not memory.failed), memory.summary, body

    def fill(self, memories: Iterable[Memory]) -> None:
        """Put many memories into both, without timing any of them."""
        made = list(memories)
        self.stored += made
        floor = self.open_floor()
        floor.fill((self.floor_row(memory), memory.text, memory.files) for memory in made)
        floor.close()
        store = self.open_store()
        with store.transaction():
            author = _author(store, self.began)
            for memory in made:
                store.memories.add(_kept(memory, author, self.began + memory.number * SPACING))
        store.close()

    def write_files(self, memories: Iterable[Memory]) -> None:
        """Put the files that memories name into the checkout."""
        for path in {path for memory in memories for path in memory.files}:
            place = os.path.join(self.checkout, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write(SOURCE)


def _make_repository(folder: str) -> None:
    author = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org")
    for command in (("init", "-q"), (*author, "commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run(("git", "-C", folder, *command), check=True)


def _author(store: SqliteStore, at: int) -> Agent:
    known = store.agents.all()
    if known:
        return known[0]
    author = Agent(
        id=new_id("agent"), type=AgentType.MAIN, project_id="benchmark", created_at=at, last_active=at
    )
    store.agents.add(author)
    return author


def _kept(memory: Memory, author: Agent, at: int) -> model.Memory:
    draft = parse(memory.layers, model.Draft, "benchmark")
    actions = relative_actions(draft, at, str)
    perception = relative_perception(draft.perception, str)
    return model.Memory(
        id=new_id("mem"),
        agent_id=author.id,
        project_id="benchmark",
        session_id=f"session_{memory.number // 20}",
        created_at=at,
        intent=draft.intent,
        outcome=draft.outcome,
        perception=perception,
        reasoning=draft.reasoning,
        actions=actions,
        tags=draft.tags,
        files=collect_files(actions, perception, lambda _path: None),
    )
