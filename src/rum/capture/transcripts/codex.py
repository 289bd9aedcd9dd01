"""Codex's rollouts: `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`, one for each subagent, too."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rum.capture.clients import codex as client
from rum.capture.clients.patches import touched
from rum.capture.clients.rum_tools import is_rum, memories_in
from rum.capture.clients.values import PATH, RAW, as_dict, as_int, as_list, bounded_text, text, text_in
from rum.capture.events.event import cast, event_id
from rum.capture.transcripts.records import moment, parsed, records

if TYPE_CHECKING:
    from rum.capture.events.event import Event, Touched

_CODE = re.compile(r"(?:Process exited with code|Exit code:|\"exit_code\": ?) ?(-?\d{1,10})\b")
_OUTPUT = re.compile(r"\A(?:[^\n]{0,200}\n){0,8}?Output:\n")
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_MOMENT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}(?=-7)")
"""The millisecond in which an id was made that is ordered by time."""
_CHANGES = {"add": "create", "update": "edit", "delete": "delete"}


def folders(home: str) -> list[str]:
    """Where sessions lie."""
    base = os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    return [os.path.join(base, "sessions"), os.path.join(base, "archived_sessions")]


def files(folder: str) -> Iterator[list[str]]:
    """The rollouts below a folder, oldest first, each with those of its subagents after it."""
    sessions: dict[str, list[str]] = {}
    for at, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            if name.startswith("rollout-") and name.endswith(".jsonl"):
                path = os.path.join(at, name)
                sessions.setdefault(_session_of(path) or path, []).append(path)
    yield from sessions.values()


def _session_of(path: str) -> str:
    reader = _Reader()
    with suppress(OSError):
        reader.begin(path)
    return reader.session


def cwd_of(path: str) -> str:
    """The folder that a session was about; an empty text where it does not say."""
    for at, record in enumerate(records(path)):
        if cwd := text(as_dict(record.get("payload")).get("cwd"), PATH):
            return cwd
        if at > 50:
            break
    return ""


def events(paths: list[str], last: int | None = None) -> Iterator[Event]:
    """What a session's files tell, as hooks would have."""
    for path in paths:
        try:
            yield from _Reader().events(path, last)
        except OSError:
            continue


class _Reader:
    """Reads one rollout."""

    def __init__(self) -> None:
        self._session = self._own = self._agent = self._agent_type = self._cwd = self._turn = ""
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}

    @property
    def session(self) -> str:
        """The session that the rollout belongs to; an empty text where it does not say."""
        return self._session

    def begin(self, path: str) -> None:
        """Read who speaks, which is told at the beginning only."""
        for at, record in enumerate(records(path)):
            if self._understands(record) or at > 20:
                break

    def events(self, path: str, last: int | None) -> Iterator[Event]:
        if last is not None:
            self.begin(path)
        for record in records(path, last):
            payload = as_dict(record.get("payload"))
            if record.get("type") == "session_meta":
                self._understands(record)
            elif record.get("type") == "turn_context":
                self._turn = text(payload.get("turn_id")) or self._turn
                self._cwd = text(payload.get("cwd"), PATH) or self._cwd
            elif record.get("type") == "event_msg":
                yield from self._happened(record, payload)
            elif record.get("type") == "response_item":
                yield from self._answered(record, payload)

    def _understands(self, record: dict[str, Any]) -> bool:
        if record.get("type") != "session_meta" or self._session:
            return bool(self._session)
        meta = as_dict(record.get("payload"))
        own = text(meta.get("id"))
        spawned = as_dict(as_dict(as_dict(meta.get("source")).get("subagent")).get("thread_spawn"))
        above = text(meta.get("session_id")) or text(spawned.get("parent_thread_id")) or own
        self._session, self._own = above, own
        self._agent = own if own != above else ""
        self._agent_type = text(spawned.get("agent_role")) or text(meta.get("agent_role"))
        self._cwd = text(meta.get("cwd"), PATH)
        return True

    def _event(self, record: dict[str, Any], kind: str, told: str = "") -> Event | None:
        payload = as_dict(record.get("payload"))
        inner = as_dict(payload.get("internal_chat_message_metadata_passthrough"))
        turn = text(payload.get("turn_id")) or text(inner.get("turn_id")) or self._turn
        at = moment(record.get("timestamp"))
        self._turn = turn
        if at is None or not self._session or self._is_copy(turn):
            return None
        kind = "agent_stop" if kind == "stop" and self._agent else kind
        found: dict[str, Any] = {
            "id": event_id(client.NAME, self._session, kind, self._agent, told or turn),
            "client": client.NAME,
            "session": self._session,
            "kind": kind,
            "at": at,
            "cwd": self._cwd,
        }
        more = {"turn": turn, "agent": self._agent, "agent_type": self._agent_type}
        found.update({name: value for name, value in more.items() if value})
        return cast("Event", found)

    def _is_copy(self, turn: str) -> bool:
        """Whether a turn is older than the thread, which then was given the history of another one."""
        began, made = _MOMENT.match(turn), _MOMENT.match(self._own)
        return bool(began and made and began[0] < made[0])

    def _happened(self, record: dict[str, Any], payload: dict[str, Any]) -> Iterator[Event]:
        kind = payload.get("type")
        if kind == "task_started":
            self._turn = text(payload.get("turn_id")) or self._turn
        elif kind == "user_message" and (said := text(payload.get("message"), RAW)):
            yield from self._said(record, "prompt", said)
        elif kind == "task_complete" and (said := text(payload.get("last_agent_message"), RAW)):
            yield from self._said(record, "stop", said)
        elif kind == "item_completed":
            item = as_dict(payload.get("item"))
            if item.get("type") == "UserMessage":
                yield from self._said(record, "prompt", text_in(item.get("content")))
            elif event := self._item(record, item):
                yield event

    def _said(self, record: dict[str, Any], kind: str, said: str) -> Iterator[Event]:
        event = self._event(record, kind) if said.strip() and not (self._agent and kind == "prompt") else None
        if event is not None:
            event["text"] = bounded_text(said)
            yield event

    def _item(self, record: dict[str, Any], item: dict[str, Any]) -> Event | None:
        """A tool call that is over."""
        call, failed = text(item.get("id")), item.get("status") in ("failed", "declined")
        if item.get("status") == "declined" or not call:
            return None
        told = _told(item)
        if told is None:
            return None
        # A command that fails is told by hooks as any other, a patch that fails not at all.
        event = self._event(record, "failed" if failed and told["tool"] != "run" else "after", call)
        if event is not None:
            event.update(cast("Event", {"call": call, **told}))
        return event

    def _answered(self, record: dict[str, Any], payload: dict[str, Any]) -> Iterator[Event]:
        """Calls and their answers, where no record of its own tells how they ended."""
        call = text(payload.get("call_id"))
        if payload.get("type") in ("function_call", "custom_tool_call"):
            given = parsed(text(payload.get("arguments"), RAW).encode()) or {"input": payload.get("input")}
            self._calls[call] = text(payload.get("name")), given
        elif (
            payload.get("type") in ("function_call_output", "custom_tool_call_output") and call in self._calls
        ):
            name, given = self._calls.pop(call)
            output = _output(payload.get("output"))
            told = client.tool(name, given, _OUTPUT.sub("", output, count=1))
            if told.get("tool") in ("run", "edit", "agent") and (event := self._event(record, "after", call)):
                if code := _CODE.search(output[:2000]):
                    told["exit"] = int(code[1])
                event.update(cast("Event", {"call": call, **told}))
                yield event


