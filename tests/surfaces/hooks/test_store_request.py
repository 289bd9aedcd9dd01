"""The setting `capture_by_agent`: when the stop hook asks the agent to store its work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from rum.inject.offers.store_request import REQUEST
from support.hooks import SESSION, HookRunner, make_hook_runner, prompt, until


@pytest.fixture
def hooks(tmp_path: Path) -> HookRunner:
    return make_hook_runner(tmp_path)


def payload(hooks: HookRunner, name: str, turn: str = "t1", **more: Any) -> dict[str, Any]:
    common = {"session_id": SESSION, "cwd": str(hooks.work), "prompt_id": turn, "hook_event_name": name}
    return {**common, **more}


def edit(hooks: HookRunner, file: str = "a.py", turn: str = "t1") -> dict[str, Any]:
    change = {"file_path": str(hooks.work / file), "old_string": "x = 1", "new_string": "x = 2"}
    call = f"call-{file}-{turn}"
    return payload(
        hooks, "PostToolUse", turn, tool_name="Edit", tool_input=change, tool_use_id=call, tool_response={}
    )


def failure(hooks: HookRunner) -> dict[str, Any]:
    run = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "call-make"}
    return payload(hooks, "PostToolUseFailure", **run, error="Exit code 2\nno rule")


def send(hooks: HookRunner, mode: str, *payloads: dict[str, Any], client: str = "claude-code") -> list[bytes]:
    """What the hooks print, one after the other; waits until each is recorded."""
    printed: list[bytes] = []
    for one in payloads:
        before = len(hooks.events())
        printed.append(hooks.output(one, client, env={"RUM_CAPTURE_BY_AGENT": mode}))
        if one["hook_event_name"] != "Stop":
            until(lambda before=before: len(hooks.events()) > before)
    return printed


def stop(hooks: HookRunner, turn: str = "t1", **more: Any) -> dict[str, Any]:
    return payload(hooks, "Stop", turn, last_assistant_message="x is 2 now.", **more)


def patch(hooks: HookRunner) -> dict[str, Any]:
    """A change as Codex reports it."""
    command = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    call = {"tool_name": "apply_patch", "tool_input": {"command": command}, "tool_use_id": "call-p"}
    return payload(hooks, "PostToolUse", **call, tool_response="Done")


@pytest.mark.parametrize(("client", "change"), [("claude-code", edit), ("codex", patch)])
def test_a_turn_with_changes_ends_with_the_request(hooks: HookRunner, client: str, change: Any):
    *_, answer = send(hooks, "on", prompt(hooks.work), change(hooks), stop(hooks), client=client)
    assert json.loads(answer) == {"decision": "block", "reason": REQUEST}


def test_by_default_nobody_is_asked(hooks: HookRunner):
    printed = [hooks.output(one) for one in (prompt(hooks.work), edit(hooks), stop(hooks))]
    assert printed == [b""] * 3


@pytest.mark.parametrize(("with_failure", "asked"), [(False, False), (True, True)])
def test_failures_alone_can_be_asked_for(hooks: HookRunner, with_failure: bool, asked: bool):
    work = [edit(hooks), failure(hooks)] if with_failure else [edit(hooks)]
    *_, answer = send(hooks, "failures", prompt(hooks.work), *work, stop(hooks))
    assert bool(answer) is asked


def test_a_turn_that_changed_nothing_is_not_asked_for(hooks: HookRunner):
    *_, answer = send(hooks, "on", prompt(hooks.work), failure(hooks), stop(hooks))
    assert answer == b""


def test_a_turn_is_asked_for_once(hooks: HookRunner):
    start = (prompt(hooks.work), edit(hooks))
    *_, first, again = send(hooks, "on", *start, stop(hooks), stop(hooks, stop_hook_active=True))
    assert (bool(first), again) == (True, b"")


@pytest.mark.parametrize(("file", "asked"), [("a.py", False), ("b.py", True)])
def test_work_that_goes_on_with_the_same_files_is_not_asked_for_again(
    hooks: HookRunner, file: str, asked: bool
):
    send(hooks, "on", prompt(hooks.work), edit(hooks), stop(hooks))
    later = (prompt(hooks.work, "And the rest", turn="t2"), edit(hooks, file, "t2"), stop(hooks, "t2"))
    *_, answer = send(hooks, "on", *later)
    assert bool(answer) is asked


def test_an_agent_that_stored_its_work_is_not_asked(hooks: HookRunner):
    answer = {"content": [{"type": "text", "text": f'{{"memory_id": "mem_{"0" * 26}"}}'}]}
    stored = {
        "tool_name": "mcp__rum__store",
        "tool_input": {},
        "tool_use_id": "call-s",
        "tool_response": answer,
    }
    own = payload(hooks, "PostToolUse", **stored)
    *_, last = send(hooks, "on", prompt(hooks.work), edit(hooks), own, stop(hooks))
    assert last == b""


def test_the_agents_memory_supersedes_the_one_that_capture_made(
    hooks: HookRunner, monkeypatch: pytest.MonkeyPatch
):
    send(hooks, "on", prompt(hooks.work, "Set x to 2 in a.py"), edit(hooks), stop(hooks))
    monkeypatch.setenv("RUM_HOME", str(hooks.home))
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    with Rum.open(hooks.work, owner=True) as rum:
        rum.tidy()  # makes a memory although the agent goes on
        own = rum.store(
            intent={"goal": "Set x to 2", "task_type": "bug_fix"},
            outcome={"success": True, "summary": "x is 2"},
        ).memory_id
        answer = {"content": [{"type": "text", "text": json.dumps({"memory_id": own})}]}
        call = {"tool_name": "mcp__rum__store", "tool_input": {}, "tool_use_id": "call-s"}
        stored = payload(hooks, "PostToolUse", **call, tool_response=answer)
        send(hooks, "on", stored, stop(hooks, stop_hook_active=True))

        def remembered() -> list[str]:
            rum.tidy()
            return [memory.id for memory in rum.recall(file="a.py").memories]

        until(lambda: remembered() == [own])
