"""Gemini CLI's chats: `~/.gemini/tmp/<project>/chats/session-….json`, or `.jsonl` with a record a line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rum.capture.clients import gemini as client
from rum.capture.clients.values import PATH, as_dict, as_list, bounded_text, text, text_in
from rum.capture.events.event import cast, event_id
from rum.capture.transcripts.records import moment, parsed, records
from rum.settings.home import read_bounded

if TYPE_CHECKING:
    from rum.capture.events.event import Event

_LARGEST = 64 * 1024 * 1024
_ROOT = ".project_root"


def folders(home: str) -> list[str]:
    """Where sessions lie."""
    return [os.path.join(os.environ.get("GEMINI_CLI_HOME") or home, ".gemini", "tmp")]


def files(folder: str) -> Iterator[list[str]]:
    """The chats below a folder."""
    for at, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            if os.path.basename(at) == "chats" and name.endswith((".json", ".jsonl")):
                yield [os.path.join(at, name)]


def cwd_of(path: str) -> str:
    """The project's folder, which stands in a file beside the chats; an empty text where it does not."""
    try:
        named = read_bounded(os.path.join(os.path.dirname(os.path.dirname(path)), _ROOT), PATH)[0]
        return named.decode().strip()
    except (OSError, ValueError):
        return ""


def events(paths: list[str], last: int | None = None) -> Iterator[Event]:  # noqa: ARG001 (a chat is one object)
    """What a session's files tell, as hooks would have, but for names: hooks of this client give none."""
    for path in paths:
        try:
            yield from _told(path)
        except OSError:
            continue


def _told(path: str) -> Iterator[Event]:
    session, messages = _messages(path)
    cwd = cwd_of(path)
    last: Event | None = None
    for message in messages:
        at = moment(message.get("timestamp"))
        if at is None or not session:
            continue
        said = text_in(message.get("content") or message.get("displayContent"))
        if message.get("type") == "user" and said.strip():
            if last is not None:
                yield last
            last = None
            yield _event(session, "prompt", message, at, cwd, bounded_text(said))
        elif message.get("type") in ("gemini", "model", "assistant"):
            for call in map(as_dict, as_list(message.get("toolCalls"))):
                if event := _called(session, call, at, cwd):
                    yield event
            if said.strip():
                last = _event(session, "stop", message, at, cwd, bounded_text(said))
    if last is not None:
        yield last


def _messages(path: str) -> tuple[str, list[dict[str, Any]]]:
    """The session and its messages, each in its last state."""
    if path.endswith(".jsonl"):
        found = list(records(path))
    else:
        whole = parsed(_whole(path))
        found = [whole, *map(as_dict, as_list(whole.get("messages")))]
    session = next((name for one in found if (name := text(one.get("sessionId")))), "")
    messages: dict[str, dict[str, Any]] = {}
    for at, one in enumerate(found):
        if one.get("type"):
            messages[text(one.get("id")) or str(at)] = one
    return session, list(messages.values())


def _whole(path: str) -> bytes:
    """All of a chat; nothing of what is no file, or too large to be one."""
    try:
        return read_bounded(path, _LARGEST)[0]
    except ValueError:
        return b""


def _event(session: str, kind: str, told: dict[str, Any], at: float, cwd: str, said: str) -> Event:
    name = text(told.get("id")) or f"{at:.3f}"
    found: dict[str, Any] = {
        "id": event_id(client.NAME, session, kind, name),
        "client": client.NAME,
        "session": session,
        "kind": kind,
        "at": at,
        "cwd": cwd,
    }
    if said:
        found["text"] = said
    return cast("Event", found)


def _called(session: str, call: dict[str, Any], at: float, cwd: str) -> Event | None:
    status, name = call.get("status"), text(call.get("name"))
    if not name or status == "cancelled":
        return None
    kind = "failed" if status == "error" else "after"
    event = _event(session, kind, call, moment(call.get("timestamp")) or at, cwd, "")
    answers = [
        as_dict(as_dict(part.get("functionResponse")).get("response"))
        for part in map(as_dict, as_list(call.get("result")))
    ]
    output = "\n".join(filter(None, (text(one.get("output") or one.get("error"), 64_000) for one in answers)))
    gave = {"llmContent": output or call.get("resultDisplay")}
    event.update(
        cast("Event", {"call": text(call.get("id")), **client.tool(name, as_dict(call.get("args")), gave)})
    )
    return event
