"""`rum mcp` starts a process for pending work while idle, and that process ends on its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from rum.app.upkeep.tidy import lease
from support.builders import make_draft
from support.embedders import Endpoint
from support.processes import PATIENCE, Place, end, make_place

linux_only = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="looks into /proc")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint().serving() as endpoint:
        yield endpoint


class Session:
    """A running `rum mcp` and the calls of an agent."""

    def __init__(self, place: Place, variables: dict[str, str]) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rum", "mcp"],
            cwd=place.work,
            env={**inherited, "RUM_HOME": str(place.home), **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]["structuredContent"]

    def store(self, goal: str = "Fix the login") -> None:
        assert self.call("store", make_draft(goal))["memory_id"]

    def close(self) -> None:
        """Close its stdin, and wait until it exits."""
        _, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0


@contextmanager
def session(place: Place, endpoint: Endpoint, **variables: str) -> Iterator[Session]:
    opened = Session(place, endpoint.settings() | variables)
    try:
        yield opened
    finally:
        end(opened.process)


def until(done: Callable[[], bool]) -> None:
    """Wait until a condition is true: long, as the process has the lowest priority."""
    deadline = time.monotonic() + 5 * PATIENCE
    while not done():
        assert time.monotonic() < deadline, "it never came to pass"
        time.sleep(0.1)


def pending(place: Place, endpoint: Endpoint) -> int:
    with ExitStack() as restored:
        environment = restored.enter_context(pytest.MonkeyPatch.context())
        for name, value in endpoint.settings().items():
            environment.setenv(name, value)
        with place.open() as rum:
            return rum.pending


def at_work(place: Place) -> bool:
    with lease(str(place.project()), 0, 0) as other:
        return other is not None


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = make_place(tmp_path)
    yield place
    until(lambda: not at_work(place))  # nobody is left behind


def test_stored_memories_are_embedded_when_the_server_is_idle(place: Place, endpoint: Endpoint):
    with session(place, endpoint, RUM_IDLE_AFTER="0.2") as agent:
        agent.store("Fix the login")
        until(lambda: len(endpoint.sent) == 1)
        until(lambda: pending(place, endpoint) == 0)
        until(lambda: not at_work(place))
        agent.store("Fix the logout")
        until(lambda: len(endpoint.sent) == 2)
        assert agent.call("recall", {"query": "login"})["memories"]
        agent.close()


def test_the_last_memories_are_embedded_after_the_session(place: Place, endpoint: Endpoint):
    with session(place, endpoint) as agent:
        agent.store()
        agent.close()
    until(lambda: pending(place, endpoint) == 0)
    until(lambda: not at_work(place))
    assert len(endpoint.sent) == 1


def test_if_many_sessions_end_at_once_one_process_embeds(place: Place, endpoint: Endpoint):
    with ExitStack() as stack:
        agents = [stack.enter_context(session(place, endpoint)) for _ in range(4)]
        for number, agent in enumerate(agents):
            agent.store(f"Goal {number}")
        for agent in agents:
            agent.close()
    until(lambda: pending(place, endpoint) == 0)
    assert sorted(text.splitlines()[0] for text in endpoint.sent) == [f"Goal {number}" for number in range(4)]


def test_nothing_is_embedded_if_idle_work_is_off(place: Place, endpoint: Endpoint):
    with session(place, endpoint, RUM_IDLE_AFTER="0") as agent:
        agent.store()
        agent.close()
    assert (pending(place, endpoint), endpoint.asked) == (1, [])
    assert not (place.project() / "tidy.lock").exists()


def test_nothing_is_embedded_without_an_embedder(place: Place, endpoint: Endpoint):
    with session(place, endpoint, RUM_EMBEDDER="none") as agent:
        agent.store()
        agent.close()
    assert not (place.project() / "tidy.lock").exists()


def test_no_process_is_started_while_another_one_embeds(place: Place, endpoint: Endpoint):
    with session(place, endpoint, RUM_IDLE_AFTER="0.1") as agent:
        agent.store()
        with lease(str(place.project()), PATIENCE, 0):
            before = list(endpoint.asked)
            agent.store()
            time.sleep(0.5)
            agent.close()
        assert (endpoint.asked, agent.process.returncode) == (before, 0)


def test_a_failing_endpoint_ends_the_work_and_doctor_reports_it(place: Place, endpoint: Endpoint):
    endpoint.status = 503
    with session(place, endpoint) as agent:
        agent.store()
        agent.close()
    until(lambda: len(endpoint.sent) == 1)
    until(lambda: not at_work(place))
    doctor = [sys.executable, "-m", "rum", "--project", place.project().name, "doctor", "--json"]
    variables = {**os.environ, "RUM_HOME": str(place.home), **endpoint.settings()}
    told = subprocess.run(doctor, capture_output=True, text=True, env=variables, cwd=place.work)
    assert "503" in json.loads(told.stdout)["problems"][0]["what"]


def test_a_deleted_home_folder_is_not_created_again(tmp_path: Path, endpoint: Endpoint):
    gone = make_place(tmp_path)
    arguments = [
        "tidy",
        "--idle",
        str(gone.home / "projects" / "shop-12345678"),
        "--project",
        "shop-12345678",
    ]
    variables = {**os.environ, "RUM_HOME": str(gone.home), **endpoint.settings()}
    ran = subprocess.run([sys.executable, "-m", "rum", *arguments], env=variables, cwd=gone.work)
    assert (ran.returncode, gone.home.exists()) == (0, False)


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


@linux_only
def test_the_server_never_loads_numpy_and_leaves_no_zombie(place: Place, endpoint: Endpoint):
    with session(place, endpoint, RUM_IDLE_AFTER="0.1") as agent:
        agent.store()
        until(lambda: len(endpoint.sent) == 1)
        until(lambda: not children(agent.process.pid))
        loaded = Path(f"/proc/{agent.process.pid}/maps").read_text()
        assert "numpy" not in loaded
        assert "_sqlite3" in loaded
        agent.close()


@linux_only
def test_the_process_has_low_priority_and_none_of_the_servers_streams(place: Place, endpoint: Endpoint):
    endpoint.stuck = True
    with session(place, endpoint, RUM_IDLE_AFTER="0.1") as agent:
        agent.store()
        until(lambda: len(endpoint.sent) == 1)
        (child,) = children(agent.process.pid)
        assert os.getpriority(os.PRIO_PROCESS, child) == 19
        assert [os.readlink(f"/proc/{child}/fd/{number}") for number in range(3)] == [os.devnull] * 3
        assert os.getsid(child) == child
        agent.close()
        assert os.path.exists(f"/proc/{child}")
        endpoint.over.set()
        until(lambda: not os.path.exists(f"/proc/{child}"))


TWICE = """
from support.builders import make_draft
from rum import Rum
with Rum.open() as rum:
    rum.store(**make_draft("Fix the login"))
    print(rum.idle(), rum.idle())
"""


def test_a_second_process_is_not_started_while_the_first_one_starts(place: Place):
    assert place.run(TWICE, RUM_EMBEDDER="builtin", RUM_IDLE_AFTER="20") == ["True False"]
