"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, and those of its subagents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rum.capture.clients import claude_code as client
from rum.capture.clients.values import MAX_PATH, as_dict, as_list, raw_text, text, text_in
from rum.capture.events.event import cast, new_event
from rum.capture.transcripts.records import lines, parse_record, records, unix_time

if TYPE_CHECKING:
    from rum.capture.events.event import Event

# Records of type `user` that the client wrote, not the user.
_CLIENT_NOTICES = (
    "<command-name>/clear",
    "<local-command-",
    "<bash-",
    "Caveat: The messages below",
    "[Request interrupted",
)
_MAX_CALLS = 50_000  # Calls without a result that are remembered: a damaged file may have any number


def folders(home: str) -> list[str]:
    """The folders with sessions."""
    return [os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "projects")]


def files(folder: str) -> Iterator[list[str]]:
    """Yield the transcripts below a folder, each with those of its subagents after it."""
    for at, _, names in os.walk(folder):
        if os.path.basename(at) == "subagents":
            continue
        for name in sorted(names):
            if name.endswith(".jsonl"):
                path = os.path.join(at, name)
                yield [path, *_transcripts_in(os.path.join(path.removesuffix(".jsonl"), "subagents"))]


def _transcripts_in(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]


def cwd_of(path: str) -> str:
    """The folder of a session; empty if unknown."""
    for at, record in enumerate(records(path)):
        if cwd := text(record.get("cwd"), MAX_PATH):
            return cwd
        # Nearly every record names the folder: after this many there is none.
        if at > 200:
            break
    return ""


def events(paths: list[str], last: int | None = None) -> Iterator[Event]:
    """Yield the events of a session's files, as hooks would have sent them."""
    known: dict[str, tuple[str, str]] = {}
    for path in paths:
        try:
            yield from _Reader(path, known).events(last)
        except OSError:
            continue


class _Reader:
    """Reads one file; `agents` are the subagents found so far, with their types and turns."""

    def __init__(self, path: str, agents: dict[str, tuple[str, str]]) -> None:
        self._path = path
        self._agents = agents
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}
        self._turn = ""
        self._last: Event | None = None
        folder, name = os.path.split(path)
        is_subagent = os.path.basename(folder) == "subagents"
        self._agent = name.removesuffix(".jsonl").removeprefix("agent-") if is_subagent else ""

    def events(self, last: int | None) -> Iterator[Event]:
        copies = {} if self._agent else _copied_prompts(self._path, last)
        is_copy = bool(copies)  # records before the first prompt belong to an earlier one
        for record in records(self._path, last):
            kind = record.get("type")
            is_copy = copies.get(text(record.get("uuid")), is_copy)
            if is_copy:
                continue
            if kind not in ("user", "assistant") or record.get("isMeta") or record.get("isCompactSummary"):
                continue
            if text(record.get("promptId")) and text(record.get("promptId")) != self._turn:
                yield from self._take_stop()
                self._turn = text(record.get("promptId"))
            message = as_dict(record.get("message"))
            if kind == "assistant":
                self._read_answer(record, message)
            else:
                yield from self._user_events(record, message)
        yield from self._take_stop()

    def _event(self, record: dict[str, Any], kind: str, name: str) -> Event | None:
        at, session = unix_time(record.get("timestamp")), text(record.get("sessionId"))
        if at is None or not session:
            return None
        agent = self._agent or (text(record.get("agentId")) if record.get("isSidechain") else "")
        agent_type, turn = self._agents.get(agent, ("", ""))
        turn = self._turn or turn
        return new_event(
            client.NAME,
            session,
            kind,
            at,
            text(record.get("cwd"), MAX_PATH),
            (agent, name or turn),
            turn=turn,
            agent=agent,
            agent_type=agent_type if agent else "",
        )

    def _read_answer(self, record: dict[str, Any], message: dict[str, Any]) -> None:
        """Remember the calls and the text of a message; the last text before a prompt ends the turn."""
        for block in map(as_dict, as_list(message.get("content"))):
            if block.get("type") == "tool_use" and len(self._calls) < _MAX_CALLS:
                self._calls[text(block.get("id"))] = text(block.get("name")), as_dict(block.get("input"))
        words = text_in(message.get("content"))
        kind = "agent_stop" if self._agent or record.get("isSidechain") else "stop"
        if words.strip() and message.get("stop_reason") in ("end_turn", "stop_sequence", None):
            stop = self._event(record, kind, "")
            if stop is not None:
                stop["text"] = raw_text(words)
                self._last = stop

    def _take_stop(self) -> Iterator[Event]:
        if self._last is not None:
            yield self._last
            self._last = None

    def _user_events(self, record: dict[str, Any], message: dict[str, Any]) -> Iterator[Event]:
        content = message.get("content")
        results = [block for block in map(as_dict, as_list(content)) if block.get("type") == "tool_result"]
        for block in results:
            if event := self._result(record, block):
                self._last = None
                yield event
        words = text_in(content) if not results else ""
        if words.strip() and not words.lstrip().startswith(_CLIENT_NOTICES) and not self._agent:
            yield from self._take_stop()
            if not record.get("isSidechain") and (prompt := self._event(record, "prompt", "")):
                prompt["text"] = raw_text(words)
                yield prompt

    def _result(self, record: dict[str, Any], block: dict[str, Any]) -> Event | None:
        call = text(block.get("tool_use_id"))
        name, arguments = self._calls.pop(call, ("", {}))
        failed = block.get("is_error") is True
        event = self._event(record, "failed" if failed else "after", call)
        if event is None or not name:
            return None
        result = record.get("toolUseResult")
        answer = as_dict(result)
        if agent := text(answer.get("agentId")):
            self._agents[agent] = text(answer.get("agentType")), self._turn
        tool = client.tool(name, arguments, answer or result or block.get("content"))
        event.update(cast("Event", {"call": call, **tool}))
        output = raw_text(text_in(block.get("content")))
        if failed:
            client.add_failure(event, output)
        elif tool.get("tool") == "run" and client.has_ended({"input": arguments}, answer):
            event["exit"] = 0
            event.setdefault("output", output)
        return event


