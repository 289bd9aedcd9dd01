"""Calls of RUM's own tools, as a client reports them: which memories they gave or made."""

from __future__ import annotations

import re

from rum.capture.clients.values import as_dict, as_list, text_in

# Not compiled beforehand: few hooks need all of them.
_OURS = r"mcp_{1,2}(?:plugin_\w*?)?rum(?:_{1,2}|$)"
# Nothing but that: what another command printed after it is worth keeping.
_COMMAND = r"\s*(?:\S*[/\\]|\S*python[\d.]*(?:\s+-P)?\s+-m\s+)?rum(?:\.exe)?\s[^;&\n]*"
_HANDED_IN = r"(?s)<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n.*?^\s*\1\s*\Z"
_FEEDS = ("cd", "echo", "printf", "cat", "jq")
"""Programs that hand something to another, and print nothing themselves then."""
_MEMORY = r"\bmem_[0-9a-hjkmnp-tv-z]{26}\b"
_MOST = 50
_LOOKED_AT = 200_000
"""Characters of an answer that are searched for ids."""


def is_rum(tool_name: str) -> bool:
    """Whether a tool is one of ours, however the client spells its server's name."""
    return tool_name.startswith("mcp_") and re.match(_OURS, tool_name) is not None


def is_rum_command(command: str) -> bool:
    """Whether a command line is a call of `rum`, whatever it is piped into or handed."""
    if "rum" not in command:
        return False
    plain = re.sub(_HANDED_IN, "", command, count=1, flags=re.MULTILINE)
    return re.fullmatch(_COMMAND, plain) is not None or _is_fed(plain)


def _is_fed(command: str) -> bool:
    """Whether it ends with a call of `rum` that others only hand something to."""
    from rum.text.shell import segments  # noqa: PLC0415 (few commands name `rum` at all)

    # What is handed in may be long, and says nothing here.
    *before, last = segments(re.sub(r"'[^']*'", "''", command)) or [[""]]
    return last[0] == "rum" and "<<" not in command and all(words[0] in _FEEDS for words in before)


def memories_in(gave: object) -> list[str]:
    """The memories that an answer names, each once, in their order."""
    content = as_dict(gave).get("content", gave)
    said = text_in(content) or text_in(as_list(content)) or str(as_dict(gave).get("structuredContent", ""))
    return list(dict.fromkeys(re.findall(_MEMORY, said[:_LOOKED_AT])))[:_MOST]
