"""Who gets in: tokens, roles, projects, addresses and rates."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from rum.app.access import AccessTokens
from rum.model.layers import WORKING_BYTES
from surfaces.http.running import WORK, Server, create_token, start

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def errors(server: Server, tool: str, token: str, /, **arguments: Any) -> str | None:
    """The code of the error that a tool answers."""
    answer = server.call(tool, token, **arguments)
    assert answer.status == 200
    return answer.tool.get("code") if answer.json["result"].get("isError") else None


@pytest.mark.parametrize("path", ["/mcp", "/metrics"])
@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer rum_" + "0" * 64,
        "Bearer rum_" + "0" * 100_0,
        "Basic cm9vdDpyb290",
        "Bearer ../../access.json",
        "Bearer *",
    ],
)
def test_without_a_valid_token_nothing_is_answered(server: Server, path: str, authorization: str | None):
    method = "POST" if path == "/mcp" else "GET"
    answer = server.ask(method, path, LIST, Authorization=authorization)
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "tools" not in answer.json


def test_a_hash_from_the_file_is_no_token(server: Server):
    file = (server.home / "access.json").read_text()
    assert all(secret not in file for secret in server.tokens.values())
    (digest, *_) = re.findall(r'"digest": ?"([0-9a-f]{64})"', file)
    assert server.ask(body=LIST, token=f"rum_{digest}").status == 401
    assert (server.home / "access.json").stat().st_mode & 0o077 == 0


def test_a_revoked_token_ends_with_the_next_request(server: Server):
    token = server.create("brief-guest")
    assert server.ask(body=LIST, token=token).status == 200
    AccessTokens(str(server.home)).revoke("brief-guest")
    assert server.ask(body=LIST, token=token).status == 401
    again = server.create("brief-guest")
    assert server.ask(body=LIST, token=again).status == 200
    assert server.ask(body=LIST, token=token).status == 401


def test_ids_of_another_project_are_not_found(server: Server):
    mine, other = server.tokens["writer"], server.tokens["other"]
    secret = {**WORK, "intent": {"goal": "Rotate the vault of the bank", "task_type": "bug_fix"}}
    stored = server.call("store", other, **secret).tool["memory_id"]
    assert errors(server, "recall", other, memory_id=stored) is None
    for tool, arguments in (
        ("recall", {"memory_id": stored}),
        ("recall", {"memory_id": stored[-10:]}),
        ("trace", {"memory_id": stored}),
        ("update_memory", {"memory_id": stored, "tags": ["mine"]}),
        ("forget", {"id": stored}),
        ("link", {"source_id": stored, "target_id": stored, "link_type": "caused_by"}),
        ("create_chapter", {"memory_ids": [stored]}),
    ):
        assert errors(server, tool, mine, **arguments) in ("NOT_FOUND", "INVALID_QUERY"), tool
        assert errors(server, tool, server.tokens["owner"], **arguments) in ("NOT_FOUND", "INVALID_QUERY"), (
            tool
        )
    read = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "resources/read",
        "params": {"uri": f"rum://memory/{stored}"},
    }
    assert server.ask(body=read, token=mine).json["error"]["code"] == -32002
    assert b"vault" not in server.call("recall", mine, query="rotate the vault of the bank").body
    assert server.call("list", other).tool["total"] == 1


def test_a_server_of_one_project_refuses_the_tokens_of_others(tmp_path: Path):
    home = tmp_path / "home"
    shop, bank = (create_token(home, name, "owner", name) for name in ("shop", "bank"))
    server = start(home, "--project", "shop")
    try:
        assert server.ask(body=LIST, token=shop).status == 200
        assert server.ask(body=LIST, token=bank).status == 403
    finally:
        assert server.stop() == 0


def test_a_reader_changes_nothing(server: Server):
    token = server.tokens["reader"]
    stored = server.call("store", server.tokens["writer"], **WORK).tool["memory_id"]
    for tool, arguments in (
        ("store", WORK),
        ("update_memory", {"memory_id": stored, "tags": ["x"]}),
        ("link", {"source_id": stored, "target_id": stored, "link_type": "caused_by"}),
        ("forget", {"id": stored}),
        ("identity", {"action": "register", "type": "main", "name": "spy"}),
        ("identity", {"action": "resume"}),
        ("note", {"action": "add", "content": "x"}),
        ("note", {"action": "extract", "content": "x"}),
        ("note", {}),
        ("journal", {"action": "add", "kind": "discovery", "entry": {}}),
        ("journal", {"action": "context"}),
        ("learn", {"action": "set", "fact": {"key": "port", "value": "80"}}),
        ("layers", {"action": "append", "type": "semantic", "entry": {"content": "x"}}),
        ("layers", {"action": "clear", "type": "episodic", "confirm": "shop"}),
        ("create_chapter", {"memory_ids": [stored]}),
        ("synthesize", {"chapter_ids": []}),
        ("feedback", {"id": stored, "useful": True}),
    ):
        assert errors(server, tool, token, **arguments) == "PERMISSION_DENIED", (tool, arguments)
    for tool, arguments in (
        ("recall", {"memory_id": stored}),
        ("trace", {"memory_id": stored}),
        ("list", {}),
        ("brief", {"task": "Fix the login test"}),
        ("learn", {"action": "list"}),
        ("layers", {"action": "stats"}),
        ("list_chapters", {}),
        ("recall_wisdom", {}),
    ):
        assert errors(server, tool, token, **arguments) is None, tool


def test_a_session_keeps_a_bounded_number_of_bytes_as_working_entries(server: Server):
    token = server.create("hoarder")
    append = {"action": "append", "type": "working"}
    answer = server.call("layers", token, **append, entry={"content": "x" * WORKING_BYTES})
    assert (answer.tool["code"], answer.tool["details"]["field"]) == ("INVALID_QUERY", "content")
    assert errors(server, "layers", token, **append, entry={"content": "x" * 1000}) is None


def test_a_writer_changes_only_what_is_its_own(server: Server):
    anna, bob = server.create("anna"), server.create("bob")
    name = {"action": "register", "type": "main", "name": "annas-agent"}
    agent = server.call("identity", anna, **name).tool["agent_id"]
    stored = server.call("store", anna, **WORK).tool["memory_id"]
    server.call("store", bob, **WORK)
    change = {"memory_id": stored, "tags": ["changed"]}
    assert errors(server, "update_memory", bob, **change) == "PERMISSION_DENIED"
    assert errors(server, "forget", bob, id=stored) == "PERMISSION_DENIED"
    assert errors(server, "identity", bob, action="resume", agent_id=agent) == "PERMISSION_DENIED"
    assert errors(server, "identity", bob, action="resume", name="annas-agent") == "PERMISSION_DENIED"
    assert errors(server, "store", bob, **WORK, target_agent_id=agent) == "PERMISSION_DENIED"
    clear = {"action": "clear", "type": "episodic", "confirm": "shop"}
    assert errors(server, "layers", bob, **clear) == "PERMISSION_DENIED"
    assert errors(server, "update_memory", bob, **change) == "PERMISSION_DENIED"
    assert errors(server, "update_memory", anna, **change) is None
    assert errors(server, "forget", server.tokens["owner"], id=stored) is None


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::2]"])
def test_another_host_is_refused(server: Server, host: str):
    answer = server.ask(body=LIST, token=server.tokens["owner"], Host=host)
    assert answer.status in (400, 421)
    assert b"tools" not in answer.body


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8765"])
def test_the_names_of_the_own_machine_are_accepted(server: Server, host: str):
    assert server.ask(body=LIST, token=server.tokens["reader"], Host=host).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "", "http://127.0.0.1:1", "file://", "http://[", "http://localhost"],
)
def test_pages_of_other_sites_are_refused(server: Server, origin: str):
    answer = server.ask(body=LIST, token=server.tokens["owner"], Origin=origin)
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert server.ask("OPTIONS", Origin=origin).status == 403


def test_names_and_sites_can_be_allowed(tmp_path: Path):
    options = ("--allow-host", "memory.example", "--allow-origin", "https://page.example", "--no-auth")
    server = start(tmp_path / "home", *options)
    try:
        allowed = {"Host": "memory.example:443", "Origin": "https://page.example"}
        assert server.ask(body=LIST, **allowed).status == 200
        assert server.ask(body=LIST, **{**allowed, "Origin": "https://memory.example:443"}).status == 200
        assert server.ask(body=LIST, **{**allowed, "Origin": "https://evil.example"}).status == 403
        assert server.ask(body=LIST, **allowed, token="rum_wrong").status == 401
        assert server.ask(body=LIST, **allowed, Content_Type="text/plain").status == 415
    finally:
        assert server.stop() == 0


def test_too_many_calls_of_one_token_do_not_disturb_others(server: Server):
    hasty = server.create("hasty", per_minute=3)
    assert [errors(server, "list", hasty) for _ in range(4)] == [None, None, None, "RATE_LIMITED"]
    answer = server.call("list", hasty)
    assert 0 < answer.tool["details"]["retry_after"] <= 60
    assert 1 <= int(answer.headers["retry-after"]) <= 61
    other = server.ask(body=LIST, token=hasty)
    assert other.status == 429
    assert other.json["error"]["data"]["code"] == "RATE_LIMITED"
    assert errors(server, "list", server.tokens["writer"]) is None


def test_every_change_is_in_the_audit_log(server: Server):
    token = server.create("careful")
    stored = server.call("store", token, **WORK).tool["memory_id"]
    server.call("update_memory", token, memory_id=stored, tags=["secret-words"])
    server.call("forget", token, id="mem_unknown00")
    server.call("recall", token, memory_id=stored)
    server.call("learn", token, action="\ud83d")
    (file,) = (server.home / "audit").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    mine = [line for line in lines if line.get("name") == "careful"]
    assert [(line["call"], line["result"]) for line in mine] == [
        ("store", "ok"),
        ("update_memory", "ok"),
        ("forget", "NOT_FOUND"),
        ("learn", "INVALID_QUERY"),
    ]
    assert stored in mine[0]["ids"]
    assert mine[0]["role"] == "writer"
    assert "secret-words" not in file.read_text()
    assert token not in file.read_text()


def test_a_change_that_ended_in_a_defect_is_in_the_audit_log(tmp_path: Path):
    broken = start(
        tmp_path / "home",
        defect="import rum.app.memories.store as broken; broken.store = lambda *_, **__: 1 / 0",
    )
    token = broken.create("anna", "owner")
    assert broken.call("store", token, **WORK).json["error"]["message"].startswith("Internal error")
    assert broken.ask("POST", "/api/v1/calls/store", WORK, token).status == 500
    (month,) = (broken.home / "audit").iterdir()
    said = [json.loads(line) for line in month.read_text().splitlines()]
    assert [(one["call"], one["result"]) for one in said] == [
        ("store", "defect"),
        ("POST calls/store", "500"),
    ]
    assert broken.stop() == 0


def test_sessions_of_one_token_do_not_make_the_server_forget_those_of_another(tmp_path: Path):
    small = start(tmp_path / "home", limits={"MAX_CALLERS": 4})
    for name in ("anna", "eve"):
        small.create(name)

    def session(name: str) -> str:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name}}
        began = small.ask(body={**LIST, "method": "initialize", "params": hello}, token=small.tokens[name])
        return began.headers["mcp-session-id"]

    def identity(who: str, session: str, /, **arguments: str) -> Any:
        params = {"name": "identity", "arguments": arguments}
        body = {**LIST, "method": "tools/call", "params": params}
        return small.ask(body=body, token=small.tokens[who], Mcp_Session_Id=session).tool

    own = session("anna")
    mine = identity("anna", own, action="register", name="first")["agent_id"]
    identity("anna", session("anna"), action="register", name="second")
    for _ in range(9):
        identity("eve", session("eve"), action="info")
    assert identity("anna", own, action="info")["agent_id"] == mine
    assert small.stop() == 0


def test_nothing_is_changed_if_it_cannot_be_logged(tmp_path: Path):
    home = tmp_path / "home"
    token = create_token(home, "anna", "writer", "shop")
    (home / "audit").write_text("in the way")
    server = start(home)
    try:
        assert errors(server, "store", token, **WORK) == "STORAGE_ERROR"
        assert errors(server, "list", token) is None
    finally:
        assert server.stop() == 0
    with Rum.open(tmp_path, project="shop", home=home) as rum:
        assert rum.list().total == 0


def test_a_writer_writes_in_its_own_journal_only(tmp_path: Path):
    (tmp_path / "shop").mkdir()
    home = tmp_path / "home"
    anna, bob, boss = (
        create_token(home, name, role, str(tmp_path / "shop"))
        for name, role in (("anna", "writer"), ("bob", "writer"), ("boss", "owner"))
    )
    server = start(home)
    entry = {"type": "code_pattern", "content": "The clock drifts"}
    add = {"action": "add", "kind": "discovery", "entry": entry, "session": "monday"}
    try:
        written = server.call("journal", anna, **add).tool
        assert errors(server, "journal", bob, **add, agent=written["agent"]) == "PERMISSION_DENIED"
        assert errors(server, "journal", anna, **add, agent=written["agent"]) is None
        assert errors(server, "journal", boss, **add, agent=written["agent"]) is None
        shown = server.call("journal", bob, action="show", session="monday", agent=written["agent"]).tool
        assert shown["text"].count("The clock drifts") >= 1
    finally:
        assert server.stop() == 0


def test_a_new_token_does_not_inherit_the_role_of_a_revoked_one_of_its_name(tmp_path: Path):
    home = tmp_path / "home"
    server = start(home)
    try:
        server.create("anna", "owner")
        assert errors(server, "store", server.tokens["anna"], **WORK) is None
        assert server.ask("GET", "/api/v1/me", token=server.tokens["anna"]).json["role"] == "owner"
        AccessTokens(str(home)).revoke("anna")
        server.create("anna", "reader")
        assert errors(server, "store", server.tokens["anna"], **WORK) == "PERMISSION_DENIED"
        assert server.ask("GET", "/api/v1/me", token=server.tokens["anna"]).json["role"] == "reader"
    finally:
        assert server.stop() == 0


def test_files_that_git_does_not_know_are_not_read_for_the_team(tmp_path: Path):
    shop, home = tmp_path / "shop", tmp_path / "home"
    shop.mkdir()
    (shop / "pay.py").write_text("def pay():\n    return 1\n")
    git = ("git", "-C", str(shop), "-c", "user.name=A", "-c", "user.email=a@example.com")
    for step in (["init", "-q"], ["add", "pay.py"], ["commit", "-q", "-m", "Pay once, as cards fail twice"]):
        subprocess.run([*git, *step], check=True)
    (shop / "secret.py").write_text("def password():\n    return 'hunter2'\n")
    (shop / "pay.py").write_text("def not_yet_committed():\n    return 2\n")
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('no_such_setting = "x"\n')
    token = create_token(home, "anna", "reader", str(shop))
    server = start(home)
    try:
        assert "Pay once" in server.call("why", token, target="pay.py:1").tool["text"]
        for target in ("secret.py:1", "secret.py#x", "secret.py:999"):
            refused = server.call("why", token, target=target)
            assert refused.tool["code"] == "NOT_FOUND", target
            assert b"password" not in refused.body
        assert b"not_yet_committed" not in server.call("why", token, target="pay.py#x").body
        read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "rum://project"}}
        assert b"shop" in (shown := server.ask(body=read, token=token).body)
        assert str(tmp_path).encode() not in shown
        assert server.ask("GET", "/api/v1/overview", token=token).json["warnings"] == []
    finally:
        assert server.stop() == 0


def test_a_writer_does_not_confirm_the_memories_of_others(tmp_path: Path):
    shop, home = tmp_path / "shop", tmp_path / "home"
    shop.mkdir()
    (shop / "pay.py").write_text("def pay():\n    return 1\n")
    anna, bob = (create_token(home, name, "writer", str(shop)) for name in ("anna", "bob"))
    work = WORK | {"actions": [{"type": "file_edit", "file_path": "pay.py"}]}
    server = start(home)
    try:
        stored = server.call("store", anna, **work).tool["memory_id"]
        server.call("store", bob, **work)
        confirm = ("POST", "/api/v1/stale/confirm", {"ids": [stored]})
        assert server.ask(*confirm, token=bob).status == 403
        assert server.ask(*confirm, token=anna).status != 403
    finally:
        assert server.stop() == 0


def test_a_writer_does_not_change_what_was_imported(tmp_path: Path):
    home = tmp_path / "home"
    anna, boss = (
        create_token(home, name, role, "shop") for name, role in (("anna", "writer"), ("boss", "owner"))
    )
    with Rum.open(tmp_path, project="bank", home=home) as bank:
        stored = bank.call("store", WORK).memory_id
        lines = list(bank.export())
    with Rum.open(tmp_path, project="shop", home=home, owner=True) as shop:
        shop.import_lines(lines)
    server = start(home)
    try:
        assert errors(server, "store", anna, **WORK) is None
        assert errors(server, "update_memory", anna, memory_id=stored, tags=["x"]) == "PERMISSION_DENIED"
        assert errors(server, "forget", anna, id=stored) == "PERMISSION_DENIED"
        assert errors(server, "forget", boss, id=stored) is None
    finally:
        assert server.stop() == 0


def test_a_writer_adds_and_forgets_notes_in_its_own_name_only(tmp_path: Path):
    (tmp_path / "shop").mkdir()
    home = tmp_path / "home"
    anna, boss = (
        create_token(home, name, role, str(tmp_path / "shop"))
        for name, role in (("anna", "writer"), ("boss", "owner"))
    )
    server = start(home)
    note = {"title": "Deploys", "content": "Never on Fridays", "when_to_use": "deploy"}
    try:
        page = ("POST", "/api/v1/notes")
        owners = server.ask(*page, note, token=boss).json["id"]
        old = {**note, "title": "Backups", "discovered_by": "codex", "discovered_at": 1_600_000_000}
        theirs = server.ask(*page, old, token=boss).json["id"]
        register = {"action": "register", "type": "main"}
        assert errors(server, "identity", anna, **register, name="owner") == "PERMISSION_DENIED"
        assert errors(server, "identity", anna, **register, name="codex") is None
        for one in (owners, theirs):
            assert errors(server, "forget", anna, id=one, kind="note") == "PERMISSION_DENIED"
        forged = {**note, "title": "Freeze", "discovered_by": "boss"}
        assert server.ask(*page, forged, token=anna).status == 403
        assert server.ask(*page, forged, token=boss).status == 200
        own = server.ask(*page, {**note, "title": "Holidays"}, token=anna).json["id"]
        assert errors(server, "forget", anna, id=own, kind="note") is None
    finally:
        assert server.stop() == 0


def test_projects_without_a_directory_share_no_notes(server: Server):
    note = {"title": "Vault", "content": "The code is in the vault", "when_to_use": "opening the vault"}
    answer = server.ask("POST", "/api/v1/notes", note, server.tokens["other"])
    assert answer.status != 200, "there is no folder for it"
    assert b"vault" not in server.ask("GET", "/api/v1/notes", token=server.tokens["owner"]).body
    assert not (server.home / ".rum").exists()
