"""Hooks on a busy machine: how often they answer, and how long the client waits.

    python -m benchmarks.busy_hooks [--processes 4] [--rounds 20] [--size 1000]

Processes that only compute keep the machine busy while each hook runs, in a new session every time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from benchmarks.docs_page import machine
from benchmarks.hooks import fill, hook_script
from benchmarks.workspace import Workspace

_LOOP = "while True: pass"
# A memory that each of the hooks has something to say about.
_GOAL = "Connect the ledger service to PostgreSQL through psycopg2"
_COMMAND = "pip install psycopg2"
_FAILED: dict[str, Any] = {"success": False, "error": "pg_config not found"}
_MEMORY: dict[str, Any] = {
    "intent": {"goal": _GOAL, "task_type": "configuration"},
    "actions": [{"type": "command_run", "command": _COMMAND, "result": _FAILED}],
    "outcome": {"success": False, "summary": "No driver yet", "failure_reason": "pg_config not found"},
}
_EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": _GOAL},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": _COMMAND}, "tool_use_id": "call-1"},
}


class BusyHook(NamedTuple):
    """How often a process answered, and the seconds that its caller waited."""

    event: str
    answered: int
    waits: list[float]


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=4, help="processes that keep the machine busy")
    parser.add_argument("--rounds", type=int, default=20, help="sessions")
    parser.add_argument("--size", type=int, default=1000, help="memories in the store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
        workspace = Workspace(os.path.join(folder, "busy")).enter()
        fill(workspace, options.size)
        with workspace.open_rum() as rum:
            rum.store(**_MEMORY)
        with _busy(options.processes):
            found = list(_measure(workspace, options.rounds))
    rows = [["process", "answered", "longest wait", "median wait"], ["---"] * 4]
    for one in found:
        waits = f"{max(one.waits):.2f} s", f"{sorted(one.waits)[len(one.waits) // 2]:.2f} s"
        rows.append([one.event, f"{one.answered} of {len(one.waits)}", *waits])
    print("\n".join(f"| {' | '.join(row)} |" for row in rows), machine(), sep="\n\n")


def _measure(workspace: Workspace, rounds: int) -> Iterator[BusyHook]:
    floor = [sys.executable, "-c", "pass"]
    yield BusyHook("`python -c pass`", 0, [_run(workspace, floor, b"")[0] for _ in range(rounds)])
    for event, more in _EVENTS.items():
        answered, waits = 0, list[float]()
        for _ in range(rounds):
            session = {"session_id": str(uuid.uuid4()), "prompt_id": "turn-1", "cwd": workspace.checkout}
            payload = json.dumps({**session, "hook_event_name": event, **more}).encode()
            waited, output = _run(workspace, [hook_script(), "claude-code"], payload)
            waits.append(waited)
            answered += b"psycopg2" in output
        yield BusyHook(f"`rum-hook`, {event}", answered, waits)


def _run(workspace: Workspace, command: list[str], payload: bytes) -> tuple[float, bytes]:
    began = time.perf_counter()
    done = subprocess.run(command, input=payload, capture_output=True, cwd=workspace.checkout, check=True)
    return time.perf_counter() - began, done.stdout


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


if __name__ == "__main__":
    main()
