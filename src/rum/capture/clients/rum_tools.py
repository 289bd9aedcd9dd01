"""Calls of RUM's own tools, as a client reports them: which memories they gave or made."""

from __future__ import annotations

import re

from rum.capture.clients.plain import items, said_in, table

_OURS = re.compile(r"mcp_{1,2}(?:plugin_\w*?)?rum(?:_{1,2}|$)")
_MEMORY = re.compile(r"\bmem_[0-9a-hjkmnp-tv-z]{26}\b")
_MOST = 50
_LOOKED_AT = 200_000
"""Characters of an answer that are searched for ids."""


def is_rum(tool_name: str) -> bool:
    """Whether a tool is one of ours, however the client spells its server's name."""
    return _OURS.match(tool_name) is not None


def memories_in(gave: object) -> list[str]:
    """The memories that an answer names, each once, in their order."""
    content = table(gave).get("content", gave)
    said = said_in(content) or said_in(items(content))
    return list(dict.fromkeys(_MEMORY.findall(said[:_LOOKED_AT])))[:_MOST]
