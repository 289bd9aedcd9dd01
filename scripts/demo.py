"""A story of one minute: one agent fails and then fixes a bug, another one asks before it edits the file."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BOLD, DIM, END = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")

FAILED = {
    "intent": {
        "goal": "Stop users from being logged out after an hour",
        "task_type": "bug_fix",
        "context": "The access token expires and nobody refreshes it",
    },
    "reasoning": {
        "approach_chosen": "Raise the token lifetime to 24 hours",
        "why_chosen": "One line in the config",
    },
    "actions": [
        {"type": "file_edit", "file_path": "src/auth/interceptor.ts", "diff_summary": "TOKEN_TTL = 24h"},
        {"type": "command_run", "command": "npm test", "result": {"success": False}},
    ],
    "outcome": {
        "success": False,
        "summary": "Rejected: the security tests demand tokens of at most one hour",
        "failure_reason": "test/security/token.test.ts fails for any lifetime above 3600 seconds",
        "failure_category": "incorrect_assumption",
        "learnings": ["The one-hour token lifetime is a requirement, not an accident"],
    },
    "tags": ["auth"],
}

WORKED = {
    "intent": {"goal": "Refresh the access token when the server answers 401", "task_type": "bug_fix"},
    "reasoning": {
        "approach_chosen": "Refresh in the interceptor, with a queue for requests that wait",
        "why_chosen": "The lifetime must stay, so the client has to renew",
        "alternatives_considered": [
            {"approach": "A timer that refreshes early", "why_rejected": "races with sleeping laptops"}
        ],
    },
    "actions": [
        {
            "type": "file_edit",
            "file_path": "src/auth/interceptor.ts",
            "lines_affected": "45-89",
            "diff_summary": "refreshToken() on 401, one refresh at a time",
        }
    ],
    "outcome": {
        "success": True,
        "summary": "No more logouts; 14 auth tests pass",
        "learnings": ["Queue requests while a refresh is running, or they all get 401"],
        "verified_by": {"type": "test", "command": "npm test -- auth", "result": "14 passed"},
    },
    "tags": ["auth"],
}


def say(text: str) -> None:
    """Tell the story between the commands."""
    print(f"\n{BOLD}{text}{END}")


class Shell:
    """Runs real `rum` commands in a folder and a home of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "shop"
        self._folder.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
        self._environment = {**kept, "HOME": str(folder), "RUM_HOME": str(folder / "memory")}
        subprocess.run(["git", "init", "-q", str(self._folder)], check=True)

    def rum(self, command: str, given: dict[str, Any] | None = None, *, show: bool = True) -> str:
        """Run one command, show it with its output, and give the output back."""
        words = shlex.split(command)
        print(f"{DIM}$ {END}rum {command}{' <<JSON' if given else ''}")
        if given:
            print(f"{DIM}{_layer_by_layer(given)}\nJSON{END}")
        done = subprocess.run(
            [sys.executable, "-m", "rum", *words],
            input=None if given is None else json.dumps(given),
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            cwd=self._folder,
            env=self._environment,
        )
        if show:
            print(done.stdout.rstrip())
        if done.returncode:
            print(done.stderr.rstrip(), file=sys.stderr)
            raise SystemExit(done.returncode)
        return done.stdout


def _layer_by_layer(memory: dict[str, Any]) -> str:
    """A memory as JSON, one layer a line."""
    return "{" + ",\n ".join(f'"{name}": {json.dumps(layer)}' for name, layer in memory.items()) + "}"


def main() -> None:
    """Tell the story."""
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(Path(folder))
        say("Monday. Agent `ada` tries to fix a bug, and fails. It stores what it tried and why that failed.")
        failed = json.loads(shell.rum("store --agent ada --json", FAILED))["memory_id"]
        say("It finds another way, which works, and links the two.")
        worked = {**WORKED, "links": {"caused_by": [failed]}}
        fixed = json.loads(shell.rum("store --agent ada --json", worked))["memory_id"]
        say("Thursday. Another agent, `bob`, is about to change that file. It asks first: what failed here?")
        shell.rum("recall --agent bob --file src/auth/interceptor.ts --failures-only --depth outcome")
        say("So a longer lifetime is out, and bob knows why. It asks in its own words what works.")
        shell.rum("recall --agent bob expired tokens on 401 --depth reasoning --limit 1")
        say("And why is the code like this? The trace leads back to the cause.")
        shell.rum(f"trace {fixed[-8:]}")
        say("Two agents, four days, one memory: in a file of its own under RUM_HOME, and nowhere else.")


if __name__ == "__main__":
    main()