def _told(item: dict[str, Any]) -> dict[str, Any] | None:
    """What an item is, in our words; None for what is no call of a tool."""
    kind = item.get("type")
    if kind == "CommandExecution":
        told = client.tool("Bash", {"command": item.get("command")}, text(item.get("aggregated_output"), RAW))
        if (code := as_int(item.get("exit_code"))) is not None:
            told["exit"] = code
        return told
    if kind == "FileChange":
        output = "\n".join(filter(None, (text(item.get(name), RAW) for name in ("stdout", "stderr"))))
        return {
            "tool_name": "apply_patch",
            "tool": "edit",
            "files": _changed(as_dict(item.get("changes"))),
            "output": bounded_text(output),
        }
    if kind in ("McpToolCall", "McpCall"):
        name = f"mcp__{text(item.get('server'))}__{text(item.get('tool') or item.get('name'))}"
        told = {"tool_name": name, "tool": "rum" if is_rum(name) else "other"}
        if is_rum(name) and (named := memories_in(item.get("result"))):
            told["memories"] = named  # type: ignore[assignment]
        return told
    return None


def _changed(changes: dict[str, Any]) -> list[Touched]:
    found: list[Touched] = []
    for path, change in changes.items():
        one = as_dict(change)
        operation = _CHANGES.get(text(one.get("type")), "edit")
        diff = text(one.get("unified_diff"), RAW)
        lines = (
            diff.splitlines() if diff else [f"+{line}" for line in text(one.get("content"), RAW).splitlines()]
        )
        added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
        removed = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
        file = touched(path, operation, added, removed)
        if spans := _HUNK.findall(diff):
            file["lines"] = ", ".join(_span(int(start), int(count or 1)) for start, count in spans[:10])
        found.append(file)
    return found[:50]


def _span(start: int, count: int) -> str:
    return f"{start}-{start + count - 1}" if count > 1 else f"{start}"


def _output(output: object) -> str:
    """What a call gave, whether it is text, blocks of text or an object in a text."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            inner = as_dict(json.loads(output))
        except ValueError:
            return output
        code = as_dict(inner.get("metadata")).get("exit_code")
        return f"Exit code: {code}\nOutput:\n{text(inner.get('output'), RAW)}"
    return output if isinstance(output, str) else "\n".join(text_in([block]) for block in as_list(output))
