"""Write a session's transcript in the form of Claude Code's own."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

VERSION = "2.1.325"
MODEL = "claude-opus-5-5"
_USAGE = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 10,
}


def transcript_path(home: Path, project: Path, session: str) -> Path:
    """Where the client keeps the transcript of a session."""
    folder = re.sub(r"[^A-Za-z0-9]", "-", str(project))
    return home / ".claude" / "projects" / folder / f"{session}.jsonl"


class Transcript:
    """One JSONL file: prompts, the agent's messages, tool calls and their results."""

    def __init__(self, path: Path, session: str, agent: str | None = None) -> None:
        self.path = path
        self._session = session
        self._agent = agent
        self._parent: str | None = None
        self._call_records: dict[str, str] = {}
        path.parent.mkdir(parents=True, exist_ok=True)

    def prompt(self, text: str, prompt_id: str, cwd: Path, **more: Any) -> None:
        """Add a prompt."""
        self._add(
            {"promptId": prompt_id, "type": "user", "message": {"role": "user", "content": text}, **more}, cwd
        )

    def say(self, block: dict[str, Any], message_id: str, cwd: Path, *, last: bool) -> None:
        """Add a block of a message: a text or a tool call."""
        message = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": "end_turn" if last else "tool_use",
            "stop_sequence": None,
            "usage": _USAGE,
        }
        record = self._add({"message": message, "type": "assistant", "madeBy": "model"}, cwd)
        if block["type"] == "tool_use":
            self._call_records[block["id"]] = record

    def result(
        self, call: str, content: Any, response: Any, prompt_id: str, cwd: Path, *, failed: bool
    ) -> None:
        """Add the result of a tool call."""
        result = {"tool_use_id": call, "type": "tool_result", "content": content}
        self._add(
            {
                "promptId": prompt_id,
                "type": "user",
                "message": {
                    "role": "user",
                    "content": [{**result, **({"is_error": True} if failed else {})}],
                },
                "toolUseResult": response,
                "sourceToolAssistantUUID": self._call_records.get(call),
            },
            cwd,
        )

    def _add(self, record: dict[str, Any], cwd: Path) -> str:
        own = str(uuid.uuid4())
        whole = {
            "parentUuid": self._parent,
            "isSidechain": self._agent is not None,
            **({"agentId": self._agent} if self._agent else {}),
            **record,
            "uuid": own,
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "sdk-cli",
            "cwd": str(cwd),
            "sessionId": self._session,
            "version": VERSION,
            "gitBranch": "main",
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(whole, ensure_ascii=False) + "\n")
        self._parent = own
        return own
