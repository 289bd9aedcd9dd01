"""Codex's rollouts: `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`; a subagent has its own."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rum.capture.clients import codex as client
from rum.capture.clients.patches import file_access, line_range
from rum.capture.clients.rum_tools import rum_call
from rum.capture.clients.values import MAX_PATH, MAX_RAW, as_dict, as_int, as_list, raw_text, text, text_in
from rum.capture.events.event import cast, new_event
from rum.capture.transcripts.records import parse_record, records, unix_time

if TYPE_CHECKING:
    from rum.capture.events.event import Event, FileAccess

_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:|\"exit_code\": ?) ?(-?\d{1,10})\b")
_HEADER = re.compile(r"\A(?:[^\n]{0,200}\n){0,8}?Output:\n")
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
# The part of a UUID of version 7 that is the time at which it was made.
_UUID_TIME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}(?=-7)")
_OPERATIONS = {"add": "create", "update": "edit", "delete": "delete"}


def folders(home: str) -> list[str]:
    """The folders with sessions."""
    base = os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    return [os.path.join(base, "sessions"), os.path.join(base, "archived_sessions")]


def files(folder: str) -> Iterator[list[str]]:
    """Yield the rollouts below a folder, oldest first, each with those of its subagents after it."""
    sessions: dict[str, list[str]] = {}
    for at, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            if name.startswith("rollout-") and name.endswith(".jsonl"):
                path, reader = os.path.join(at, name), _Reader()
                with suppress(OSError):
                    reader.begin(path)
                sessions.setdefault(reader.session or path, []).append(path)
    yield from sessions.values()


def cwd_of(path: str) -> str:
    """The folder of a session; empty if unknown."""
    for at, record in enumerate(records(path)):
        if cwd := text(as_dict(record.get("payload")).get("cwd"), MAX_PATH):
            return cwd
        if at > 50:
            break
    return ""


def events(paths: list[str], last: int | None = None) -> Iterator[Event]:
    """Yield the events of a session's files, as hooks would have sent them."""
    for path in paths:
        try:
            yield from _Reader().events(path, last)
        except OSError:
            continue


class _Reader:
    """Reads one rollout; `session` is empty if unknown."""

    def __init__(self) -> None:
        self.session = self._own = self._agent = self._agent_type = self._cwd = self._turn = ""
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}

    def begin(self, path: str) -> None:
        """Read session and agent, which are only at the beginning."""
        for at, record in enumerate(records(path)):
            if self._read_meta(record) or at > 20:
                break

    def events(self, path: str, last: int | None) -> Iterator[Event]:
        if last is not None:
            self.begin(path)
        for record in records(path, last):
            payload = as_dict(record.get("payload"))
            if record.get("type") == "session_meta":
                self._read_meta(record)
            elif record.get("type") == "turn_context":
                self._turn = text(payload.get("turn_id")) or self._turn
                self._cwd = text(payload.get("cwd"), MAX_PATH) or self._cwd
            elif record.get("type") == "event_msg":
                yield from self._message_events(record, payload)
            elif record.get("type") == "response_item":
                yield from self._item_events(record, payload)

    def _read_meta(self, record: dict[str, Any]) -> bool:
        if record.get("type") != "session_meta" or self.session:
            return bool(self.session)
        meta = as_dict(record.get("payload"))
        own = text(meta.get("id"))
        spawned = as_dict(as_dict(as_dict(meta.get("source")).get("subagent")).get("thread_spawn"))
        above = text(meta.get("session_id")) or text(spawned.get("parent_thread_id")) or own
        self.session, self._own = above, own
        self._agent = own if own != above else ""
        self._agent_type = text(spawned.get("agent_role")) or text(meta.get("agent_role"))
        self._cwd = text(meta.get("cwd"), MAX_PATH)
        return True

    def _event(self, record: dict[str, Any], kind: str, name: str = "") -> Event | None:
        payload = as_dict(record.get("payload"))
        inner = as_dict(payload.get("internal_chat_message_metadata_passthrough"))
        turn = text(payload.get("turn_id")) or text(inner.get("turn_id")) or self._turn
        at = unix_time(record.get("timestamp"))
        self._turn = turn
        # A turn older than the thread was copied when the thread was forked.
        began, made = _UUID_TIME.match(turn), _UUID_TIME.match(self._own)
        is_copy = began and made and began[0] < made[0]
        if at is None or not self.session or is_copy:
            return None
        kind = "agent_stop" if kind == "stop" and self._agent else kind
        return new_event(
            client.NAME,
            self.session,
            kind,
            at,
            self._cwd,
            (self._agent, name or turn),
            turn=turn,
            agent=self._agent,
            agent_type=self._agent_type,
        )

    def _message_events(self, record: dict[str, Any], payload: dict[str, Any]) -> Iterator[Event]:
        kind = payload.get("type")
        if kind == "task_started":
            self._turn = text(payload.get("turn_id")) or self._turn
        elif kind == "user_message" and (words := text(payload.get("message"), MAX_RAW)):
            yield from self._text_event(record, "prompt", words)
        elif kind == "task_complete" and (words := text(payload.get("last_agent_message"), MAX_RAW)):
            yield from self._text_event(record, "stop", words)
        elif kind == "item_completed":
            item = as_dict(payload.get("item"))
            if item.get("type") == "UserMessage":
                yield from self._text_event(record, "prompt", text_in(item.get("content")))
            elif event := self._item(record, item):
                yield event

    def _text_event(self, record: dict[str, Any], kind: str, words: str) -> Iterator[Event]:
        # The prompt of a subagent is known from the call that started it.
        if not words.strip() or (self._agent and kind == "prompt"):
            return
        if event := self._event(record, kind):
            event["text"] = raw_text(words)
            yield event

    def _item(self, record: dict[str, Any], item: dict[str, Any]) -> Event | None:
        """A tool call that has ended."""
        call, failed = text(item.get("id")), item.get("status") in ("failed", "declined")
        if item.get("status") == "declined" or not call:
            return None
        tool = _tool_of(item)
        if tool is None:
            return None
        # Hooks report a command that fails as `after`, and a patch that fails not at all.
        event = self._event(record, "failed" if failed and tool["tool"] != "run" else "after", call)
        if event is not None:
            event.update(cast("Event", {"call": call, **tool}))
        return event

    def _item_events(self, record: dict[str, Any], payload: dict[str, Any]) -> Iterator[Event]:
        """Calls and their answers, for versions of Codex that write no record of a call's end."""
        call = text(payload.get("call_id"))
        if payload.get("type") in ("function_call", "custom_tool_call"):
            raw = text(payload.get("arguments"), MAX_RAW)
            arguments = parse_record(raw.encode()) or {"input": payload.get("input")}
            self._calls[call] = text(payload.get("name")), arguments
        elif (
            payload.get("type") in ("function_call_output", "custom_tool_call_output") and call in self._calls
        ):
            name, arguments = self._calls.pop(call)
            output = _output(payload.get("output"))
            tool = client.tool(name, arguments, _HEADER.sub("", output, count=1))
            if tool.get("tool") in ("run", "edit", "agent") and (event := self._event(record, "after", call)):
                # Only the header counts: the program's own output may contain such words.
                if code := _EXIT_CODE.search(output[:2000]):
                    tool["exit"] = int(code[1])
                event.update(cast("Event", {"call": call, **tool}))
                yield event


