"""Codex: Claude Code's hooks with tools of its own."""

from __future__ import annotations

import re

from rum.capture.clients import claude_code
from rum.capture.clients.patches import files_of_patch
from rum.capture.clients.rum_tools import rum_call
from rum.capture.clients.values import MAX_RAW, as_dict, as_list, raw_text, text, text_in
from rum.capture.events.event import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event

    Json = dict[str, Any]

NAME = "codex"
MCP = "codex-mcp-client"  # Its name as an MCP client
KINDS = claude_code.KINDS
ANSWERABLE = claude_code.ANSWERABLE

_SHELLS = ("Bash", "shell", "local_shell", "exec_command", "shell_command")
_EXIT_CODE = r"Exit code: (-?\d{1,10})\n"
_HEADER = r"Exit code: -?\d+\nWall time: [^\n]*\n(?:Output:\n)?"


def event(payload: Json, at: float) -> Event | None:
    """The event of a hook's payload; None for hooks that are not captured."""
    found = claude_code.event(payload, at, NAME)
    if found is None or "call" not in found:
        return found
    # Its tools have other names than Claude Code's, or the same names with other arguments.
    by_claude = ("files", "command", "output", "exit", "text", "memories")
    kept = {name: value for name, value in found.items() if name not in by_claude}
    name, arguments = text(payload.get("tool_name")), as_dict(payload.get("tool_input"))
    return cast("Event", {**kept, **tool(name, arguments, payload.get("tool_response"))})


def tool(name: str, arguments: Json, answer: object) -> Json:
    """A tool call in RUM's terms. A shell's answer to a hook has no exit code; the rollout has it."""
    if own := rum_call(name, answer):
        return own
    call: Json = {"tool_name": name}
    if name in _SHELLS:
        call.update(tool="run", command=_command(arguments), **_outcome(answer))
    elif name == "apply_patch":
        call.update(tool="edit", files=files_of_patch(_command(arguments)), **_outcome(answer))
    elif name.endswith("spawn_agent"):
        call.update(tool="agent", text=raw_text(arguments.get("message")))
    else:
        call["tool"] = "other"
    return call


def _command(arguments: Json) -> str:
    """The command as one line for a shell, without `bash -lc` around it."""
    command = arguments.get("command") or arguments.get("cmd") or arguments.get("input")
    words = [word for word in as_list(command) if isinstance(word, str)]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        words = words[2:]
    return text(" ".join(words) or command, MAX_RAW)


def _outcome(answer: object) -> Json:
    output = answer if isinstance(answer, str) else text_in(as_dict(answer).get("content"))
    outcome: Json = {}
    if code := re.match(_EXIT_CODE, output):
        outcome["exit"] = int(code[1])
        output = re.sub(_HEADER, "", output, count=1)
    if output:
        outcome["output"] = raw_text(output)
    return outcome
