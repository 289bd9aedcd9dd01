"""From a real hook to a memory, which another process stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from support.captured_events import CRASH
from support.hooks import SESSION, HookRunner, make_hook_runner, prompt, ran, until


@pytest.fixture
def hooks(tmp_path: Path) -> HookRunner:
    return make_hook_runner(tmp_path)


def payload(hooks: HookRunner, event: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": SESSION,
        "cwd": str(hooks.work),
        "prompt_id": "t1",
        "hook_event_name": event,
        **more,
    }


def test_a_turn_becomes_a_memory_automatically(hooks: HookRunner):
    file = str(hooks.work / "stats.py")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": file, "old_string": "a", "new_string": "b = 1"}}
    again = {
        "tool_name": "Edit",
        "tool_input": {"file_path": file, "old_string": "b = 1", "new_string": "c = 2"},
    }
    check = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_use_id": "c2"}
    hooks.output(prompt(hooks.work, "Fix the mean of an empty list."))
    hooks.output(payload(hooks, "PostToolUse", **edit, tool_response={}, tool_use_id="c1"))
    hooks.output(payload(hooks, "PostToolUseFailure", **check, error=CRASH))
    hooks.output(payload(hooks, "PostToolUse", **again, tool_response={}, tool_use_id="c3"))
    hooks.output(ran(hooks.work, "pytest", "3 passed", "c4"))
    hooks.output(payload(hooks, "Stop", last_assistant_message="It works now."))

    def memories() -> list[str]:
        with Rum.open(hooks.work, home=hooks.home, owner=True) as rum:
            return [one.id for one in rum.list().memories]

    until(lambda: bool(memories()))
    with Rum.open(hooks.work, home=hooks.home, owner=True) as rum:
        (memory,) = rum.recall(query="mean of an empty list", depth="complete").memories
        results = [one.result and one.result.success for one in memory.actions or ()]
    assert results == [False, False, True, True]
    assert memory.outcome is not None
    assert memory.outcome.success is True
    assert "`b = 1` failed (ZeroDivisionError" in json.dumps(memory.outcome.learnings, ensure_ascii=False)
