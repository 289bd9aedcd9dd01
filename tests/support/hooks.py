"""Hooks for tests: payloads that clients really sent, and hooks run by a real interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rum.capture.events.event import from_line

if TYPE_CHECKING:
    from rum.capture.events.event import Event

SAMPLES = Path(__file__).parents[1] / "data" / "hook_samples"
PATIENCE = 60  # Seconds to wait for a background process
SESSION = "6b6c78ce-d1e6-47b2-a81e-7789ffe865a7"


def samples(client: str) -> list[dict[str, Any]]:
    """The payloads of a client, in the order in which it sent them."""
    with (SAMPLES / f"{client}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def prompt(cwd: Path, text: str = "Fix the mean", turn: str = "t1", **more: Any) -> dict[str, Any]:
    """A payload with a prompt."""
    common = {
        "session_id": SESSION,
        "cwd": str(cwd),
        "prompt_id": turn,
        "hook_event_name": "UserPromptSubmit",
    }
    return {**common, "prompt": text, **more}


def ran(cwd: Path, command: str, output: str = "", call: str = "c1") -> dict[str, Any]:
    """A payload with a finished command."""
    common = {"session_id": SESSION, "cwd": str(cwd), "prompt_id": "t1", "hook_event_name": "PostToolUse"}
    response = {"stdout": output, "stderr": "", "interrupted": False}
    return {
        **common,
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": response,
        "tool_use_id": call,
    }


class HookRunner(NamedTuple):
    """A home, a project and a temporary folder: everything that a hook uses."""

    home: Path
    work: Path
    temporary: Path

    def start(
        self,
        client: str = "claude-code",
        *,
        command: list[str] | None = None,
        env: dict[str, str] | None = None,
        first: Callable[[], None] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a hook with pipes for stdin, stdout and stderr."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
        own = {"RUM_HOME": str(self.home), "TMPDIR": str(self.temporary), "RUM_EMBEDDER": "none"}
        return subprocess.Popen(
            command or [sys.executable, "-P", "-m", "rum", "hook", client],
            cwd=self.work,
            env=inherited | own | (env or {}),
            preexec_fn=first,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, payload: object, client: str = "claude-code", **how: Any) -> None:
        """Run a hook; asserts that it succeeds and prints nothing."""
        assert self.output(payload, client, **how) == b""

    def output(self, payload: object, client: str = "claude-code", **how: Any) -> bytes:
        """Run a hook and return its output."""
        hook = self.start(client, **how)
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        output, errors = hook.communicate(data, timeout=PATIENCE)
        assert (hook.returncode, errors) == (0, b"")
        return output

    def project(self) -> Path:
        """The folder of the only project."""
        (folder,) = (self.home / "projects").iterdir()
        return folder

    def raw(self) -> bytes:
        """The content of all spool files."""
        files = [*self.home.rglob("*.jsonl"), *self.temporary.rglob("*.jsonl")]
        return b"".join(path.read_bytes() for path in files)

    def events(self, *, muted: bool = False) -> list[Event]:
        """The events in all spool files, or the muted hooks, which depend on how busy the machine is.

        Asserts that every line is complete.
        """
        events = [from_line(line) for line in self.raw().split(b"\n") if line]
        assert None not in events
        return [event for event in events if event and (event["kind"] == "muted") is muted]

    def await_events(self, count: int) -> list[Event]:
        """Wait for this many events: on a busy machine another process finishes the work of the hook."""
        until(lambda: len({event["id"] for event in self.events()}) >= count)
        return self.events()


def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "the condition never became true"
        time.sleep(0.02)


def make_hook_runner(folder: Path) -> HookRunner:
    """A home that does not exist yet, and an empty project."""
    places = HookRunner(folder / "home", folder / "work", folder / "tmp")
    places.work.mkdir()
    places.temporary.mkdir()
    return places
