"""Gemini CLI: its own names for hooks and tools."""

from __future__ import annotations

import json
import re
from zlib import crc32

from rum.capture.clients.patches import read_lines, touched
from rum.capture.clients.rum_tools import is_rum, memories_in
from rum.capture.clients.values import PATH, RAW, as_dict, as_int, bounded_text, text, text_in
from rum.capture.events.event import event_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event

    Given = dict[str, Any]

NAME = "gemini"
MCP = "gemini-cli-mcp-client"
"""What it calls itself to MCP servers."""
KINDS = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "BeforeTool": "before",
    "AfterTool": "after",
    "PreCompress": "compact",
    "AfterAgent": "stop",
    "SessionEnd": "end",
}
HEARS = ("start", "prompt", "after")
"""The hooks whose answer reaches the model."""
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_SEARCHES = ("glob", "search_file_content", "grep_search", "google_web_search", "list_directory")


def event(payload: Given, at: float) -> Event | None:
    """What a hook's payload says; None where it is none of those we keep."""
    kind, session = KINDS.get(text(payload.get("hook_event_name"))), text(payload.get("session_id"))
    if kind is None or not session:
        return None
    told = text(payload.get("timestamp")) or f"{at:.3f}"
    if name := text(payload.get("tool_name")):
        # It names no calls, and several may end within the same millisecond.
        given = json.dumps(payload.get("tool_input"), sort_keys=True, default=str)
        told = f"{told}:{name}:{crc32(given.encode('utf-8', 'replace')):08x}"
    found: Event = {
        "id": event_id(NAME, session, kind, told),
        "client": NAME,
        "session": session,
        "kind": kind,  # pyright: ignore[reportAssignmentType]
        "at": at,
        "cwd": text(payload.get("cwd"), PATH),
    }
    said = payload.get("prompt_response") if kind == "stop" else payload.get("prompt")
    optional = {
        "transcript": text(payload.get("transcript_path"), PATH),
        "source": text(payload.get("source") or payload.get("reason") or payload.get("trigger")),
        "text": bounded_text(said),
    }
    found.update({name: value for name, value in optional.items() if value})  # pyright: ignore[reportArgumentType, reportCallIssue]
    if name:
        gave = payload.get("tool_response")
        found.update(tool(name, as_dict(payload.get("tool_input")), gave))  # pyright: ignore[reportArgumentType, reportCallIssue]
        if kind == "after" and as_dict(gave).get("error"):
            found["kind"] = "failed"
    return found


def tool(name: str, given: Given, gave: object) -> Given:
    """What a call of a tool is, in our words."""
    said: Given = {"tool_name": name}
    if is_rum(name):
        said["tool"] = "rum"
        if named := memories_in(as_dict(gave).get("llmContent", gave)):
            said["memories"] = named
        return said
    path = text(given.get("file_path") or given.get("absolute_path") or given.get("path"), PATH)
    if name in ("read_file", "read_many_files"):
        one = touched(path, "read")
        if lines := read_lines((as_int(given.get("offset")) or 0) + 1, given.get("limit")):
            one["lines"] = lines
        said.update(tool="read", files=[one] if path else [])
    elif name in ("replace", "edit"):
        new, old = text(given.get("new_string"), RAW), text(given.get("old_string"), RAW)
        said.update(tool="edit", files=[touched(path, "edit", [new], [old])] if path else [])
    elif name == "write_file":
        content = text(given.get("content"), RAW)
        said.update(tool="write", files=[touched(path, "create", [content])] if path else [])
    elif name == "run_shell_command":
        said.update(tool="run", command=text(given.get("command"), RAW))
    else:
        said["tool"] = "search" if name in _SEARCHES else "other"
    if output := _output(gave):
        said["output"] = output
        code = _EXIT.search(output) if said["tool"] == "run" else None
        if code is not None:
            said["exit"] = int(code[1])
    return said


def _output(gave: object) -> str:
    answer = as_dict(gave)
    error = answer.get("error")
    said = text(as_dict(error).get("message"), RAW) or text(error, RAW)
    return bounded_text(said or text_in(answer.get("llmContent")) or answer.get("returnDisplay"))


def answer(kind: str, context: str) -> Given:
    """What a hook prints so that the model reads it."""
    events = {ours: theirs for theirs, ours in KINDS.items()}
    return {"hookSpecificOutput": {"hookEventName": events[kind], "additionalContext": context}}
