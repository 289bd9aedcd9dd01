"""What RUM keeps and tells after a run, asked of a copy of its memory so that asking leaves no trace."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.capture.place import Place
from benchmarks.capture.stories import Check
from benchmarks.capture.transcript import transcript_path

Memory = dict[str, Any]
_GROUPS = {"told": ("start", "prompt", "touch", "brief"), "kept": ("memories", "rules", "candidates")}
_MOST = "100"


class Answers:
    """Answers of RUM at one moment of a story."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._copy = Path(tempfile.mkdtemp(prefix="rum-answers-"))
        shutil.copytree(place.rum_home, self._copy, dirs_exist_ok=True)
        self._env = {**place.env, "RUM_HOME": str(self._copy)}
        self._known: dict[str, Any] = {}

    def __enter__(self) -> Answers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._copy, ignore_errors=True)

    def _once(self, key: object, ask: Callable[[], Any]) -> Any:
        name = json.dumps(key, sort_keys=True)
        if name not in self._known:
            self._known[name] = ask()
        return self._known[name]

    def rum(self, *arguments: str) -> str:
        """The output of a command."""
        return self._once(["rum", *arguments], lambda: self.place.rum(*arguments, env=self._env))

    def hook(self, event: str, **fields: Any) -> str:
        """What a hook says at the beginning of a new session."""
        return self._once([event, fields], lambda: self._ask_hook(event, fields))

    def _ask_hook(self, event: str, fields: dict[str, Any]) -> str:
        session = str(uuid.uuid4())
        payload = {
            "session_id": session,
            "transcript_path": str(transcript_path(self.place.home, self.place.project, session)),
            "cwd": str(self.place.project),
            "hook_event_name": event,
            **fields,
        }
        if event != "SessionStart":
            payload |= {"prompt_id": str(uuid.uuid4()), "permission_mode": "bypassPermissions"}
        if event == "PreToolUse":
            payload["tool_use_id"] = f"toolu_{session[:8]}"
        return self.place.hook(payload, env=self._env, unhurried=True)

    def memories(self) -> list[Memory]:
        """All memories, complete, oldest first."""
        return self._once("memories", self._memories)

    def _memories(self) -> list[Memory]:
        ids = self.rum("list", "--limit", _MOST, "--ids").split()
        found: list[Memory] = []
        for identity in reversed(ids):
            answer = json.loads(self.rum("show", identity, "--depth", "complete", "--json"))
            memory = (answer.get("memories") or [answer.get("memory", answer)])[0]
            found.append({"id": identity, **memory})
        return found

    def texts(self, where: str, check: Check, made: dict[int, list[str]]) -> list[str]:
        """The texts found at one place."""
        if where in _GROUPS:
            return [text for name in _GROUPS[where] for text in self.texts(name, check, made)]
        if where == "memories" or where.startswith("of:"):
            ids = made.get(int(where[3:]), []) if where != "memories" else None
            chosen = [memory for memory in self.memories() if ids is None or memory["id"] in ids]
            return [json.dumps(part(memory, check.get("field")), ensure_ascii=False) for memory in chosen]
        if where == "goals":
            return [part(memory, "intent.goal") or "" for memory in self.memories()]
        if where == "raw":
            files = (path for path in self._copy.rglob("*") if path.is_file())
            return [path.read_bytes().decode("utf-8", "replace") for path in files]
        return self._told(where, check)

    def _told(self, where: str, check: Check) -> list[str]:
        task, files = check.get("task", ""), check.get("files", [])
        if where == "rules":
            return [self.rum("rules", "list", "--json")]
        if where == "candidates":
            return [self.rum("rules", "candidates", "--json")]
        if where == "recall":
            return [self.rum("recall", *check["words"].split(), "--depth", "complete", "--json")]
        if where == "brief":
            return [self.rum("brief", "--task", task, *[word for file in files for word in ("--file", file)])]
        if where == "start":
            return [self.hook("SessionStart", source="startup")]
        if where == "prompt":
            return [self.hook("UserPromptSubmit", prompt=task)]
        if where == "touch":
            paths = [str(self.place.project / file) for file in files]
            return [
                self.hook("PreToolUse", tool_name="Read", tool_input={"file_path": path}) for path in paths
            ]
        raise KeyError(where)


def part(memory: Any, field: str | None) -> Any:
    """A part of a memory by its dotted name; of a list, the part of each member."""
    for name in re.findall(r"[^.]+", field or ""):
        memory = [one.get(name) for one in memory] if isinstance(memory, list) else (memory or {}).get(name)
    return memory
