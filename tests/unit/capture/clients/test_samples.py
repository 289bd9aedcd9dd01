"""Recorded payloads of each client, read as events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rum.capture.clients.detect import CLIENTS, client_of, event_of, hook_answer, module_of
from rum.capture.events.event import INTERRUPTED, from_line, to_line
from support.hooks import samples

if TYPE_CHECKING:
    from rum.capture.events.event import Event

AT = 1_800_000_000.25


def events(client: str) -> list[Event]:
    found = [event_of(payload, client, AT) for payload in samples(client)]
    return [event for event in found if event]


def one(client: str, **wanted: Any) -> Event:
    (found,) = [event for event in events(client) if wanted.items() <= event.items()]
    return found


@pytest.mark.parametrize("client", CLIENTS)
def test_every_sample_becomes_an_event_that_reads_back_the_same(client: str):
    found = events(client)
    assert {event["client"] for event in found} == {client}
    assert [from_line(to_line(event)) for event in found] == found
    assert len({event["id"] for event in found}) == len(found)


@pytest.mark.parametrize(
    ("client", "left_out"),
    [
        ("claude-code", ["SubagentStop", "PostCompact"]),
        ("codex", ["PostCompact"]),
        ("gemini", ["Notification"]),
    ],
)
def test_events_of_compaction_are_left_out(client: str, left_out: list[str]):
    without = [p["hook_event_name"] for p in samples(client) if event_of(p, client, AT) is None]
    assert without == left_out


def test_claude_code_edit_names_the_lines_that_changed():
    edit = one("claude-code", kind="after", tool="edit")
    assert edit.get("files") == [
        {
            "path": "/project/stats.py",
            "operation": "edit",
            "added": "    if values is None:\n        return 0.0",
            "lines": "2-3",
        }
    ]


def test_claude_code_command_that_failed_has_its_exit_code_and_error():
    failed = one("claude-code", kind="failed", exit=1)
    assert failed.get("command") == "python3 check_stats.py"
    assert "ZeroDivisionError" in failed.get("output", "")


def bash(event: str, given: dict[str, Any], **more: Any) -> Event:
    told = {"session_id": "s", "cwd": "/p", "prompt_id": "t", "hook_event_name": event, "tool_use_id": "c"}
    found = event_of({**told, "tool_name": "Bash", "tool_input": given, **more}, "claude-code", AT)
    assert found
    return found


def test_claude_code_command_in_the_background_has_no_exit_code_yet():
    assert bash("PostToolUse", {"command": "pytest"}, tool_response={"stdout": ""}).get("exit") == 0
    asked = bash("PostToolUse", {"command": "pytest", "run_in_background": True}, tool_response={})
    moved = bash("PostToolUse", {"command": "pytest"}, tool_response={"backgroundTaskId": "b1"})
    assert "exit" not in asked
    assert "exit" not in moved


def test_an_interrupted_claude_code_command_is_marked():
    assert bash("PostToolUseFailure", {}, error="x", is_interrupt=True).get("source") == INTERRUPTED
    assert "source" not in bash("PostToolUseFailure", {}, error="x", is_interrupt=False)


def test_a_claude_code_subagent_is_recognised():
    inside = one("claude-code", kind="after", agent="a962662dd5032a99d")
    assert (inside.get("agent_type"), inside.get("command")) == ("general-purpose", "echo from the subagent")
    stopped = one("claude-code", kind="agent_stop")
    assert stopped.get("transcript", "").endswith("agent-a962662dd5032a99d.jsonl")
    assert stopped.get("text") == "The subagent is done."


def test_before_and_after_have_the_same_call_id():
    before, after = (one("claude-code", kind=kind, tool="write") for kind in ("before", "after"))
    assert before.get("call") == after.get("call") == "toolu_0_1_0"
    assert before["id"] != after["id"]


def test_codex_patch_is_an_edit_and_its_outcome_is_unwrapped():
    edit = one("codex", kind="after", tool="edit")
    (file,) = edit.get("files", [])
    assert (file["path"], file["operation"]) == ("/project/stats.py", "edit")
    assert file.get("removed") == "    return sum(values) / len(values)"
    assert (edit.get("exit"), edit.get("output", "").split(".")[0]) == (0, "Success")


def test_codex_events_without_an_exit_code_get_none():
    assert "exit" not in one("codex", kind="after", command="echo broken >&2; exit 3")


def test_gemini_tool_with_an_error_has_failed():
    failed = one("gemini", kind="failed")
    assert failed.get("output") == "File not found: /project/absent.py"
    assert one("gemini", kind="stop").get("text") == "It now returns 0.0 for an empty list."


def test_gemini_tools_that_end_at_the_same_moment_are_two_events():
    told = {
        "session_id": "s",
        "cwd": "/p",
        "hook_event_name": "AfterTool",
        "timestamp": "2026-01-01T00:00:00Z",
    }
    calls = [("replace", "a.py"), ("replace", "b.py"), ("read_file", "a.py"), ("replace", "a.py")]
    found = [
        event_of({**told, "tool_name": name, "tool_input": {"file_path": path}}, "gemini", AT)
        for name, path in calls
    ]
    assert len({event["id"] for event in found if event}) == 3


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_output_of_rums_own_tools_is_left_out(client: str):
    recalled = one(client, kind="after", tool="rum")
    assert "output" not in recalled


def test_memories_returned_by_rums_tools_are_named():
    ident = "mem_" + "0" * 26
    payload = next(p for p in samples("claude-code") if p.get("tool_response") and "mcp__" in p["tool_name"])
    payload["tool_response"] = [{"type": "text", "text": f'{{"memory_id":"{ident}"}}'}]
    found = event_of(payload, "claude-code", AT)
    assert found
    assert found.get("memories") == [ident]


def test_an_editor_that_runs_claude_codes_hooks_is_recognised():
    code = {
        "hookEventName": "PreToolUse",
        "sessionId": "s",
        "cwd": "/p",
        "tool_name": "Read",
        "tool_use_id": "c",
    }
    cursor = {
        "hook_event_name": "stop",
        "conversation_id": "s",
        "workspace_roots": ["/p"],
        "generation_id": "g",
    }
    found = [event_of(payload, "claude-code", AT) for payload in (code, cursor)]
    assert [event and (event["client"], event["kind"], event["cwd"]) for event in found] == [
        ("vscode", "before", "/p"),
        ("cursor", "stop", "/p"),
    ]


def test_codex_that_runs_claude_codes_hooks_gives_the_same_events():
    for payload in samples("codex"):
        assert client_of(payload, "claude-code") == ("codex" if "turn_id" in payload else "claude-code")
    turned = [payload for payload in samples("codex") if "turn_id" in payload]
    assert [event_of(p, "claude-code", AT) for p in turned] == [event_of(p, "codex", AT) for p in turned]


def test_prompts_without_ids_are_different_events():
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/p", "prompt": "Go on"}
    first, second = (event_of(payload, "claude-code", at) for at in (AT, AT + 5))
    assert first
    assert second
    assert first["id"] != second["id"]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_names_the_event_as_the_client_does(client: str):
    module = module_of(client)
    for payload in samples(client):
        event = event_of(payload, client, AT)
        if event and event["kind"] in module.ANSWERABLE:
            answer = hook_answer(client, event["kind"], "Look out")["hookSpecificOutput"]
            assert answer == {"hookEventName": payload["hook_event_name"], "additionalContext": "Look out"}


def test_an_unknown_client_gives_nothing():
    assert [event_of(payload, "nobody", AT) for payload in samples("claude-code")] == [None] * 29
