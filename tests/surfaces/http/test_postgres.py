"""Two servers on one PostgreSQL database, as behind a load balancer: each sees what the other stored."""

from __future__ import annotations

import http.client
import itertools
import threading
from pathlib import Path

import pytest

from rum import Rum
from support import postgres
from surfaces.http.running import WORK, Server, start


def test_two_servers_share_one_database(request: pytest.FixtureRequest, tmp_path: Path):
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    project = tmp_path.name
    servers = [start(tmp_path / "home", store=postgres.dsn()) for _ in range(2)]
    try:
        writer = servers[0].create("ann", "writer", project)
        other = servers[0].create("bob", "writer", f"not {project}")
        work = [WORK | {"intent": {"goal": f"Fix test {n}", "task_type": "test_write"}} for n in range(2)]
        stored = [server.call("store", writer, **one) for server, one in zip(servers, work, strict=True)]
        assert [answer.status for answer in stored] == [200, 200]
        ids = {answer.tool["memory_id"] for answer in stored}
        for server in servers:
            found = server.call("recall", writer, query="fix test").tool["memories"]
            assert {one["id"] for one in found} == ids
            assert server.call("recall", other, query="fix test").tool.get("memories") == []
            assert server.ask("GET", "/healthz").status == 200
        assert not list((tmp_path / "home").rglob("*.db"))
    finally:
        assert [server.stop() for server in servers] == [0, 0]


class Client:
    """Stores without a pause, at one server after the other, and keeps the ids that were acknowledged."""

    def __init__(self, servers: list[Server], token: str, name: str, goals: int) -> None:
        self.ids: list[str] = []
        self._servers, self._token, self._name, self._goals = servers, token, name, goals
        self.thread = threading.Thread(target=self._store)

    def _store(self) -> None:
        for number in itertools.count():
            if len(self.ids) == self._goals:
                return
            work = WORK | {"intent": {"goal": f"{self._name} {number}", "task_type": "test_write"}}
            try:
                answer = self._servers[number % len(self._servers)].call("store", self._token, **work)
                found = answer.tool if answer.status == 200 else {}
            except (OSError, http.client.HTTPException, KeyError, ValueError):
                continue
            if "memory_id" in found:
                self.ids.append(found["memory_id"])


def test_no_acknowledged_memory_is_lost_when_servers_and_the_database_are_killed(
    request: pytest.FixtureRequest, tmp_path: Path
):
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    tmp_path.chmod(0o755)
    folder = tmp_path / "postgres"
    folder.mkdir(mode=0o755)
    dsn, home = postgres.start(folder / "data"), tmp_path / "home"
    servers = [start(home, store=dsn) for _ in range(2)]
    token = servers[0].create("ann", "writer", "shop", per_minute=100_000)
    clients = [Client(servers, token, f"client{number}", 30) for number in range(4)]

    def wait_for(count: int) -> None:
        while sum(len(client.ids) for client in clients) < count:
            assert any(client.thread.is_alive() for client in clients)

    try:
        for client in clients:
            client.thread.start()
        wait_for(25)
        servers[0].process.kill()
        servers[0].process.wait()
        servers[0].process.stderr.close()
        servers[0] = start(home, store=dsn)
        wait_for(70)
        postgres.kill(folder / "data")
        postgres.run_again(folder / "data")
        for client in clients:
            client.thread.join()
    finally:
        for server in servers:
            server.process.kill()
            server.process.wait()
            server.process.stderr.close()
    acknowledged = {one for client in clients for one in client.ids}
    assert len(acknowledged) == 120
    with Rum.open(home, project="shop", home=home, store=dsn, owner=True) as rum:
        assert {rum.show(one).id for one in acknowledged} == acknowledged
        assert rum.doctor().problems == []
