"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, subagents' beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rum.capture.clients import claude_code as client
from rum.capture.clients.values import PATH, items, looked_at, said_in, table, text
from rum.capture.events.event import cast, event_id
from rum.capture.transcripts.forks import copied
from rum.capture.transcripts.records import moment, records

if TYPE_CHECKING:
    from rum.capture.events.event import Event

_EXIT = re.compile(r"(?:Error: )?Exit code:? (-?\d{1,10})\b")
_NOT_SAID = (
    "<command-name>/clear",
    "<local-command-",
    "<bash-",
    "Caveat: The messages below",
    "[Request interrupted",
)
_MOST_CALLS = 50_000


def folders(home: str) -> list[str]:
    """Where sessions lie."""
    return [os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "projects")]


def files(folder: str) -> Iterator[list[str]]:
    """The transcripts below a folder, each with those of its subagents after it."""
    for at, _, names in os.walk(folder):
        if os.path.basename(at) == "subagents":
            continue
        for name in sorted(names):
            if name.endswith(".jsonl"):
                path = os.path.join(at, name)
                yield [path, *_subagents(path.removesuffix(".jsonl"))]


def _subagents(folder: str) -> list[str]:
    below = os.path.join(folder, "subagents")
    try:
        return [os.path.join(below, name) for name in sorted(os.listdir(below)) if name.endswith(".jsonl")]
    except OSError:
        return []


def cwd_of(path: str) -> str:
    """The folder that a session was about; an empty text where it does not say."""
    for at, record in enumerate(records(path)):
        if cwd := text(record.get("cwd"), PATH):
            return cwd
        if at > 200:
            break
    return ""


def events(paths: list[str], last: int | None = None) -> Iterator[Event]:
    """What a session's files tell, as hooks would have."""
    known: dict[str, tuple[str, str]] = {}
    for path in paths:
        try:
            yield from _Reader(path, known).events(last)
        except OSError:
            continue


class _Reader:
    """Reads one file; `agents` are the subagents met so far, with their types and turns."""

    def __init__(self, path: str, agents: dict[str, tuple[str, str]]) -> None:
        self._path = path
        self._agents = agents
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}
        self._turn = ""
        self._last: Event | None = None
        name = os.path.basename(path).removesuffix(".jsonl")
        self._agent = (
            name.removeprefix("agent-") if os.path.basename(os.path.dirname(path)) == "subagents" else ""
        )

    def events(self, last: int | None) -> Iterator[Event]:
        copies = {} if self._agent else copied(self._path, last)
        is_copy = bool(copies)  # what stands before the first prompt is of an earlier one
        for record in records(self._path, last):
            kind = record.get("type")
            is_copy = copies.get(text(record.get("uuid")), is_copy)
            if is_copy:
                continue
            if kind not in ("user", "assistant") or record.get("isMeta") or record.get("isCompactSummary"):
                continue
            if text(record.get("promptId")) and text(record.get("promptId")) != self._turn:
                yield from self._closed()
                self._turn = text(record.get("promptId"))
            message = table(record.get("message"))
            if kind == "assistant":
                self._hear(record, message)
            else:
                yield from self._answered(record, message)
        yield from self._closed()

    def _event(self, record: dict[str, Any], kind: str, told: str) -> Event | None:
        at, session = moment(record.get("timestamp")), text(record.get("sessionId"))
        if at is None or not session:
            return None
        agent = self._agent or (text(record.get("agentId")) if record.get("isSidechain") else "")
        kind_of_agent, turn = self._agents.get(agent, ("", ""))
        turn = self._turn or turn
        found: dict[str, Any] = {
            "id": event_id(client.NAME, session, kind, agent, told or turn),
            "client": client.NAME,
            "session": session,
            "kind": kind,
            "at": at,
            "cwd": text(record.get("cwd"), PATH),
        }
        more = {"turn": turn, "agent": agent, "agent_type": kind_of_agent if agent else ""}
        found.update({name: value for name, value in more.items() if value})
        return cast("Event", found)

    def _hear(self, record: dict[str, Any], message: dict[str, Any]) -> None:
        """What the agent says and calls; its last words before the next prompt end the turn."""
        for block in map(table, items(message.get("content"))):
            if block.get("type") == "tool_use" and len(self._calls) < _MOST_CALLS:
                self._calls[text(block.get("id"))] = text(block.get("name")), table(block.get("input"))
        said = said_in(message.get("content"))
        kind = "agent_stop" if self._agent or record.get("isSidechain") else "stop"
        if said.strip() and message.get("stop_reason") in ("end_turn", "stop_sequence", None):
            stop = self._event(record, kind, "")
            if stop is not None:
                stop["text"] = looked_at(said)
                self._last = stop

    def _closed(self) -> Iterator[Event]:
        if self._last is not None:
            yield self._last
            self._last = None

    def _answered(self, record: dict[str, Any], message: dict[str, Any]) -> Iterator[Event]:
        content = message.get("content")
        results = [block for block in map(table, items(content)) if block.get("type") == "tool_result"]
        for block in results:
            if event := self._result(record, block):
                self._last = None
                yield event
        said = said_in(content) if not results else ""
        if said.strip() and not said.lstrip().startswith(_NOT_SAID) and not self._agent:
            yield from self._closed()
            if not record.get("isSidechain") and (prompt := self._event(record, "prompt", "")):
                prompt["text"] = looked_at(said)
                yield prompt

    def _result(self, record: dict[str, Any], block: dict[str, Any]) -> Event | None:
        call = text(block.get("tool_use_id"))
        name, given = self._calls.pop(call, ("", {}))
        failed = block.get("is_error") is True
        event = self._event(record, "failed" if failed else "after", call)
        if event is None or not name:
            return None
        gave = record.get("toolUseResult")
        answer = table(gave)
        if agent := text(answer.get("agentId")):
            self._agents[agent] = text(answer.get("agentType")), self._turn
        told = client.tool(name, given, answer or gave or block.get("content"))
        event.update(cast("Event", {"call": call, **told}))
        output = looked_at(said_in(block.get("content")))
        if failed:
            event["output"] = output
            if code := _EXIT.match(output):
                event["exit"] = int(code[1])
        elif told.get("tool") == "run" and client.came_to_its_end({"input": given}, answer):
            event["exit"] = 0
            event.setdefault("output", output)
        return event
