"""`rum store` and `rum update`: by JSON, by file, by flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rum import Rum
from surfaces.cli.running import FLAGS, JSON, Run
from surfaces.cli.terminal import needs_terminal, on_terminal

OWN = ("id", "created_at", "session_id", "access_count", "last_accessed")


def stable_fields(rum: Rum, memory_id: str) -> dict[str, Any]:
    """The fields of a memory without id, time and the like."""
    memory = msgspec.to_builtins(rum.show(memory_id))
    for action in memory["actions"]:
        del action["timestamp"]
    return {name: value for name, value in memory.items() if name not in OWN}


def test_flags_stdin_and_file_give_the_same_memory(run: Run, rum: Rum, project: Path):
    (project / "memory.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(JSON).encode())
    ways = [
        run("store", *FLAGS),
        run("store", stdin=JSON),
        run("store", "--file", "memory.json"),
        run("store", "--file", "-", stdin=JSON),
    ]
    assert [way.code for way in ways] == [0] * 4
    first, *others = (stable_fields(rum, way.id) for way in ways)
    assert others == [first] * 3
    assert first["outcome"]["failure_category"] == "race_condition"
    assert first["files"][0]["path"] == "src/auth.py"


def test_only_the_id_goes_to_stdout_and_notes_to_stderr(run: Run):
    first = run("store", stdin=JSON)
    assert first.out.startswith("mem_")
    assert len(first.out.splitlines()) == 1
    assert "(registered)" in first.err
    again = run("store", stdin=JSON)
    assert "(resumed)" in again.err
    assert first.id in again.err, "a near-duplicate is named"


def test_json_is_that_of_the_api(run: Run):
    ran = run("store", "--json", stdin=JSON)
    assert set(ran.json) == {"memory_id", "stored_at", "indexed_files", "identity"}
    assert ran.json["indexed_files"] == ["src/auth.py"]
    assert ran.err == ""


def test_work_is_stored_for_another_agent(run: Run, rum: Rum):
    main = run("identity", "register", "-q", "--name", "developer", "--specialty", "auth").id
    sub = run("identity", "register", "-q", "--type", "subagent", "--parent-id", main, "--name", "tester").id
    stored = run("store", *FLAGS, "--for", "tester").id
    assert rum.show(stored).agent_id == sub
    assert run("store", *FLAGS, "--agent", "tester", "--for", "developer").code != 0


def test_links_can_be_set_with_flags(run: Run, rum: Rum, stored: str):
    made = run("store", *FLAGS, "--caused-by", stored, "--supersedes", stored, "--read", "src/other.py").id
    memory = rum.show(made)
    assert memory.links == {"caused_by": [stored], "supersedes": stored}
    assert [file.path for file in memory.files or ()] == ["src/auth.py", "src/other.py"]


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (b"", "stdin is empty; give a JSON object or flags (rum store --help)"),
        (b" \n", "stdin is empty"),
        (b"{", "not JSON"),
        (b"[]", "one JSON object"),
        (b"\xff\xfe", "stdin is not UTF-8 text."),
        (b'{"intent": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"intent": ' + b'{"a":' * 100_000, "nested too deeply"),
        (b"{}", "intent"),
    ],
)
def test_an_invalid_memory_is_refused_and_nothing_is_stored(run: Run, stdin: bytes, message: str):
    ran = run("store", stdin=stdin)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert run("list", "--json").json["total"] == 0


@pytest.mark.parametrize(
    ("file", "message"), [("src/a.ts", "--touched src/a.ts"), ("a.json", "not both"), ("-", "not both")]
)
def test_a_file_with_flags_is_refused_and_a_source_file_is_pointed_to_touched(
    run: Run, file: str, message: str
):
    ran = run("store", *FLAGS, "--file", file)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize("depth", [200, 900, 1_000, 5_000, 100_000])
@pytest.mark.parametrize("way", ["stdin", "file"])
@pytest.mark.parametrize("command", ["store", "update"])
def test_deeply_nested_json_is_an_error_with_a_message(
    run: Run, stored: str, project: Path, depth: int, way: str, command: str
):
    deep = b'{"intent": {"context": ' + b"[" * depth + b"]" * depth + b"}}"
    (project / "deep.json").write_bytes(deep)
    arguments = [command] if command == "store" else [command, stored]
    ran = run(*arguments, *(["--file", "deep.json"] if way == "file" else []), stdin=deep)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("rum: ")


@needs_terminal
def test_on_a_terminal_store_does_not_wait_for_json(project: Path):
    screen = on_terminal("store")
    assert screen.code == 2
    assert "Give JSON on stdin" in screen.text


def test_update_by_json_merges_and_clears(run: Run, rum: Rum, stored: str):
    patch = {"outcome": {"success": True, "failure_reason": None}, "tags": ["auth", "done"]}
    ran = run("update", stored[-8:], stdin=patch)
    assert (ran.code, ran.out) == (0, f"{stored} is now version 2.\n")
    memory = rum.show(stored)
    assert memory.outcome.success
    assert memory.outcome.failure_reason is None
    assert memory.outcome.summary == JSON["outcome"]["summary"]
    assert memory.tags == ("auth", "done")


def test_update_by_flags_changes_only_those_fields(run: Run, rum: Rum, stored: str):
    before = rum.show(stored)
    ran = run("update", stored, "--success", "--summary", "Held to the end", "--json")
    assert ran.json["memory"]["outcome"]["summary"] == "Held to the end"
    after = rum.show(stored)
    assert after.outcome.success
    assert (after.intent, after.actions, after.tags) == (before.intent, before.actions, before.tags)


def test_update_with_nothing_to_change_is_an_error(run: Run, stored: str):
    assert run("update", stored, stdin=b"{}").code == 1


@pytest.mark.parametrize("other", ["another-one", "mem_01kbh3m2x5f0vt9q8zr4w6y7ae", "", 5, None, "TAIL"])
def test_update_with_json_for_another_memory_is_an_error(run: Run, rum: Rum, stored: str, other: object):
    other = stored[-2:] if other == "TAIL" else other
    ran = run("update", stored, stdin={"memory_id": other, "tags": ["x"]})
    assert (ran.code, ran.out) == (1, "")
    assert "memory_id" in ran.err
    assert rum.show(stored).version == 1


def test_update_accepts_json_with_the_same_memory_id(run: Run, stored: str):
    for number, (named, json_id) in enumerate(
        [(stored, stored[-8:]), (stored[-8:], stored), (stored, stored)]
    ):
        ran = run("update", named, "--json", stdin={"memory_id": json_id, "tags": [f"x{number}"]})
        assert ran.json["memory_id"] == stored


def test_secrets_on_the_command_line_are_not_stored(run: Run, project: Path):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    made = run("store", *FLAGS, "--context", f"used {secret}").id
    assert secret not in run("show", made, "--json").out


@pytest.mark.parametrize("flags", [["--success", "--failure"], ["--failure", "--success"]])
def test_success_and_failure_exclude_each_other(run: Run, flags: list[str]):
    ran = run("store", "--goal", "x", "--type", "bug_fix", "--summary", "y", *flags, "--json")
    assert (ran.code, ran.out) == (2, "")
    error = json.loads(ran.err)
    assert error["code"] == "INVALID_QUERY"
    assert error["message"] == "--success and --failure exclude each other; leave one out."
    assert run("list", "--json").json["total"] == 0


def test_a_flag_given_twice_counts_once(run: Run):
    stored = run("store", "--goal", "x", "--type", "bug_fix", "--summary", "y", "--failure", "--failure")
    assert run("show", stored.id, "--json").json["outcome"]["success"] is False
