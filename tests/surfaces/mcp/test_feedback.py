"""`feedback` over MCP."""

from __future__ import annotations

from pathlib import Path

from support.builders import make_draft
from surfaces.mcp.test_rum_server import answer, ask, tool


def test_an_agent_can_rate_a_memory(tmp_path: Path):
    memory = answer(ask(tmp_path, tool("store", make_draft()))[0])["memory_id"]
    (reply,) = ask(tmp_path, tool("feedback", {"memory_id": memory[-8:], "useful": True}))
    assert answer(reply) == {"memory_id": memory, "useful": True, "usefulness": 0.33}


def test_a_missing_argument_is_named(tmp_path: Path):
    (reply,) = ask(tmp_path, tool("feedback", {"memory_id": "mem_x"}))
    assert reply["result"]["isError"] is True
    assert "useful" in str(reply["result"])
