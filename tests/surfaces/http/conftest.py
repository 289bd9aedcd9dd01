"""One server for most tests: two projects, and a token of each role."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from surfaces.http.running import Server, start


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start(tmp_path_factory.mktemp("served") / "home")
    for role in ("reader", "writer", "owner"):
        running.create(role, role)
    running.create("other", "writer", "bank")
    yield running
    assert running.stop() == 0
