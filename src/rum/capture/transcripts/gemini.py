"""Gemini CLI's chats: `~/.gemini/tmp/<project>/chats/session-….json`, or `.jsonl` with a record a line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rum.capture.clients import gemini as client
from rum.capture.clients.values import MAX_PATH, MAX_RAW, as_dict, as_list, raw_text, text, text_in
from rum.capture.events.event import cast, new_event
from rum.capture.transcripts.records import parse_record, records, unix_time
from rum.settings.home import read_bounded

if TYPE_CHECKING:
    from rum.capture.events.event import Event

_MAX_FILE = 64 * 1024 * 1024
_ROOT = ".project_root"


def folders(home: str) -> list[str]:
    """The folders with sessions."""
    return [os.path.join(os.environ.get("GEMINI_CLI_HOME") or home, ".gemini", "tmp")]


def files(folder: str) -> Iterator[list[str]]:
    """Yield the chats below a folder."""
    for at, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            if os.path.basename(at) == "chats" and name.endswith((".json", ".jsonl")):
                yield [os.path.join(at, name)]


def cwd_of(path: str) -> str:
    """The folder of the project, from a file in the folder of the chats; empty if unknown."""
    try:
        named = read_bounded(os.path.join(os.path.dirname(os.path.dirname(path)), _ROOT), MAX_PATH)[0]
        return named.decode().strip()
    except (OSError, ValueError):
        return ""


def events(paths: list[str], last: int | None = None) -> Iterator[Event]:  # noqa: ARG001 (a chat is one object)
    """Yield the events of a session's files; their ids differ from those of hooks, which name no calls."""
    for path in paths:
        try:
            yield from _events_of(path)
        except OSError:
            continue


def _events_of(path: str) -> Iterator[Event]:
    session, messages = _messages(path)
    cwd = cwd_of(path)
    last: Event | None = None
    for message in messages:
        at = unix_time(message.get("timestamp"))
        if at is None or not session:
            continue
        words = text_in(message.get("content") or message.get("displayContent"))
        if message.get("type") == "user" and words.strip():
            if last is not None:
                yield last
            last = None
            yield _event(session, "prompt", message, at, cwd, raw_text(words))
        elif message.get("type") in ("gemini", "model", "assistant"):
            for call in map(as_dict, as_list(message.get("toolCalls"))):
                if event := _call_event(session, call, at, cwd):
                    yield event
            if words.strip():
                last = _event(session, "stop", message, at, cwd, raw_text(words))
    if last is not None:
        yield last


def _messages(path: str) -> tuple[str, list[dict[str, Any]]]:
    """The session and its messages; of a message that was written several times, the last version."""
    if path.endswith(".jsonl"):
        found = list(records(path))
    else:
        try:
            whole = parse_record(read_bounded(path, _MAX_FILE)[0])
        except ValueError:  # no regular file, or too large
            whole = {}
        found = [whole, *map(as_dict, as_list(whole.get("messages")))]
    session = next((name for one in found if (name := text(one.get("sessionId")))), "")
    messages: dict[str, dict[str, Any]] = {}
    for at, one in enumerate(found):
        if one.get("type"):
            # A file of lines has a message again whenever it changed; the last version counts.
            messages[text(one.get("id")) or str(at)] = one
    return session, list(messages.values())


def _event(session: str, kind: str, record: dict[str, Any], at: float, cwd: str, words: str) -> Event:
    name = text(record.get("id")) or f"{at:.3f}"
    return new_event(client.NAME, session, kind, at, cwd, (name,), text=words)


def _call_event(session: str, call: dict[str, Any], at: float, cwd: str) -> Event | None:
    status, name = call.get("status"), text(call.get("name"))
    if not name or status == "cancelled":
        return None
    kind = "failed" if status == "error" else "after"
    event = _event(session, kind, call, unix_time(call.get("timestamp")) or at, cwd, "")
    answers = [
        as_dict(as_dict(part.get("functionResponse")).get("response"))
        for part in map(as_dict, as_list(call.get("result")))
    ]
    outputs = (text(one.get("output") or one.get("error"), MAX_RAW) for one in answers)
    output = "\n".join(filter(None, outputs))
    answer = {"llmContent": output or call.get("resultDisplay")}
    tool = client.tool(name, as_dict(call.get("args")), answer)
    event.update(cast("Event", {"call": text(call.get("id")), **tool}))
    return event
