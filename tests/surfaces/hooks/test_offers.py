"""What a hook says, run as a client runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from support.builders import make_draft
from support.hooks import Hooked, make_hooked, until
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
def hooked(tmp_path: Path) -> Hooked:
    hooked = make_hooked(tmp_path)
    subprocess.run(["git", "init", "-q", str(hooked.work)], check=True)
    actions = [
        edited("stats.py", "-return sum(xs) / len(xs)\n+return sum(xs) / max(len(xs), 1)", "AssertionError"),
        edited("stats.py", "+raise ValueError('no values')"),
        failed_run("pip install psycopg2", "pg_config not found"),
        ran("pip install psycopg2-binary"),
    ]
    with Rum.open(hooked.work, home=hooked.home) as rum:
        rum.store(**make_draft(actions=actions))
    return hooked


def before(hooked: Hooked, session: str, tool: str, given: dict[str, str]) -> dict[str, Any]:
    told = {"session_id": session, "cwd": str(hooked.work), "hook_event_name": "PreToolUse"}
    return {**told, "prompt_id": "t1", "tool_use_id": session, "tool_name": tool, "tool_input": given}


def heard(hooked: Hooked, tool: str, given: dict[str, str], client: str = "claude-code") -> dict[str, Any]:
    """What a hook says of a call; on a busy machine its time may be up before, so that another is asked."""
    said: list[bytes] = []

    def answered() -> bool:
        said.append(hooked.said(before(hooked, f"s{len(said)}", tool, given), client))
        return bool(said[-1])

    until(answered)
    return json.loads(said[-1])["hookSpecificOutput"]


@pytest.mark.parametrize(
    ("client", "tool", "given", "said"),
    [
        ("claude-code", "Edit", {"file_path": "stats.py", **LINES}, "`raise ValueError('no values')`"),
        ("claude-code", "Bash", {"command": "cd x; pip install psycopg2"}, "`pip install psycopg2-binary`"),
        ("codex", "apply_patch", {"command": PATCH}, "`raise ValueError('no values')`"),
        ("codex", "Bash", {"command": "pip install psycopg2"}, "`pip install psycopg2-binary`"),
    ],
)
def test_an_agent_is_warned_before_it_repeats_a_failure(
    hooked: Hooked, client: str, tool: str, given: dict[str, str], said: str
):
    answer = heard(hooked, tool, given, client)
    assert answer["hookEventName"] == "PreToolUse"
    assert f"Worked instead: {said}" in answer["additionalContext"]
    noted = [event for event in hooked.events() if event["kind"] == "offered"]
    assert noted[-1].get("offers", [{}])[0]["text"] == answer["additionalContext"]
