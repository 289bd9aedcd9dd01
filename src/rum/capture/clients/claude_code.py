"""Claude Code: its hooks, and its tools by the names that it and its transcripts give them."""

from __future__ import annotations

import re

from rum.capture.clients.patches import hunked, read_lines, touched
from rum.capture.clients.rum_tools import is_rum, memories_in
from rum.capture.clients.values import PATH, RAW, as_dict, as_list, bounded_text, text, text_in
from rum.capture.events.event import BROKEN_OFF, event_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rum.capture.events.event import Event, Touched

    Given = dict[str, Any]

NAME = "claude-code"
MCP = "claude-code"
"""What it calls itself to MCP servers."""
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
"""The hooks that say something we keep, and what each of them is."""
HEARS = ("start", "prompt", "before", "after", "failed", "agent_start")
"""The hooks whose answer reaches the model without making it go on."""

_EXIT = r"Exit code:? (-?\d{1,10})\b"


def event(payload: Given, at: float, client: str = NAME) -> Event | None:
    """What a hook's payload says; None where it is none of those we keep."""
    kind = KINDS.get(text(payload.get("hook_event_name")))
    session = text(payload.get("session_id"))
    if kind is None or not session or _of_compaction(kind, payload):
        return None
    turn = text(payload.get("prompt_id")) or text(payload.get("turn_id"))
    call, agent = text(payload.get("tool_use_id")), text(payload.get("agent_id"))
    source = text(payload.get("source") or payload.get("reason") or payload.get("trigger"))
    # What has no name of the client's happens once a second at most.
    named = "" if kind in ("start", "end", "compact") else call or turn
    told = named or ":".join(filter(None, (source, str(int(at)))))
    found: Event = {
        "id": event_id(client, session, kind, agent, told),
        "client": client,
        "session": session,
        "kind": kind,  # pyright: ignore[reportAssignmentType]
        "at": at,
        "cwd": text(payload.get("cwd"), PATH),
    }
    optional = {
        "turn": turn,
        "agent": agent,
        "agent_type": text(payload.get("agent_type")),
        "transcript": text(payload.get("agent_transcript_path") or payload.get("transcript_path"), PATH),
        "source": source,
        "call": call,
        "text": bounded_text(payload.get("prompt") or payload.get("last_assistant_message")),
    }
    found.update({name: value for name, value in optional.items() if value})  # pyright: ignore[reportArgumentType, reportCallIssue]
    if call:
        _add_tool(found, payload)
    return found


def _of_compaction(kind: str, payload: Given) -> bool:
    """Compaction ends with the stop of a nameless subagent that never began: nobody's work."""
    return kind == "agent_stop" and payload.get("agent_type") == ""


def _add_tool(found: Event, payload: Given) -> None:
    name, gave = text(payload.get("tool_name")), payload.get("tool_response")
    said = tool(name, as_dict(payload.get("tool_input")), gave)
    found.update(said)  # pyright: ignore[reportArgumentType, reportCallIssue]
    if found["kind"] == "failed":
        error = bounded_text(payload.get("error"))
        found["output"] = error
        if code := re.match(_EXIT, error):
            found["exit"] = int(code[1])
        if payload.get("is_interrupt") is True:
            found["source"] = BROKEN_OFF
    elif found["kind"] == "after" and said.get("tool") == "run" and came_to_its_end(payload, gave):
        found["exit"] = 0  # a command that failed would have come as a failure


def came_to_its_end(call: Given, gave: object) -> bool:
    """Whether a command that did not fail is over: one in the background goes on, and may fail yet."""
    answer, given = as_dict(gave), as_dict(call.get("tool_input") or call.get("input"))
    return not (
        answer.get("interrupted") or answer.get("backgroundTaskId") or given.get("run_in_background") is True
    )


def tool(name: str, given: Given, gave: object) -> Given:
    """What a call of a tool is, in our words: `tool`, `files`, `command`, `output`, as far as they apply."""
    said: Given = {"tool_name": name}
    if is_rum(name):
        said["tool"] = "rum"
        if named := memories_in(gave):
            said["memories"] = named
        return said
    described = _TOOLS.get(name)
    said.update(described(given, gave) if described else {"tool": "other"})
    return said


def _read(given: Given, gave: object) -> Given:
    file = as_dict(as_dict(gave).get("file"))
    one = touched(_path(given), "read")
    lines = read_lines(file.get("startLine"), file.get("numLines")) or read_lines(
        given.get("offset"), given.get("limit")
    )
    if lines:
        one["lines"] = lines
    return {"tool": "read", "files": _named(one)}


def _edit(given: Given, gave: object) -> Given:
    changes = [as_dict(change) for change in as_list(given.get("edits"))] or [given]
    new = [text(change.get("new_string"), RAW) for change in changes]
    old = [text(change.get("old_string"), RAW) for change in changes]
    if hunks := as_dict(gave).get("structuredPatch"):
        return {"tool": "edit", "files": _named(hunked(_path(given), "edit", hunks))}
    return {"tool": "edit", "files": _named(touched(_path(given), "edit", new, old))}


def _write(given: Given, gave: object) -> Given:
    answer = as_dict(gave)
    operation = "edit" if answer.get("type") == "update" else "create"
    if hunks := answer.get("structuredPatch"):
        return {"tool": "write", "files": _named(hunked(_path(given), operation, hunks))}
    content = text(given.get("content") or given.get("new_source"), RAW)
    return {"tool": "write", "files": _named(touched(_path(given), operation, [content]))}


def _run(given: Given, gave: object) -> Given:
    answer = as_dict(gave)
    parts = [bounded_text(answer.get(name)) for name in ("stdout", "stderr")]
    output = "\n".join(part for part in parts if part) or text_in(gave)
    said: Given = {"tool": "run", "command": text(given.get("command"), RAW)}
    if output:
        said["output"] = bounded_text(output)
    return said


def _search(given: Given, _: object) -> Given:
    return {"tool": "search", "text": text(given.get("pattern") or given.get("query"), RAW)}


def _agent(given: Given, gave: object) -> Given:
    said: Given = {"tool": "agent", "text": bounded_text(given.get("prompt"))}
    if answer := text_in(as_dict(gave).get("content")):
        said["output"] = bounded_text(answer)
    return said


def _path(given: Given) -> str:
    return text(given.get("file_path") or given.get("notebook_path"), PATH)


def _named(one: Touched) -> list[Touched]:
    return [one] if one["path"] else []


_TOOLS: dict[str, Callable[[Given, object], Given]] = {
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


def answer(kind: str, context: str) -> Given:
    """What a hook prints so that the model reads it."""
    events = {ours: theirs for theirs, ours in KINDS.items()}
    return {"hookSpecificOutput": {"hookEventName": events[kind], "additionalContext": context}}
