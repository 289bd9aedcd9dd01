"""`rum mcp`: the agent and the session of a caller, and errors when opening the memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rum.app.calls import CALLS

WORK = {
    "intent": {"goal": "Fix the flaky login test", "task_type": "test_write"},
    "outcome": {"success": True, "summary": "The clock is frozen now"},
}


def ask(
    folder: Path, *requests: dict[str, Any], options: tuple[str, ...] = (), **variables: str
) -> list[Any]:
    """The responses of one server process to some requests, in order."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    project = folder / "project"
    project.mkdir(exist_ok=True)
    kept = {**os.environ, "RUM_IDLE_AFTER": "0"}
    environment = {**kept, "HOME": str(home), "RUM_HOME": str(home / "memory"), **variables}
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, **one}) for number, one in enumerate(requests)]
    done = subprocess.run(
        [sys.executable, "-m", "rum", "mcp", *options],
        input="\n".join(lines) + "\n",
        cwd=variables.get("PWD", project),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def initialize(client: str) -> dict[str, Any]:
    info = {"name": client, "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    return {"method": "initialize", "params": params}


def tool(name: str, arguments: dict[str, Any], **meta: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}}


def answer(reply: Any) -> Any:
    return json.loads(reply["result"]["content"][0]["text"])


def session_of(folder: Path, memory_id: str) -> str:
    shown = tool("recall", {"memory_id": memory_id, "depth": "complete"})
    return answer(ask(folder, shown)[0])["memories"][0]["session_id"]


def test_a_client_is_the_same_agent_in_its_next_process(tmp_path: Path):
    first = answer(ask(tmp_path, initialize("codex"), tool("store", WORK))[1])
    other = answer(ask(tmp_path, initialize("claude-code"), tool("store", WORK))[1])
    again = answer(ask(tmp_path, initialize("codex"), tool("store", WORK))[1])
    assert first["identity"]["action"] == other["identity"]["action"] == "registered"
    assert again["identity"] == {"agent_id": first["identity"]["agent_id"], "action": "resumed"}


def test_a_client_that_reads_a_resource_first_is_recognised_by_its_name(tmp_path: Path):
    read = {"method": "resources/read", "params": {"uri": "rum://project"}}
    ask(tmp_path, initialize("codex"), read, tool("store", WORK))
    project = ask(tmp_path, {"method": "resources/read", "params": {"uri": "rum://project"}})[0]
    agents = json.loads(project["result"]["contents"][0]["text"])["agents"]
    assert [agent["client"] for agent in agents] == ["codex"]


def test_semantic_search_without_an_embedder_is_refused(tmp_path: Path):
    query = tool("recall", {"query": "login", "strategy": "semantic"})
    result = answer(ask(tmp_path, tool("store", WORK), query, RUM_EMBEDDER="none")[1])
    assert result["code"] == "NO_RESULTS"
    assert result["hint"] == (
        "Nothing was found by meaning: the setting embedder is none (by RUM_EMBEDDER); set it to builtin. "
        "Try: strategy auto (1 found)."
    )


def test_the_session_is_that_of_the_client_if_it_names_one(tmp_path: Path):
    stored = answer(ask(tmp_path, tool("store", WORK, sessionId="thread-7"))[0])["memory_id"]
    assert session_of(tmp_path, stored) == "thread-7"


def test_the_session_of_the_environment_takes_precedence(tmp_path: Path):
    stored = answer(ask(tmp_path, tool("store", WORK, sessionId="thread-7"), RUM_SESSION="mine")[0])[
        "memory_id"
    ]
    assert session_of(tmp_path, stored) == "mine"


def test_without_a_session_each_process_is_one(tmp_path: Path):
    two = [answer(reply)["memory_id"] for reply in ask(tmp_path, tool("store", WORK), tool("store", WORK))]
    third = answer(ask(tmp_path, tool("store", WORK))[0])["memory_id"]
    sessions = [session_of(tmp_path, one) for one in (*two, third)]
    assert sessions[0] == sessions[1] != sessions[2]


def test_the_home_directory_is_refused_with_a_message_and_the_server_goes_on(tmp_path: Path):
    home = tmp_path / "home"
    refused, listed = ask(tmp_path, tool("store", WORK), {"method": "tools/list"}, PWD=str(home))
    assert refused["result"]["isError"]
    assert "--project" in answer(refused)["message"]
    assert {tool["name"] for tool in listed["result"]["tools"]} == set(CALLS)


def test_a_named_project_works_from_anywhere(tmp_path: Path):
    stored = ask(tmp_path, tool("store", WORK), options=("--project", "shop"), PWD=str(tmp_path / "home"))
    found = ask(tmp_path, tool("recall", {"query": "flaky login"}), options=("--project=shop",))
    assert answer(found[0])["memories"][0]["id"] == answer(stored[0])["memory_id"]


def test_a_missing_memory_is_no_resource(tmp_path: Path):
    reply = ask(tmp_path, {"method": "resources/read", "params": {"uri": "rum://memory/mem_unknown00"}})[0]
    assert reply["error"]["code"] == -32002


def test_a_usage_error_is_printed_to_stderr(tmp_path: Path):
    command = [sys.executable, "-m", "rum", "mcp", "--tools", "some"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "--tools is all or core" in done.stderr
    assert not done.stdout


def test_a_note_is_stored_in_the_repository_and_matched_to_a_task(tmp_path: Path):
    given = {
        "action": "add",
        "title": "Sessions",
        "content": "They end after an hour.",
        "when_to_use": ["login"],
    }
    query = {"action": "match", "task": "Change the login page"}
    wrong = {"action": "match"}
    added, found, refused = ask(tmp_path, *(tool("note", one) for one in (given, query, wrong)))
    assert answer(added) == {"id": "sessions#1", "path": ".rum/notes/sessions.md", "created": True}
    assert (tmp_path / "project" / ".rum" / "notes" / "sessions.md").is_file()
    assert [note["id"] for note in answer(found)["notes"]] == ["sessions#1"]
    assert refused["result"]["isError"]
    assert answer(refused)["details"] == {"field": "task"}


def test_a_fact_of_one_client_is_known_to_another(tmp_path: Path):
    fact, rule = {"key": "ci", "value": "make check"}, {"condition": "deploy", "action": "Ask first"}
    ask(tmp_path, initialize("codex"), tool("learn", {"action": "set", "fact": fact, "rule": rule}))
    query = tool("learn", {"action": "get", "key": "ci", "task": "Deploy the shop"})
    result = answer(ask(tmp_path, initialize("claude-code"), query)[1])
    assert result["facts"][0]["value"] == "make check"
    assert result["rules"][0]["action"] == "Ask first"
    changed = tool("learn", {"action": "set", "fact": {"key": "ci", "value": "make all"}})
    result = answer(ask(tmp_path, initialize("claude-code"), changed)[1])
    assert (result["facts"][0]["value"], result["facts"][0]["version"]) == ("make all", 2)
    refused = ask(tmp_path, initialize("claude-code"), tool("forget", {"id": "ci"}))[1]
    assert refused["result"]["isError"]
    assert answer(refused)["code"] == "PERMISSION_DENIED"
