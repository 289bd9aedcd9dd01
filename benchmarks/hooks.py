"""The cost of a hook: each event in its own process, compared with an empty interpreter."""

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

from benchmarks.timing import Pair, paired
from benchmarks.workload import memories
from benchmarks.workspace import Workspace

SMALL = 100  # Memories in the smallest store
# The maximum ratio to the floor, by event; smaller for tools, whose hooks run most often.
SEVERAL, TOOLS = 8, 3
_BATCH = 5_000
_SESSION = "6b6c78ce-d1e6-47b2-a81e-7789ffe865a7"


class Cost(NamedTuple):
    """What one event costs in a store of some size."""

    size: int
    event: str
    time: Pair
    most: int


def fill(workspace: Workspace, size: int) -> None:
    """Put memories into an empty workspace."""
    source = memories()
    while missing := size - len(workspace.stored):
        workspace.fill(islice(source, min(_BATCH, missing)))


def measure(workspace: Workspace, rounds: int) -> list[Cost]:
    """Run the hook of each event in turn with an interpreter that does nothing; the first only warms up."""
    last = workspace.stored[-1]
    path = os.path.join(workspace.checkout, last.files[0])
    payloads = {
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
            len(workspace.stored),
            event,
            paired([_both(workspace, event, more, number) for number in range(rounds + 1)][1:]),
            TOOLS if event in tools else SEVERAL,
        )
        for event, more in payloads.items()
    ]


def _edit(path: str) -> dict[str, Any]:
    change = {"file_path": path, "old_string": "total = 0", "new_string": "total = None\ncount = 0"}
    return {"tool_name": "Edit", "tool_input": change}


def _run(command: str, output: str = "") -> dict[str, Any]:
    said = {"tool_name": "Bash", "tool_input": {"command": command}}
    return {**said, "tool_response": {"stdout": output, "stderr": "", "interrupted": False}}


def _both(workspace: Workspace, event: str, more: dict[str, Any], number: int) -> tuple[float, float]:
    payload = {
        "session_id": _SESSION,
        "cwd": workspace.checkout,
        "prompt_id": f"turn-{event}-{number}",
        "tool_use_id": f"call-{event}-{number}",
        "hook_event_name": event,
        **more,
    }
    if "tool_name" not in more:
        del payload["tool_use_id"]
    floor = _took([sys.executable, "-c", "pass"], workspace, b"")
    rum = _took([hook_script(), "claude-code"], workspace, json.dumps(payload).encode())
    if event == "Stop":
        time.sleep(1)  # what it started works on for a moment
    return floor, rum


def hook_script() -> str:
    """The installed console script of hooks."""
    found = shutil.which("rum-hook", path=sysconfig.get_path("scripts"))
    if found is None:
        raise FileNotFoundError("rum-hook is not installed here; install RUM again")
    return found


def _took(command: list[str], workspace: Workspace, payloads: bytes) -> float:
    began = time.perf_counter()
    ran = subprocess.run(command, input=payloads, capture_output=True, cwd=workspace.checkout)
    took = 1000 * (time.perf_counter() - began)
    if ran.returncode or ran.stderr:
        raise RuntimeError(f"{command} failed: {ran.stderr.decode(errors='replace')}")
    return took
