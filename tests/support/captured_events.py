"""Events for tests: short sessions, and transcripts that clients really wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rum.capture.events.event import event_id
from rum.capture.observe.turns import Turn, split_turns, with_turns

if TYPE_CHECKING:
    from rum.capture.events.event import Event

TRANSCRIPTS = Path(__file__).parents[1] / "data" / "transcript_samples"
NOON = 1_800_000_000.0
CRASH = (
    "Exit code 1\nTraceback (most recent call last):\n"
    '  File "/p/stats.py", line 4, in mean\n    return sum(v) / len(v)\nZeroDivisionError: division by zero'
)


class Telling:
    """Builds the events of one session, one second apart."""

    def __init__(
        self, cwd: str = "/p", session: str = "s1", client: str = "claude-code", at: float = NOON
    ) -> None:
        self.events: list[Event] = []
        self._told = {"client": client, "session": session, "cwd": cwd}
        self._turn = self._agent = ""
        self._at = at

    def add(self, kind: str, name: str = "", **more: Any) -> Telling:
        """Add any event; its session and turn follow from the earlier ones."""
        self._at += 1
        who = {"agent": self._agent, "agent_type": "explorer"} if self._agent else {}
        turn = {"turn": self._turn} if self._turn else {}
        told = event_id(
            self._told["client"], self._told["session"], kind, self._agent, name or self._turn or self._at
        )
        self.events.append({"id": told, "kind": kind, "at": self._at, **self._told, **turn, **who, **more})  # type: ignore[typeddict-item]
        return self

    def prompt(self, text: str, turn: str | None = None) -> Telling:
        """Add a prompt, which starts a turn."""
        self._turn = f"t{len(self.events)}" if turn is None else turn
        return self.add("prompt", text=text)

    def call(self, tool: str, *, failed: bool = False, **more: Any) -> Telling:
        """Add a finished tool call."""
        name = f"c{len(self.events)}"
        self.add(
            "before",
            name,
            tool=tool,
            call=name,
            tool_name=tool,
            **{n: v for n, v in more.items() if n != "output"},
        )
        return self.add("failed" if failed else "after", name, tool=tool, call=name, tool_name=tool, **more)

    def read(self, path: str, lines: str = "1-9") -> Telling:
        """Add a read of a file."""
        return self.call("read", files=[{"path": path, "operation": "read", "lines": lines}])

    def edit(self, path: str, removed: str, added: str) -> Telling:
        """Add an edit of a file."""
        return self.call(
            "edit", files=[{"path": path, "operation": "edit", "removed": removed, "added": added}]
        )

    def run(self, command: str, output: str = "", code: int | None = 0) -> Telling:
        """Add a command."""
        ended = {} if code is None else {"exit": code}
        return self.call("run", failed=bool(code), command=command, output=output, **ended)

    def stop(self, text: str = "Done.") -> Telling:
        """End the turn."""
        return self.add("agent_stop" if self._agent else "stop", text=text)

    def agent(self, name: str, turn: str | None = None) -> Telling:
        """Continue as a subagent; an empty name is the main agent."""
        self._agent = name
        self._turn = self._turn if turn is None else turn
        return self

    def turns(self) -> list[Turn]:
        """All events by turn."""
        return split_turns(with_turns(self.events))


def failed_then_fixed(telling: Telling) -> Telling:
    """A turn with a fix that fails first and then works."""
    telling.prompt("The mean of an empty list should be 0.0, but mean([]) crashes. Fix it.")
    telling.read("stats.py").edit("stats.py", "    return sum(v)", "    if v is None:\n        return 0.0")
    telling.run("python3 check_stats.py", CRASH, 1)
    telling.edit("stats.py", "    if v is None:", "    if not v:")
    return telling.run("python3 check_stats.py", "all checks passed").stop(
        "It returns 0.0 now; the checks pass."
    )
