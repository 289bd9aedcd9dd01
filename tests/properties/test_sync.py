"""Machines that store, change, link, forget and sync in any order end up with the same memory.

Some syncs are killed at a random moment, and some find that the others cannot be reached.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.model.errors import RumError
from support.teams import Machine, Team
from surfaces.http.running import start

MACHINES = 5
STEPS = 40
LONGEST_LIFE = 0.3  # Seconds of a sync that is killed; whole ones take about half of it
_SYNC = """
import sys
from rum import Rum
clone, home, now, *target = sys.argv[1:]
with Rum.open(clone, home=home, clock=lambda: float(now), owner=True) as rum:
    print("begun", flush=True)
    rum.sync(*target)
"""


class Story:
    """Random work on several machines; what was stored, said and forgotten is written down."""

    def __init__(self, team: Team, random: Random, target: str | None) -> None:
        self.random = random
        self.team = team
        self.target = target
        self.machines = [team.machine(f"m{number}") for number in range(MACHINES)]
        self.ids: list[str] = []
        self.said: dict[str, set[str]] = {}
        self.forgotten: set[str] = set()
        self.count = 0

    def step(self) -> None:
        machine = self.random.choice(self.machines)
        actions: list[tuple[int, Callable[[Machine], None]]] = [
            (4, self.store),
            (4, self.edit),
            (3, self.link),
            (1, self.forget),
            (3, self.fact),
            (6, self.sync),
            (1, self.killed_sync),
            (1, self.sync_without_connection),
        ]
        (act,) = self.random.choices([one for _, one in actions], [weight for weight, _ in actions])
        self.team.clock.forward(self.random.choice([0, 0, 1, 5]))
        act(machine)

    def _known(self, machine: Machine) -> list[str]:
        return [one for one in self.ids if f"memory {one}" in machine.shared()]

    def store(self, machine: Machine) -> None:
        self.count += 1
        one = machine.keep(f"Goal {self.count}", tags=[self.random.choice("abc")])
        self.ids.append(one)
        self.said[one] = {f"Done: Goal {self.count}"}

    def edit(self, machine: Machine) -> None:
        if known := self._known(machine):
            self.count += 1
            one = self.random.choice(known)
            machine.rum.update_memory(one, outcome={"summary": f"Edit {self.count}"})
            self.said[one].add(f"Edit {self.count}")

    def link(self, machine: Machine) -> None:
        if len(known := self._known(machine)) > 1:
            source, target = self.random.sample(known, 2)
            with suppress(RumError):  # two such links can make a cycle of `supersedes`
                machine.rum.link(source, target, self.random.choice(["caused_by", "related_to"]))

    def forget(self, machine: Machine) -> None:
        if known := self._known(machine):
            one = self.random.choice(known)
            machine.rum.forget(one)
            self.forgotten.add(one)

    def fact(self, machine: Machine) -> None:
        self.count += 1
        machine.rum.facts.set(self.random.choice(["port", "host"]), f"value {self.count}")

    def sync(self, machine: Machine) -> None:
        machine.sync(self.target)

    def killed_sync(self, machine: Machine) -> None:
        self.team.clock.forward(1)
        given = (machine.clone, machine.home, self.team.clock.at, *([self.target] if self.target else []))
        command = (sys.executable, "-c", _SYNC, *map(str, given))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout.readline() == b"begun\n"
            time.sleep(self.random.uniform(0, LONGEST_LIFE))
            process.kill()

    def sync_without_connection(self, machine: Machine) -> None:
        if self.target and self.target.startswith("http"):
            with pytest.raises(RumError):
                machine.sync("http://127.0.0.1:9/mcp")
            return
        place = Path(self.target) if self.target else self.team.remote
        away = place.with_name("away")
        place.rename(away)
        try:
            with pytest.raises(RumError):
                machine.sync(self.target)
        finally:
            away.rename(place)

    def settle(self) -> None:
        """Let everybody hear of everything: what the last one sends in a round needs another."""
        for _ in range(3):
            for machine in self.machines:
                machine.sync(self.target)

    def check(self) -> None:
        first, *others = [machine.shared() for machine in self.machines]
        for other in others:
            assert other == first
        # One that nobody else had received yet when it was forgotten was never shared.
        for one in self.ids:
            versions = first.get(f"memory {one}")
            assert (versions is None) == (one in self.forgotten)
            if versions:
                assert {body["outcome"]["summary"] for *_, body in versions} == self.said[one]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("RUM_"):
            monkeypatch.delenv(name)


def play(seed: int, through: str) -> None:
    with (
        TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder,
        ExitStack() as opened,
    ):
        team = Team(Path(folder), opened)
        target = server = None
        if through == "folder":
            target = str(Path(folder) / "shared")
            os.mkdir(target)
        elif through == "server":
            server = start(Path(folder) / "served" / "home", cwd=Path(folder))
            opened.callback(server.stop)
            target = server.url
        story = Story(team, Random(seed), target)
        for machine in story.machines if server else ():
            machine.set_share("all", server.create(machine.clone.name, "owner", per_minute=1_000_000))
        for _ in range(STEPS):
            story.step()
        story.settle()
        story.check()


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**9))
def test_all_machines_end_equal_through_a_folder(seed: int):
    play(seed, "folder")


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10**9))
def test_all_machines_end_equal_through_git(seed: int):
    play(seed, "git")


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10**9))
def test_all_machines_end_equal_through_a_team_server(seed: int):
    play(seed, "server")
