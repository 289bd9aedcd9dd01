"""Offers of `rum-hook`, run as a client runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from support.builders import make_draft
from support.hooks import HookRunner, make_hook_runner, until
from support.offers import edited, failed_run, ran

LINES = {"old_string": "return sum(xs) / len(xs)", "new_string": "return sum(xs) / max(len(xs), 1)"}
PATCH = "\n".join(
    (
        "*** Begin Patch\n*** Update File: stats.py\n@@",
        f"-{LINES['old_string']}",
        f"+{LINES['new_string']}",
        "*** End Patch",
    )
)


@pytest.fixture
def hooks(tmp_path: Path) -> HookRunner:
    hooks = make_hook_runner(tmp_path)
    subprocess.run(["git", "init", "-q", str(hooks.work)], check=True)
    actions = [
        edited("stats.py", "-return sum(xs) / len(xs)\n+return sum(xs) / max(len(xs), 1)", "AssertionError"),
        edited("stats.py", "-return sum(xs) / max(len(xs), 1)\n+raise ValueError('no values')"),
        failed_run("pip install psycopg2", "pg_config not found"),
        ran("pip install psycopg2-binary"),
    ]
    with Rum.open(hooks.work, home=hooks.home) as rum:
        rum.store(**make_draft(actions=actions))
    return hooks


def before(hooks: HookRunner, session: str, tool: str, given: dict[str, str]) -> dict[str, Any]:
    payload = {"session_id": session, "cwd": str(hooks.work), "hook_event_name": "PreToolUse"}
    return {**payload, "prompt_id": "t1", "tool_use_id": session, "tool_name": tool, "tool_input": given}


def hook_output(
    hooks: HookRunner, tool: str, given: dict[str, str], client: str = "claude-code"
) -> dict[str, Any]:
    """The output of a hook before a tool call; repeated, as a hook may run out of time on a busy machine."""
    advice: list[bytes] = []

    def answered() -> bool:
        advice.append(hooks.output(before(hooks, f"s{len(advice)}", tool, given), client))
        return bool(advice[-1])

    until(answered)
    return json.loads(advice[-1])["hookSpecificOutput"]


@pytest.mark.parametrize(
    ("client", "tool", "given", "advice"),
    [
        ("claude-code", "Edit", {"file_path": "stats.py", **LINES}, "`raise ValueError('no values')`"),
        ("claude-code", "Bash", {"command": "cd x; pip install psycopg2"}, "`pip install psycopg2-binary`"),
        ("codex", "apply_patch", {"command": PATCH}, "`raise ValueError('no values')`"),
        ("codex", "Bash", {"command": "pip install psycopg2"}, "`pip install psycopg2-binary`"),
    ],
)
def test_an_agent_is_warned_before_it_repeats_a_failure(
    hooks: HookRunner, client: str, tool: str, given: dict[str, str], advice: str
):
    answer = hook_output(hooks, tool, given, client)
    assert answer["hookEventName"] == "PreToolUse"
    assert f"Worked instead: {advice}" in answer["additionalContext"]
    noted = [event for event in hooks.events() if event["kind"] == "offered"]
    assert noted[-1].get("offers", [{}])[0]["text"] in answer["additionalContext"]


def test_a_hook_offers_only_the_kinds_that_the_settings_name(hooks: HookRunner):
    given = {"file_path": "stats.py", **LINES}
    assert hook_output(hooks, "Edit", given)["hookEventName"] == "PreToolUse"
    config = hooks.home / "config.toml"
    config.write_text('offers = "none"\n')
    assert hooks.output(before(hooks, "none", "Edit", given), "claude-code") == b""
    config.write_text('offers = ["warning"]\n')
    assert hook_output(hooks, "Edit", given)["hookEventName"] == "PreToolUse"
