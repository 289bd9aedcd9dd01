"""Recognise calls of RUM's own tools and command line, and the memories that they return or store."""

from __future__ import annotations

import re

from rum.capture.clients.values import as_dict, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Not compiled on import: few hooks need all of them.
_OURS = r"mcp_{1,2}(?:plugin_\w*?)?rum(?:_{1,2}|$)"
# Only a call of `rum` alone: the output of another command after it is worth keeping.
_COMMAND = r"\s*(?:\S*[/\\]|\S*python[\d.]*(?:\s+-P)?\s+-m\s+)?rum(?:\.exe)?\s[^;&\n]*"
_HERE_DOCUMENT = r"(?s)<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n.*?^\s*\1\s*\Z"
# Programs that pipe input into `rum`, so that their own output is not shown.
_FEEDS = ("cd", "echo", "printf", "cat", "jq")
_MEMORY_ID = r"\bmem_[0-9a-hjkmnp-tv-z]{26}\b"
_MAX_MEMORIES = 50
_MAX_SEARCHED = 200_000  # Characters of an answer that are searched for ids


def rum_call(tool_name: str, answer: object) -> dict[str, Any] | None:
    """A call of one of RUM's tools, however the client spells its server's name; None for any other tool."""
    if not tool_name.startswith("mcp_") or not re.match(_OURS, tool_name):
        return None
    memories = memories_in(answer)
    return {"tool_name": tool_name, "tool": "rum", **({"memories": memories} if memories else {})}


def is_rum_command(command: str) -> bool:
    """Whether a command line is a call of `rum`, with or without a pipe or a here document."""
    if "rum" not in command:
        return False
    plain = re.sub(_HERE_DOCUMENT, "", command, count=1, flags=re.MULTILINE)
    if re.fullmatch(_COMMAND, plain):
        return True
    from rum.text.shell import segments  # noqa: PLC0415 (few commands name `rum` at all)

    # Or the other commands only feed it. A quoted input may be very long, and its words do not matter here.
    *before, last = segments(re.sub(r"'[^']*'", "''", plain)) or [[""]]
    return last[0] == "rum" and "<<" not in plain and all(words[0] in _FEEDS for words in before)


def memories_in(answer: object) -> list[str]:
    """The ids of the memories that an answer names, each once, in their order."""
    content = as_dict(answer).get("content", answer)
    found = text_in(content) or str(as_dict(answer).get("structuredContent", ""))
    return list(dict.fromkeys(re.findall(_MEMORY_ID, found[:_MAX_SEARCHED])))[:_MAX_MEMORIES]
