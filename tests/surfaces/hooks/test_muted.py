"""Hooks that run out of time: how long each kind may take, and that missing answers are counted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rum import Rum
from rum.surfaces.hooks.watchdog import TIME_LIMIT, time_limit
from support.hooks import HookRunner, make_hook_runner, ran, samples, until


@pytest.fixture
def hooks(tmp_path: Path) -> HookRunner:
    return make_hook_runner(tmp_path)


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_start_of_a_session_may_take_longest_and_a_tool_call_shortest(client: str):
    limits = {
        payload["hook_event_name"]: time_limit(json.dumps(payload).encode()) for payload in samples(client)
    }
    assert limits["SessionStart"] > limits["UserPromptSubmit"] > limits["PreToolUse"] == TIME_LIMIT


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b'{"hook_event_name": 5}',
        json.dumps({"hook_event_name": "PreToolUse", "x": '"hook_event_name": "SessionStart"'}).encode(),
        json.dumps({"text": '"hook_event_name": "SessionStart"', "hook_event_name": "PostToolUse"}).encode(),
    ],
)
def test_an_unknown_or_quoted_name_gets_no_more_time(payload: bytes):
    assert time_limit(payload) == TIME_LIMIT


# A hook whose search for offers takes for ever, as on a busy machine.
STALLED = """
import sys, time
import rum.inject.offers
rum.inject.offers.offers_for = lambda *arguments: time.sleep(60)
import rum.surfaces.hooks.main as hook
hook.run(["claude-code"])
"""


def test_a_hook_without_time_to_answer_is_counted(hooks: HookRunner, monkeypatch: pytest.MonkeyPatch):
    for number in range(5):
        hooks.send(ran(hooks.work, "make", call=f"c{number}"), command=[sys.executable, "-c", STALLED])
    until(lambda: [event.get("source") for event in hooks.events(muted=True)] == ["after"] * 5)
    monkeypatch.setenv("RUM_HOME", str(hooks.home))
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    with Rum.open(hooks.work) as rum:
        rum.tidy()
        diagnosis = rum.doctor()
    assert diagnosis.facts["hooks"] == {"answerable": 5, "offered": 0, "muted": 5}
    assert any("5 of 5 hooks" in problem.what for problem in diagnosis.problems)
