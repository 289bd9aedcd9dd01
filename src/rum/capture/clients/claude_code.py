"""Claude Code: its hooks, and its tools by the names that hooks and transcripts give them."""

from __future__ import annotations

import re

from rum.capture.clients.patches import file_access, file_of_hunks, read_lines
from rum.capture.clients.rum_tools import rum_call
from rum.capture.clients.values import MAX_PATH, MAX_RAW, as_dict, as_list, raw_text, text, text_in
from rum.capture.events.event import CONTINUED, INTERRUPTED, cast, new_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rum.capture.events.event import Event, FileAccess

    Json = dict[str, Any]

NAME = "claude-code"
MCP = "claude-code"  # Its name as an MCP client
# The hooks that are captured, and the kind of event of each.
KINDS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "failed",
    "SubagentStart": "agent_start",
    "SubagentStop": "agent_stop",
    "PreCompact": "compact",
    "Stop": "stop",
    "SessionEnd": "end",
}
# The hooks whose output reaches the model without making it continue.
ANSWERABLE = ("start", "prompt", "before", "after", "failed", "agent_start")

_EXIT_CODE = r"(?:Error: )?Exit code:? (-?\d{1,10})\b"


def event(payload: Json, at: float, client: str = NAME) -> Event | None:
    """The event of a hook's payload; None for hooks that are not captured."""
    kind = KINDS.get(text(payload.get("hook_event_name")))
    session = text(payload.get("session_id"))
    # Compaction ends with the stop of a nameless subagent that never started: it is no work.
    is_compaction = kind == "agent_stop" and payload.get("agent_type") == ""
    if kind is None or not session or is_compaction:
        return None
    turn = text(payload.get("prompt_id")) or text(payload.get("turn_id"))
    call, agent = text(payload.get("tool_use_id")), text(payload.get("agent_id"))
    source = text(payload.get("source") or payload.get("reason") or payload.get("trigger"))
    if payload.get("stop_hook_active") is True:
        source = CONTINUED
    # An event that the client gives no id happens once a second at most.
    name = "" if kind in ("start", "end", "compact") else call or turn
    name = name or ":".join(filter(None, (source, str(int(at)))))
    found = new_event(
        client,
        session,
        kind,
        at,
        text(payload.get("cwd"), MAX_PATH),
        (agent, name),
        turn=turn,
        agent=agent,
        agent_type=text(payload.get("agent_type")),
        transcript=text(payload.get("agent_transcript_path") or payload.get("transcript_path"), MAX_PATH),
        source=source,
        call=call,
        text=raw_text(payload.get("prompt") or payload.get("last_assistant_message")),
    )
    if call:
        _add_tool(found, payload)
    return found


def _add_tool(found: Event, payload: Json) -> None:
    name, answer = text(payload.get("tool_name")), payload.get("tool_response")
    call = tool(name, as_dict(payload.get("tool_input")), answer)
    found.update(cast("Event", call))
    if found["kind"] == "failed":
        add_failure(found, raw_text(payload.get("error")))
        if payload.get("is_interrupt") is True:
            found["source"] = INTERRUPTED
    elif found["kind"] == "after" and call.get("tool") == "run" and has_ended(payload, answer):
        found["exit"] = 0  # a command that failed is reported by another hook


def add_failure(found: Event, error: str) -> None:
    """Add the error of a call that failed, and the exit code in it."""
    found["output"] = error
    if code := re.match(_EXIT_CODE, error):
        found["exit"] = int(code[1])


def has_ended(call: Json, answer: object) -> bool:
    """Whether a command that did not fail is over: one in the background may still fail."""
    result, arguments = as_dict(answer), as_dict(call.get("tool_input") or call.get("input"))
    in_background = result.get("backgroundTaskId") or arguments.get("run_in_background") is True
    return not (result.get("interrupted") or in_background)


def tool(name: str, arguments: Json, answer: object) -> Json:
    """A tool call in RUM's terms: `tool`, `files`, `command`, `output`, as far as they apply."""
    if own := rum_call(name, answer):
        return own
    read = _TOOLS.get(name)
    return {"tool_name": name, **(read(arguments, answer) if read else {"tool": "other"})}


def _read(arguments: Json, answer: object) -> Json:
    file = as_dict(as_dict(answer).get("file"))
    one = file_access(_path(arguments), "read")
    requested = read_lines(arguments.get("offset"), arguments.get("limit"))
    if lines := read_lines(file.get("startLine"), file.get("numLines")) or requested:
        one["lines"] = lines
    return {"tool": "read", "files": _file_list(one)}


def _edit(arguments: Json, answer: object) -> Json:
    changes = [as_dict(change) for change in as_list(arguments.get("edits"))] or [arguments]
    new = [text(change.get("new_string"), MAX_RAW) for change in changes]
    old = [text(change.get("old_string"), MAX_RAW) for change in changes]
    one = file_access(_path(arguments), "edit", new, old)
    if hunks := as_dict(answer).get("structuredPatch"):
        one = file_of_hunks(_path(arguments), "edit", hunks)
    return {"tool": "edit", "files": _file_list(one)}


def _write(arguments: Json, answer: object) -> Json:
    result = as_dict(answer)
    operation = "edit" if result.get("type") == "update" else "create"
    if hunks := result.get("structuredPatch"):
        return {"tool": "write", "files": _file_list(file_of_hunks(_path(arguments), operation, hunks))}
    content = text(arguments.get("content") or arguments.get("new_source"), MAX_RAW)
    return {"tool": "write", "files": _file_list(file_access(_path(arguments), operation, [content]))}


def _run(arguments: Json, answer: object) -> Json:
    result = as_dict(answer)
    parts = [raw_text(result.get(name)) for name in ("stdout", "stderr")]
    output = "\n".join(part for part in parts if part) or text_in(answer)
    call: Json = {"tool": "run", "command": text(arguments.get("command"), MAX_RAW)}
    if output:
        call["output"] = raw_text(output)
    return call


def _search(arguments: Json, _: object) -> Json:
    return {"tool": "search", "text": text(arguments.get("pattern") or arguments.get("query"), MAX_RAW)}


def _agent(arguments: Json, answer: object) -> Json:
    call: Json = {"tool": "agent", "text": raw_text(arguments.get("prompt"))}
    if output := text_in(as_dict(answer).get("content")):
        call["output"] = raw_text(output)
    return call


def _path(arguments: Json) -> str:
    return text(arguments.get("file_path") or arguments.get("notebook_path"), MAX_PATH)


def _file_list(one: FileAccess) -> list[FileAccess]:
    return [one] if one["path"] else []


_TOOLS: dict[str, Callable[[Json, object], Json]] = {
    "Read": _read,
    "Edit": _edit,
    "MultiEdit": _edit,
    "Write": _write,
    "NotebookEdit": _write,
    "Bash": _run,
    "PowerShell": _run,
    "Grep": _search,
    "Glob": _search,
    "WebSearch": _search,
    "Agent": _agent,
    "Task": _agent,
}
