"""`rum tokens create`, `list` and `revoke`, and `rum serve --check`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from rum.app.calls import CALLS, is_write
from rum.surfaces.mcp.catalogue import READS, TOOLS
from surfaces.cli.running import Run


def test_a_token_is_shown_once_and_listed_without_its_secret(run: Run, project: Path):
    made = run("tokens", "create", "--name", "anna", "--role", "reader")
    secret = made.out.strip()
    assert secret.startswith("rum_")
    assert "reader of shop" in made.err
    (listed,) = run("tokens", "list", "--json").json
    assert (listed["name"], listed["role"], listed["per_minute"]) == ("anna", "reader", 600)
    assert "digest" not in listed
    file = project.parent / "rum" / "access.json"
    assert secret not in file.read_text()
    assert "anna (reader) of shop, created" in run("tokens", "list").out


def test_a_name_is_free_again_after_it_was_revoked(run: Run, project: Path):
    assert run("tokens", "create", "--name", "anna", "--project", "bank").code == 0
    taken = run("tokens", "create", "--name", "anna")
    assert (taken.code, "Revoke it first" in taken.err) == (1, True)
    assert run("tokens", "revoke", "--name", "anna").out == "The token anna is no longer valid.\n"
    assert run("tokens", "revoke", "--name", "anna").code == 1
    assert run("tokens", "create", "--name", "anna").code == 0
    assert [one.get("revoked_at") is None for one in run("tokens", "list", "--json").json] == [False, True]
    assert len(run("tokens", "list", "--json", "--project", "bank").json) == 1


def test_names_of_tokens_are_checked(run: Run):
    for name in ("", "a/b", "x" * 81, "two\nlines"):
        assert run("tokens", "create", "--name", name).code == 1
    assert run("tokens", "list").err == "No tokens yet.\n"


def test_a_damaged_file_of_tokens_is_named(run: Run, project: Path):
    run("tokens", "create", "--name", "anna")
    (project.parent / "rum" / "access.json").write_text('{"tokens": [{}]}')
    ran = run("tokens", "list")
    assert ran.code == 1
    assert "access.json is damaged" in ran.err


def test_the_check_names_what_is_wrong(run: Run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = run("serve", "--check", "--port", port)
    assert ran.code == 1
    assert "Nobody has a token" in ran.out
    assert f"port {port}" in ran.out
    run("tokens", "create", "--name", "anna")
    assert run("serve", "--check", "--port", "0").out.endswith("Nothing is wrong.\n")
    far = run("serve", "--check", "--port", "0", "--host", "0.0.0.0", "--no-auth", "--json")
    assert far.code == 1
    assert any("--no-auth" in one for one in far.json["problems"])
    assert any("TLS" in one for one in far.json["advice"])


def test_without_a_token_only_the_own_machine_is_served(run: Run):
    ran = run("serve", "--no-auth", "--host", "0.0.0.0")
    assert ran.code == 1
    assert "--no-auth is for 127.0.0.1" in ran.err


def test_the_tools_that_say_they_only_read_are_those_that_readers_may_call():
    assert {name for name, tool in TOOLS.items() if tool.annotations == READS} == {
        name for name, call in CALLS.items() if call.reads is True
    }
    assert is_write("layers", {"action": "nonsense"})
    assert is_write("nonsense", {})


def test_nothing_but_the_server_loads_a_web_framework(project: Path):
    program = """
import sys
from rum import Rum
import rum.surfaces.mcp.main, rum.surfaces.mcp.tools, rum.surfaces.hooks.main, rum.surfaces.cli.main
from rum.surfaces.cli.commands import ALL, root
for name in ALL:
    root.get_command(None, name)
with Rum.open() as memory:
    memory.recall("anything")
print(*{module.partition(".")[0] for module in sys.modules} & {"starlette", "uvicorn", "anyio", "h11"})
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert ran.stdout == "\n"