def _copied_prompts(path: str, last: int | None = None) -> dict[str, bool]:
    """Each prompt of a file, by its record, and whether it is a copy; empty if there is no copy.

    A session that is forked or resumed begins with a copy of the earlier one.
    """
    own = _prompt_counts(path, last)
    doubtful = {record for record, count in own.items() if count > 1}
    if not doubtful:
        return {}
    found: set[str] = set()
    for beside in _transcripts_in(os.path.dirname(path)):
        if os.path.basename(beside) == os.path.basename(path):
            continue
        with suppress(OSError):
            state = os.stat(beside)
            # A whole file is read once for all files in its folder.
            counts = _cached_counts(beside, state.st_mtime_ns, state.st_size)
            # In the original file, fewer prompts share one id.
            found |= {record for record in doubtful & counts.keys() if counts[record] < own[record]}
    return {record: record in found for record in own} if found else {}


def _prompt_counts(path: str, last: int | None) -> dict[str, int]:
    """The prompts of a file in their order, and how many share the id of each."""
    named: dict[str, list[str]] = {}
    with suppress(OSError):
        for line in lines(path, last):
            # Most of a file are tools' results; parsing them for this would take most of the time.
            if b'"promptId"' in line and b'"tool_result"' not in line:
                record = parse_record(line)
                if _is_prompt(record):
                    named.setdefault(text(record.get("promptId")), []).append(text(record.get("uuid")))
    return {record: len(records) for records in named.values() for record in records}


@lru_cache(maxsize=1024)
def _cached_counts(path: str, changed: int, size: int) -> dict[str, int]:  # noqa: ARG001 (part of the key)
    return _prompt_counts(path, None)


def _is_prompt(record: dict[str, object]) -> bool:
    if record.get("type") != "user" or record.get("isMeta") or not text(record.get("uuid")):
        return False
    content = as_dict(record.get("message")).get("content")
    return not any(as_dict(block).get("type") == "tool_result" for block in as_list(content))
