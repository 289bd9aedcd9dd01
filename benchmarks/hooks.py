"""What a hook costs: each event in a process of its own, beside an interpreter that does nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from itertools import islice
from typing import Any, NamedTuple

from benchmarks.scene import Scene
from benchmarks.timing import Pair, paired
from benchmarks.workload import memories

SMALL = 100
"""Memories in the smallest scene."""
SEVERAL, TOOLS = 8, 3
"""How many times as long as the floor a hook may take, at most; of tools, which come most often, less."""
_BATCH = 5_000
_SESSION = "6b6c78ce-d1e6-47b2-a81e-7789ffe865a7"


class Cost(NamedTuple):
    """What one event costs in a store of some size."""

    size: int
    event: str
    time: Pair
    most: int


def fill(scene: Scene, size: int) -> None:
    """Put memories into an empty scene."""
    source = memories()
    while missing := size - len(scene.stored):
        scene.fill(islice(source, min(_BATCH, missing)))


def measure(scene: Scene, rounds: int) -> list[Cost]:
    """Run the hook of each event in turn with an interpreter that does nothing; the first only warms up."""
    last = scene.stored[-1]
    path = os.path.join(scene.checkout, last.files[0])
    told = {
        "SessionStart": {"source": "startup"},
        # Only a prompt that names something rare is looked at as `recall` does, which takes longest.
        "UserPromptSubmit": {"prompt": f"{last.goal}, {last.ticket}, {last.symbol}"},
        "PreToolUse": _edit(path),
        "PostToolUse": _run("python -m pytest -q", "1 passed in 0.02s\n" * 40),
        "PostToolUseFailure": {
            **_run("python -m pytest -q"),
            "error": "Exit code 1\nAssertionError: 1 != 2\n",
        },
        "Stop": {"last_assistant_message": "It is done, and the tests pass."},
    }
    tools = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
    return [
        Cost(
            len(scene.stored),
            event,
            paired([_both(scene, event, more, number) for number in range(rounds + 1)][1:]),
            TOOLS if event in tools else SEVERAL,
        )
        for event, more in told.items()
    ]


def _edit(path: str) -> dict[str, Any]:
    change = {"file_path": path, "old_string": "total = 0", "new_string": "total = None\ncount = 0"}
    return {"tool_name": "Edit", "tool_input": change}


def _run(command: str, output: str = "") -> dict[str, Any]:
    said = {"tool_name": "Bash", "tool_input": {"command": command}}
    return {**said, "tool_response": {"stdout": output, "stderr": "", "interrupted": False}}


def _both(scene: Scene, event: str, more: dict[str, Any], number: int) -> tuple[float, float]:
    payload = {
        "session_id": _SESSION,
        "cwd": scene.checkout,
        "prompt_id": f"turn-{event}-{number}",
        "tool_use_id": f"call-{event}-{number}",
        "hook_event_name": event,
        **more,
    }
    if "tool_name" not in more:
        del payload["tool_use_id"]
    floor = _took([sys.executable, "-c", "pass"], scene, b"")
    rum = _took([_script(), "claude-code"], scene, json.dumps(payload).encode())
    if event == "Stop":
        time.sleep(1)  # what it started works on for a moment
    return floor, rum


def _script() -> str:
    found = shutil.which("rum-hook", path=sysconfig.get_path("scripts"))
    if found is None:
        raise FileNotFoundError("rum-hook is not installed here; install RUM anew")
    return found


def _took(command: list[str], scene: Scene, told: bytes) -> float:
    began = time.perf_counter()
    ran = subprocess.run(command, input=told, capture_output=True, cwd=scene.checkout)
    took = 1000 * (time.perf_counter() - began)
    if ran.returncode or ran.stderr:
        raise RuntimeError(f"{command} failed: {ran.stderr.decode(errors='replace')}")
    return took
