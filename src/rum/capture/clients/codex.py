"""Codex: Claude Code's hooks with its own tools, and answers that are plain text."""

from __future__ import annotations

import re

from rum.capture.clients import claude_code
from rum.capture.clients.patches import enveloped
from rum.capture.clients.rum_tools import is_rum, memories_in
from rum.capture.clients.values import RAW, as_dict, as_list, bounded_text, text, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event

    Given = dict[str, Any]

NAME = "codex"
MCP = "codex-mcp-client"
"""What it calls itself to MCP servers."""
HEARS = claude_code.HEARS
answer = claude_code.answer

_SHELLS = ("Bash", "shell", "local_shell", "exec_command", "shell_command")
_EXIT = r"Exit code: (-?\d{1,10})\n"
_WRAPPED = r"Exit code: -?\d+\nWall time: [^\n]*\n(?:Output:\n)?"


def event(payload: Given, at: float) -> Event | None:
    """What a hook's payload says; None where it is none of those we keep."""
    found = claude_code.event(payload, at, NAME)
    if found is None or "call" not in found:
        return found
    for name in ("files", "command", "output", "exit", "text", "memories"):
        found.pop(name, None)  # pyright: ignore[reportArgumentType, reportCallIssue]
    name, given = text(payload.get("tool_name")), as_dict(payload.get("tool_input"))
    found.update(tool(name, given, payload.get("tool_response")))  # pyright: ignore[reportArgumentType, reportCallIssue]
    return found


def tool(name: str, given: Given, gave: object) -> Given:
    """What a call of a tool is, in our words. A shell's answer has no exit code: the rollout has it."""
    said: Given = {"tool_name": name}
    if is_rum(name):
        said["tool"] = "rum"
        if named := memories_in(gave):
            said["memories"] = named
    elif name in _SHELLS:
        said.update(_run(given, gave))
    elif name == "apply_patch":
        said.update(tool="edit", files=enveloped(_command(given)))
        said.update(_outcome(gave))
    elif name.endswith("spawn_agent"):
        said.update(tool="agent", text=bounded_text(given.get("message")))
    else:
        said["tool"] = "other"
    return said


def _run(given: Given, gave: object) -> Given:
    return {"tool": "run", "command": _command(given), **_outcome(gave)}


def _command(given: Given) -> str:
    """The command as one line of a shell; `bash -lc` around it is left out."""
    asked = given.get("command") or given.get("cmd") or given.get("input")
    words = [word for word in as_list(asked) if isinstance(word, str)]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        words = words[2:]
    return text(" ".join(words) or asked, RAW)


def _outcome(gave: object) -> Given:
    output = gave if isinstance(gave, str) else text_in(as_dict(gave).get("content"))
    said: Given = {}
    if code := re.match(_EXIT, output):
        said["exit"] = int(code[1])
        output = re.sub(_WRAPPED, "", output, count=1)
    if output:
        said["output"] = bounded_text(output)
    return said
