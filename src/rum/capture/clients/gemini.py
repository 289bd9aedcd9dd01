"""Gemini CLI: its own names for hooks and tools."""

from __future__ import annotations

import json
import re
from zlib import crc32

from rum.capture.clients.patches import file_access, read_lines
from rum.capture.clients.rum_tools import rum_call
from rum.capture.clients.values import MAX_PATH, MAX_RAW, as_dict, as_int, raw_text, text, text_in
from rum.capture.events.event import cast, new_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event

    Json = dict[str, Any]

NAME = "gemini"
MCP = "gemini-cli-mcp-client"  # Its name as an MCP client
KINDS = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "BeforeTool": "before",
    "AfterTool": "after",
    "PreCompress": "compact",
    "AfterAgent": "stop",
    "SessionEnd": "end",
}
ANSWERABLE = ("start", "prompt", "after")  # The hooks whose output reaches the model
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_SEARCHES = ("glob", "search_file_content", "grep_search", "google_web_search", "list_directory")


def event(payload: Json, at: float) -> Event | None:
    """The event of a hook's payload; None for hooks that are not captured."""
    kind, session = KINDS.get(text(payload.get("hook_event_name"))), text(payload.get("session_id"))
    if kind is None or not session:
        return None
    name = text(payload.get("timestamp")) or f"{at:.3f}"
    if tool_name := text(payload.get("tool_name")):
        # Its calls have no ids, and several may end within the same millisecond.
        arguments = json.dumps(payload.get("tool_input"), sort_keys=True, default=str)
        name = f"{name}:{tool_name}:{crc32(arguments.encode('utf-8', 'replace')):08x}"
    found = new_event(
        NAME,
        session,
        kind,
        at,
        text(payload.get("cwd"), MAX_PATH),
        (name,),
        transcript=text(payload.get("transcript_path"), MAX_PATH),
        source=text(payload.get("source") or payload.get("reason") or payload.get("trigger")),
        text=raw_text(payload.get("prompt_response" if kind == "stop" else "prompt")),
    )
    if tool_name:
        answer = payload.get("tool_response")
        found.update(cast("Event", tool(tool_name, as_dict(payload.get("tool_input")), answer)))
        # It has no hook of its own for failures.
        if kind == "after" and as_dict(answer).get("error"):
            found["kind"] = "failed"
    return found


def tool(name: str, arguments: Json, answer: object) -> Json:
    """A tool call in RUM's terms."""
    if own := rum_call(name, as_dict(answer).get("llmContent", answer)):
        return own
    call: Json = {"tool_name": name}
    path = text(
        arguments.get("file_path") or arguments.get("absolute_path") or arguments.get("path"), MAX_PATH
    )
    if name in ("read_file", "read_many_files"):
        one = file_access(path, "read")
        if lines := read_lines((as_int(arguments.get("offset")) or 0) + 1, arguments.get("limit")):
            one["lines"] = lines
        call.update(tool="read", files=[one] if path else [])
    elif name in ("replace", "edit"):
        new, old = text(arguments.get("new_string"), MAX_RAW), text(arguments.get("old_string"), MAX_RAW)
        call.update(tool="edit", files=[file_access(path, "edit", [new], [old])] if path else [])
    elif name == "write_file":
        content = text(arguments.get("content"), MAX_RAW)
        call.update(tool="write", files=[file_access(path, "create", [content])] if path else [])
    elif name == "run_shell_command":
        call.update(tool="run", command=text(arguments.get("command"), MAX_RAW))
    else:
        call["tool"] = "search" if name in _SEARCHES else "other"
    if output := _output(answer):
        call["output"] = output
        code = _EXIT_CODE.search(output) if call["tool"] == "run" else None
        if code is not None:
            call["exit"] = int(code[1])
    return call


def _output(answer: object) -> str:
    result = as_dict(answer)
    error = result.get("error")
    message = text(as_dict(error).get("message"), MAX_RAW) or text(error, MAX_RAW)
    return raw_text(message or text_in(result.get("llmContent")) or result.get("returnDisplay"))
