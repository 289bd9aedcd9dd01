"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, subagents' beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rum.capture.clients import claude_code as client
from rum.capture.clients.values import PATH, as_dict, as_list, bounded_text, text, text_in
from rum.capture.events.event import cast, event_id
from rum.capture.transcripts.records import lines, moment, parsed, records

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
            message = as_dict(record.get("message"))
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
        for block in map(as_dict, as_list(message.get("content"))):
            if block.get("type") == "tool_use" and len(self._calls) < _MOST_CALLS:
                self._calls[text(block.get("id"))] = text(block.get("name")), as_dict(block.get("input"))
        said = text_in(message.get("content"))
        kind = "agent_stop" if self._agent or record.get("isSidechain") else "stop"
        if said.strip() and message.get("stop_reason") in ("end_turn", "stop_sequence", None):
            stop = self._event(record, kind, "")
            if stop is not None:
                stop["text"] = bounded_text(said)
                self._last = stop

    def _closed(self) -> Iterator[Event]:
        if self._last is not None:
            yield self._last
            self._last = None

    def _answered(self, record: dict[str, Any], message: dict[str, Any]) -> Iterator[Event]:
        content = message.get("content")
        results = [block for block in map(as_dict, as_list(content)) if block.get("type") == "tool_result"]
        for block in results:
            if event := self._result(record, block):
                self._last = None
                yield event
        said = text_in(content) if not results else ""
        if said.strip() and not said.lstrip().startswith(_NOT_SAID) and not self._agent:
            yield from self._closed()
            if not record.get("isSidechain") and (prompt := self._event(record, "prompt", "")):
                prompt["text"] = bounded_text(said)
                yield prompt

    def _result(self, record: dict[str, Any], block: dict[str, Any]) -> Event | None:
        call = text(block.get("tool_use_id"))
        name, given = self._calls.pop(call, ("", {}))
        failed = block.get("is_error") is True
        event = self._event(record, "failed" if failed else "after", call)
        if event is None or not name:
            return None
        gave = record.get("toolUseResult")
        answer = as_dict(gave)
        if agent := text(answer.get("agentId")):
            self._agents[agent] = text(answer.get("agentType")), self._turn
        told = client.tool(name, given, answer or gave or block.get("content"))
        event.update(cast("Event", {"call": call, **told}))
        output = bounded_text(text_in(block.get("content")))
        if failed:
            event["output"] = output
            if code := _EXIT.match(output):
                event["exit"] = int(code[1])
        elif told.get("tool") == "run" and client.came_to_its_end({"input": given}, answer):
            event["exit"] = 0
            event.setdefault("output", output)
        return event


def copied(path: str, last: int | None = None) -> dict[str, bool]:
    """Each prompt of a file, by its record, and whether it is a copy; nothing where there is no copy."""
    own = _sizes(path, last)
    doubtful = {record for record, size in own.items() if size > 1}
    if not doubtful:
        return {}
    found: set[str] = set()
    for beside in _beside(path):
        # Where it was said first, it shares its name with fewer others.
        sizes = _known(beside)
        found |= {record for record in doubtful & sizes.keys() if sizes[record] < own[record]}
    return {record: record in found for record in own} if found else {}


def _sizes(path: str, last: int | None) -> dict[str, int]:
    """The prompts of a file in their order, and how many have the same name."""
    named: dict[str, list[str]] = {}
    with suppress(OSError):
        for line in lines(path, last):
            # Most of a file are tools' results, which need not be read for this.
            if b'"promptId"' in line and b'"tool_result"' not in line:
                record = parsed(line)
                if _is_prompt(record):
                    named.setdefault(text(record.get("promptId")), []).append(text(record.get("uuid")))
    return {record: len(records) for records in named.values() for record in records}


def _known(path: str) -> dict[str, int]:
    """The same of a whole file, which is read once for all that lie beside it."""
    try:
        state = os.stat(path)
    except OSError:
        return {}
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1024)
def _read(path: str, changed: int, size: int) -> dict[str, int]:  # noqa: ARG001 (a file that grew is another)
    return _sizes(path, None)


def _is_prompt(record: dict[str, object]) -> bool:
    if record.get("type") != "user" or record.get("isMeta") or not text(record.get("uuid")):
        return False
    content = as_dict(record.get("message")).get("content")
    return not any(as_dict(block).get("type") == "tool_result" for block in as_list(content))


def _beside(path: str) -> list[str]:
    folder, own = os.path.split(path)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl") and name != own]
