"""Two servers on one PostgreSQL database, as behind a load balancer: each sees what the other stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import postgres
from surfaces.http.running import WORK, start


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