def _tool_of(item: dict[str, Any]) -> dict[str, Any] | None:
    """An item in RUM's terms; None for one that is no tool call."""
    kind = item.get("type")
    if kind == "CommandExecution":
        output = text(item.get("aggregated_output"), MAX_RAW)
        tool = client.tool("Bash", {"command": item.get("command")}, output)
        if (code := as_int(item.get("exit_code"))) is not None:
            tool["exit"] = code
        return tool
    if kind == "FileChange":
        output = "\n".join(filter(None, (text(item.get(name), MAX_RAW) for name in ("stdout", "stderr"))))
        return {
            "tool_name": "apply_patch",
            "tool": "edit",
            "files": _changed_files(as_dict(item.get("changes"))),
            "output": raw_text(output),
        }
    if kind in ("McpToolCall", "McpCall"):
        name = f"mcp__{text(item.get('server'))}__{text(item.get('tool') or item.get('name'))}"
        return rum_call(name, item.get("result")) or {"tool_name": name, "tool": "other"}
    return None


def _changed_files(changes: dict[str, Any]) -> list[FileAccess]:
    found: list[FileAccess] = []
    for path, change in changes.items():
        one = as_dict(change)
        operation = _OPERATIONS.get(text(one.get("type")), "edit")
        diff = text(one.get("unified_diff"), MAX_RAW)
        content = text(one.get("content"), MAX_RAW)
        lines = diff.splitlines() if diff else [f"+{line}" for line in content.splitlines()]
        added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
        removed = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
        file = file_access(path, operation, added, removed)
        if spans := _HUNK.findall(diff):
            file["lines"] = ", ".join(line_range(int(start), int(count or 1)) for start, count in spans[:10])
        found.append(file)
    return found[:50]


def _output(output: object) -> str:
    """The output of a call, which may be text, blocks of text, or a JSON object as text."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            inner = as_dict(json.loads(output))
        except ValueError:
            return output
        code = as_dict(inner.get("metadata")).get("exit_code")
        return f"Exit code: {code}\nOutput:\n{text(inner.get('output'), MAX_RAW)}"
    return output if isinstance(output, str) else "\n".join(text_in([block]) for block in as_list(output))
