"""`brief`, `feedback` and `journal` over MCP, and the prompt with which a person starts a task."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp_types import methods

from rum.model.journal import JournalContext, Kind
from rum.surfaces.mcp.catalogue import catalogue
from support.builders import make_draft
from support.fences import inside
from surfaces.mcp.test_rum_server import answer, ask, initialize, tool

FACT = tool("learn", {"action": "set", "fact": {"key": "token", "value": "JWT"}})
TASK = "Refresh the token"


def stateless(method: str, params: dict[str, Any]) -> dict[str, Any]:
    prefix = "io.modelcontextprotocol/"
    info = {"name": "test", "version": "0"}
    meta = {"protocolVersion": "2026-07-28", "clientInfo": info, "clientCapabilities": {}}
    return {
        "method": method,
        "params": {**params, "_meta": {prefix + name: one for name, one in meta.items()}},
    }


def prompt(**arguments: Any) -> dict[str, Any]:
    return {"method": "prompts/get", "params": {"name": "brief", "arguments": arguments}}


def test_the_tool_gives_the_text_and_its_tokens(tmp_path: Path):
    result = answer(ask(tmp_path, FACT, tool("brief", {"task": TASK, "file": ["src/a.py"]}))[1])
    assert set(result) == {"text", "tokens"}
    assert inside(result["text"]).endswith("- token: JWT")


def test_an_empty_brief_is_no_error(tmp_path: Path):
    (reply,) = ask(tmp_path, tool("brief", {"task": TASK}))
    assert "isError" not in reply["result"]
    assert answer(reply) == {
        "text": "",
        "tokens": 0,
        "code": "NO_RESULTS",
        "hint": "Nothing is known about this yet.",
    }


def test_the_tool_refuses_unknown_arguments(tmp_path: Path):
    (reply,) = ask(tmp_path, tool("brief", {"tasks": TASK}))
    assert reply["result"]["isError"]
    assert "`task`" in answer(reply)["message"]


def test_the_prompt_is_listed_in_every_revision(tmp_path: Path):
    greeted, listed, discovered, modern = ask(
        tmp_path,
        initialize("test"),
        {"method": "prompts/list"},
        stateless("server/discover", {}),
        stateless("prompts/list", {}),
    )
    assert greeted["result"]["capabilities"]["prompts"] == {}
    assert discovered["result"]["capabilities"]["prompts"] == {}
    (known,) = listed["result"]["prompts"]
    assert known["name"] == "brief"
    assert {one["name"]: one["required"] for one in known["arguments"]} == {
        **{"task": True, "plan": False, "file": False, "tokens": False}
    }
    assert modern["result"]["prompts"] == [known]
    methods.validate_server_result("prompts/list", "2025-06-18", listed["result"])
    methods.validate_server_result("prompts/list", "2026-07-28", modern["result"])


def test_the_prompt_holds_the_brief_and_then_the_task(tmp_path: Path):
    _, reply, modern = ask(
        tmp_path,
        FACT,
        prompt(task=TASK, file="src/a.py, src/b.py", tokens="200"),
        stateless("prompts/get", {"name": "brief", "arguments": {"task": TASK}}),
    )
    methods.validate_server_result("prompts/get", "2025-06-18", reply["result"])
    methods.validate_server_result("prompts/get", "2026-07-28", modern["result"])
    for result in (reply["result"], modern["result"]):
        (message,) = result["messages"]
        assert message["role"] == "user"
        text = message["content"]["text"]
        assert inside(text.removesuffix(f"\nYour task: {TASK}")).endswith("- token: JWT")


def test_without_knowledge_the_prompt_is_the_task(tmp_path: Path):
    (reply,) = ask(tmp_path, prompt(task=TASK))
    text = reply["result"]["messages"][0]["content"]["text"]
    assert text == f"From the project's memory: Nothing is known about this yet.\n\nYour task: {TASK}"


def test_the_prompt_says_if_nothing_fitted_into_the_token_limit(tmp_path: Path):
    _, reply = ask(tmp_path, FACT, prompt(task=TASK, tokens="5"))
    text = reply["result"]["messages"][0]["content"]["text"]
    assert text.startswith("From the project's memory: Nothing fits in 5 tokens;")
    assert text.endswith(f"\n\nYour task: {TASK}")


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"name": "briefs", "arguments": {"task": TASK}}, "briefs"),
        ({"name": "brief"}, "task"),
        ({"name": "brief", "arguments": {"task": ""}}, "task"),
        ({"name": "brief", "arguments": {"task": TASK, "tokens": "many"}}, "tokens"),
        ({"name": "brief", "arguments": {"task": TASK, "colour": "red"}}, "colour"),
        ({"name": "brief", "arguments": [TASK]}, "arguments"),
        ({"arguments": {"task": TASK}}, "name"),
    ],
)
def test_an_invalid_prompt_is_refused_with_the_reason(tmp_path: Path, params: dict[str, Any], named: str):
    (reply,) = ask(tmp_path, {"method": "prompts/get", "params": params})
    assert reply["error"]["code"] == -32602
    assert named in reply["error"]["message"]


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


def layers(action: str, **fields: Any) -> dict[str, Any]:
    return tool("layers", {"action": action, **fields})


def test_the_layers_are_appended_to_searched_compacted_and_cleared(tmp_path: Path):
    given = "e18de462-cca8-4b0c-bad2-13614cbb9dba"
    entry = {"id": given, "content": "Scanned src/", "timestamp": 1700000000000, "metadata": {"task": "scan"}}
    rule = {"content": "Ask first", "metadata": {"condition": "deploy"}}
    replies = ask(
        tmp_path,
        layers("append", type="episodic", entry=entry),
        layers("append", type="working", entry={"content": "Reading auth.py"}),
        layers("append", type="semantic", entry={"content": "CSV", "metadata": {"key": "format"}}),
        layers("append", type="procedural", entry=rule),
        layers("search", type="episodic", query="SCAN", limit=3),
        layers("search", type="working", query="auth.py"),
        layers("list", type="procedural"),
        layers("recall", key="format"),
        layers("stats"),
        layers("append", type="episodic", entry={"content": "Found two"}),
        layers("compact", type="episodic", opts={"keepLast": 1, "summarizeOlder": False}),
        layers("list", type="episodic"),
        layers("clear", confirm="project"),
        layers("stats"),
    )
    got = [answer(one) for one in replies]
    assert got[0] == entry
    assert got[2]["id"] == "format"
    assert got[4] == {"entries": [entry], "total": 1}
    assert [one["content"] for one in got[5]["entries"]] == ["Reading auth.py"]
    assert [one["metadata"] for one in got[6]["entries"]] == [{"condition": "deploy"}]
    assert (got[7]["key"], got[7]["value"]) == ("format", "CSV")
    counts = {"episodicEntryCount": 1, "semanticEntryCount": 1, "proceduralRuleCount": 1}
    assert counts.items() <= got[8].items()
    assert got[8]["workingMemoryTokens"] == 4
    assert got[10] == {"compacted": 1}
    assert [one["content"] for one in got[11]["entries"]] == ["Found two"]
    assert got[12] == {"cleared": 4}
    assert got[13]["totalStorageBytes"] == 8


def test_the_layers_answer_what_is_not_there_without_an_error(tmp_path: Path):
    empty = [layers("search", type="episodic", query="x"), layers("list", type="working")]
    for reply in ask(tmp_path, *empty, layers("recall", key="format")):
        assert "isError" not in reply["result"]
        assert answer(reply)["code"] == "NO_RESULTS"
        assert answer(reply)["hint"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"action": "append", "type": "episodic"}, "entry"),
        ({"action": "append", "entry": {"content": "x"}}, "type"),
        ({"action": "search", "type": "semantic"}, "query"),
        ({"action": "recall"}, "key"),
        ({"action": "clear"}, "confirm"),
        ({"action": "clear", "confirm": "another"}, "confirm"),
        ({"action": "compact", "type": "episodic", "opts": {"keep": 1}}, "keep"),
    ],
)
def test_the_layers_name_a_field_that_is_missing_or_wrong(tmp_path: Path, given: Any, field: str):
    (reply,) = ask(tmp_path, tool("layers", given))
    assert reply["result"]["isError"]
    assert answer(reply)["details"]["field"] == field


def test_an_agent_cannot_clear_what_another_one_appended(tmp_path: Path):
    ask(tmp_path, layers("append", type="episodic", entry={"content": "x"}), options=("--agent", "ann"))
    (reply,) = ask(tmp_path, layers("clear", confirm="project"), options=("--agent", "ben"))
    assert answer(reply)["code"] == "PERMISSION_DENIED"


def test_knowledge_is_extracted_from_the_output_of_a_run(tmp_path: Path):
    run = {"task": "Serve the export", "result": "failure", "error": "The proxy closes after 30 s"}
    output = (
        "The export fails because the proxy closes idle connections after 30 seconds. Decision: stream it."
    )
    shown = tool("note", {"action": "extract", "agent": "developer", "agentOutput": output, **run})
    extracted = answer(ask(tmp_path, shown)[0])
    assert {"shouldCreateMemory", "reasoning"} <= set(extracted)
    assert {"result", "error"} <= set(
        next(one for one in catalogue() if one["name"] == "note")["inputSchema"]["properties"]
    )


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


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("recall", {"query": "login"}),
        ("list", {}),
        ("note", {"action": "match", "task": TASK}),
        ("note", {"action": "list"}),
        ("learn", {"action": "list"}),
        ("learn", {"action": "get", "key": "x"}),
        ("list_chapters", {}),
        ("recall_wisdom", {"query": "login"}),
        ("brief", {"task": TASK}),
        ("journal", {"action": "search", "query": "x"}),
        ("journal", {"action": "show"}),
        ("journal", {"action": "arbiter"}),
        ("layers", {"action": "list", "type": "episodic"}),
    ],
)
def test_every_empty_answer_says_that_there_are_no_results(tmp_path: Path, name: str, arguments: Any):
    (reply,) = ask(tmp_path, tool(name, arguments))
    assert "isError" not in reply["result"]
    assert answer(reply)["code"] == "NO_RESULTS"
    assert answer(reply)["hint"]
