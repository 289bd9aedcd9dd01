"""Calls of RUM's own tools, as a client reports them: which memories they gave or made."""

from __future__ import annotations

import re

from rum.capture.clients.plain import items, said_in, table

# Not compiled beforehand: few hooks need all of them.
_OURS = r"mcp_{1,2}(?:plugin_\w*?)?rum(?:_{1,2}|$)"
# Nothing but that: what another command printed after it is worth keeping.
_COMMAND = r"\s*(?:\S*[/\\]|\S*python[\d.]*(?:\s+-P)?\s+-m\s+)?rum(?:\.exe)?\s[^;&\n]*"
_MEMORY = r"\bmem_[0-9a-hjkmnp-tv-z]{26}\b"
_MOST = 50
_LOOKED_AT = 200_000
"""Characters of an answer that are searched for ids."""


def is_rum(tool_name: str) -> bool:
    """Whether a tool is one of ours, however the client spells its server's name."""
    return tool_name.startswith("mcp_") and re.match(_OURS, tool_name) is not None


def is_rum_command(command: str) -> bool:
    """Whether a command line is a call of `rum`, whatever it is piped into."""
    return "rum" in command and re.fullmatch(_COMMAND, command) is not None


def memories_in(gave: object) -> list[str]:
    """The memories that an answer names, each once, in their order."""
    content = table(gave).get("content", gave)
    said = said_in(content) or said_in(items(content)) or str(table(gave).get("structuredContent", ""))
    return list(dict.fromkeys(re.findall(_MEMORY, said[:_LOOKED_AT])))[:_MOST]
