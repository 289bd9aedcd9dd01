"""Claude Code and Codex with `rum serve`, connected by `rum install --server`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.agents import make_desk, session
from surfaces.http.running import Server, start

pytestmark = pytest.mark.e2e

STORED = {
    "intent": {"goal": "Keep prices in the cart as cents", "task_type": "refactor"},
    "outcome": {"success": True, "summary": "Sums of floats lost cents"},
    "actions": [{"type": "file_edit", "file_path": "cart.py"}],
}

OTHER = {
    "intent": {"goal": "Let gift cards expire after three years", "task_type": "other"},
    "outcome": {"success": True, "summary": "The law of most countries asks for at least two"},
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = start(tmp_path / "served" / "home", cwd=tmp_path)
    yield running
    assert running.stop() == 0


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_one_persons_agent_finds_what_anothers_stored(client: str, server: Server, tmp_path: Path):
    stored = server.call("store", server.create("bob"), **STORED).tool["memory_id"]
    desk = make_desk(tmp_path, {"cart.py": "x = 1\n"})
    desk.rum("install", client, "--anyway", "--server", f"http://127.0.0.1:{server.port}")
    steps = [
        ("mcp__rum__recall", {"file": "cart.py"}),
        ("mcp__rum__store", OTHER),
        "Done.",
    ]
    token = server.create("anna")
    model = session(client, desk, "Why are prices cents?", steps, RUM_TOKEN=token)
    assert stored in model.texts(1)
    found = server.call("recall", token, query="gift cards expire").tool["memories"]
    assert found[0]["intent"]["goal"] == OTHER["intent"]["goal"], model.texts(2)[-2000:]
    assert token not in "".join(path.read_text() for path in desk.home.rglob("*.json*") if path.is_file())


def test_a_revoked_token_ends_with_the_next_session(server: Server, tmp_path: Path):
    desk = make_desk(tmp_path, {"cart.py": "x = 1\n"})
    desk.rum("install", "claude-code", "--anyway", "--server", server.url)
    stored = server.call("store", server.create("bob"), **STORED).tool["memory_id"]
    steps = [("mcp__rum__recall", {"file": "cart.py"}), "Done."]
    model = session("claude-code", desk, "Why?", steps, RUM_TOKEN="rum_" + "0" * 64)
    assert stored not in model.texts(len(model.requests) - 1)
