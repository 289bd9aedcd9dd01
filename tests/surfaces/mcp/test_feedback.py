"""`feedback` over MCP."""

from __future__ import annotations

from pathlib import Path

from support.builders import make_draft
from surfaces.mcp.test_rum_server import answer, ask, tool


def test_an_agent_can_rate_a_memory(tmp_path: Path):
    memory = answer(ask(tmp_path, tool("store", make_draft()))[0])["memory_id"]
    (reply,) = ask(tmp_path, tool("feedback", {"id": memory[-8:], "useful": True}))
    assert answer(reply) == {"id": memory, "kind": "memory", "useful": True, "usefulness": 0.33}


def test_an_agent_can_rate_a_fact(tmp_path: Path):
    ask(tmp_path, tool("learn", {"action": "set", "fact": {"key": "Redis", "value": "7.2"}}))
    (reply,) = ask(tmp_path, tool("feedback", {"id": "Redis", "useful": False}))
    assert answer(reply) == {"id": "Redis", "kind": "fact", "useful": False, "usefulness": -0.33}


def test_a_missing_argument_is_named(tmp_path: Path):
    (reply,) = ask(tmp_path, tool("feedback", {"id": "mem_x"}))
    assert reply["result"]["isError"] is True
    assert "useful" in str(reply["result"])
