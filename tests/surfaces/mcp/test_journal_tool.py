"""The tool `journal` over MCP, and the fields of entries in its schema."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from rum.model.journal import JournalContext, Kind
from rum.surfaces.mcp.catalogue import catalogue
from surfaces.mcp.test_rum_server import answer, ask, initialize, tool


def test_an_agent_can_write_its_journal(tmp_path: Path) -> None:
    attempt = {"action": "add", "kind": "attempt", "entry": {"description": "Serve it"}, "task": "Export"}
    over = {"action": "update", "id": "attempt-001", "entry": {"result": "failure", "output": "Timeout"}}
    requests = [
        tool("journal", one)
        for one in (attempt, over, {"action": "show"}, {"action": "arbiter"}, {"action": "add"})
    ]
    _, added, _, shown, arbiter, wrong = ask(tmp_path, initialize("some-client"), *requests, RUM_SESSION="s1")

    assert answer(added) == {
        "session": "s1",
        "agent": "some-client",
        "path": ".rum/sessions/s1/some-client/agent-memory.yaml",
        "id": "attempt-001",
    }
    assert "- Serve it: Timeout\n" in answer(shown)["text"]
    assert "**some-client**: Last attempt (failure) - Serve it" in answer(arbiter)["text"]
    assert wrong["result"]["isError"]
    assert answer(wrong)["details"]["field"] == "kind"


def test_without_a_session_name_each_process_is_a_session(tmp_path: Path) -> None:
    requests = [
        tool("journal", {"action": "add", "kind": "attempt", "entry": {"description": "x"}}) for _ in range(2)
    ]
    first, second = map(answer, ask(tmp_path, *requests))
    assert first["session"] == second["session"]
    assert second["id"] == "attempt-002"
    shown = answer(ask(tmp_path, tool("journal", {"action": "show"}))[0])
    assert f"`{first['session']}`" in shown["hint"]


def test_the_fields_of_the_schema_are_those_of_the_model() -> None:
    (journal,) = [one for one in catalogue() if one["name"] == "journal"]
    description = journal["inputSchema"]["properties"]["entry"]["description"]
    models = {str(kind): kind.model for kind in Kind} | {"context": JournalContext}
    for kind, fields in (part.split(": ") for part in description.split("; ")):
        known = {field.encode_name for field in msgspec.structs.fields(models[kind])}
        assert set(re.findall(r"\w+", fields)) - {"then"} <= known
