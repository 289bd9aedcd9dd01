"""Every command once, run as a program."""

from __future__ import annotations

import json
from pathlib import Path

from rum.surfaces.cli.commands import ALL
from surfaces.cli.running import FLAGS, JSON, Run


def test_every_command_works_as_a_program(program: Run, project: Path):
    (project / ".rum").mkdir()
    (project / ".rum" / "config.toml").write_text("rate_limit = 1000\n")
    done: set[str] = set()

    def do(command: str, *arguments: str, stdin: bytes = b"") -> str:
        ran = program(command, *arguments, stdin=stdin)
        assert ran.code == 0, ran.err
        done.add(command)
        return ran.out

    assert "is trusted" in do("trust", "--yes")
    bug = do("store", *FLAGS).strip()
    fix = do(
        "store", stdin=json.dumps({**JSON, "outcome": {"success": True, "summary": "Fixed"}}).encode()
    ).strip()
    assert "Linked: " in do("link", fix, "caused_by", bug)
    assert bug[-8:] in do("recall", "token", "refresh")
    assert "Users log out" in do("show", bug)
    assert f"  caused_by FAIL {JSON['intent']['goal']}" in do("trace", fix)
    assert "version 2" in do("update", fix, stdin=b'{"tags": ["fixed"]}')
    assert "tags" in do("history", fix)
    assert "version 3" in do("restore", fix, "--version", "1")
    assert len(do("list").splitlines()) == 2
    assert "auth" in do("tags")
    assert "sessions#1" in do("note", "add", "Sessions", "--when", "login", stdin=b"They end after an hour.")
    assert "version 1" in do("facts", "set", "ci", "make check")
    assert "rule_" in do("rules", "add", "deploy", "Ask first")
    assert "semanticEntryCount: 1" in do("layers", "stats")
    assert "discovery-001" in do(
        "journal",
        "add",
        "discovery",
        "--session",
        "day",
        "--agent",
        "owner",
        "--type",
        "code_pattern",
        "--content",
        "So",
    )
    assert "token refresh" in do("brief", "--task", "Repair the race in token refresh")
    assert "Refreshing" in do("chapter", "create", bug, fix, "--title", "Refreshing")
    assert "insights" in do("wisdom", "synthesize", "--tag", "auth", "--min-chapters", "1")
    assert do("refresh") == "Nothing is stale.\n"
    assert do("report").startswith("# ")
    assert do("compact")
    assert do("stats")
    do("review", "list")
    assert do("archive", "--dry-run")
    assert "No note:" in do(
        "extract", "-", stdin=b'{"agent": "a", "task": "t", "agentOutput": "Ran ls.", "result": "success"}'
    )
    (project / "login.py").write_text("def login(): ...\n")
    assert "No memory tells of this code." in do("why", "login.py:1")
    assert "Nothing to compare" in do("verify")
    assert do("tokens")
    assert do("tokens", "create", "--name", "anna").startswith("rum_")
    assert "1 token, 1 project" in do("serve", "--check", "--port", "0")
    assert "developer" in do("identity", "register", "--name", "developer")
    assert len(do("agents").splitlines()) == 2
    assert len(do("projects").splitlines()) == 1
    assert "rate_limit\t1000\t" in do("config")
    assert "mcp" in do("install", "claude-code", "--scope", "project", "--dry-run", "--anyway")
    assert do("uninstall", "claude-code", "--scope", "project", "--dry-run") == "Nothing would change.\n"
    assert do("pause")
    assert do("resume")
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "day", "prompt": "Hello"}
    assert do("hook", "claude-code", stdin=json.dumps({**prompt, "cwd": str(project)}).encode()) == ""
    assert do("offers") == ""
    assert "useful. Its usefulness" in do("useful", fix)
    assert "useless. Its usefulness" in do("useless", bug)
    assert "Reindexed: 2" in do("reindex")
    assert do("tidy", "--json")
    assert "Hello" in do("events")
    assert "copy.db: " in do("backup", "copy.db")
    (project.parent / "shared").mkdir()
    assert "`share` is none" not in do("sync", "--with", str(project.parent / "shared"))
    exported = do("export")
    would, did = do("forget", "--all", "--dry-run"), do("forget", "--all", "--confirm", "shop")
    assert "Would forget: 1 wisdom" in would
    assert all("2 memories" in said and "1 fact" in said for said in (would, did))
    assert len(do("trash", "list").splitlines()) > 2
    assert fix in do("restore", fix)
    do("forget", fix)
    assert "Deleted for good: " in do("trash", "empty", "--confirm", "shop")
    assert "Purged." in do("purge")
    assert "(2 forgotten)" in do("import", "-", stdin=exported.encode())
    assert do("doctor").startswith("healthy\n")
    assert "complete" in do("completion", "bash")
    assert "--tools" in do("mcp", "--help")
    assert "--no-open" in do("web", "--help")  # It runs until it is ended: see tests/surfaces/web
    assert done == set(ALL)
