"""What a client tells a hook: one JSON object, however large."""

from __future__ import annotations

import json
import re

from rum.capture.clients.values import table
from rum.surfaces.hooks.stdin import ENDS, LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGE = "too_large_for_rum"
"""A key that stands in what is known of a payload too large to be read."""

_NAMES = (
    "hook_event_name|hookEventName|session_id|sessionId|conversation_id|transcript_path|cwd|prompt_id|turn_id"
    "|generation_id|agent_id|agent_type|tool_name|tool_use_id|cursor_version|timestamp"
)
_NAMED = rf'(?<!\\)"({_NAMES})"\s*:\s*("(?:[^"\\\x00-\x1f]|\\.){{0,1000}}")'


def parsed(raw: bytes) -> dict[str, Any] | None:
    """The object that was told; of one too large, the names that stand at its ends. None: it is no object."""
    if len(raw) > LARGEST:
        return _names(raw)
    try:
        # A byte that is no UTF-8 is no reason to lose all the others.
        return table(json.loads(raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))) or None
    except (ValueError, RecursionError):
        return None


def _names(raw: bytes) -> dict[str, Any]:
    ends = (raw[:ENDS] + b"\n" + raw[-ENDS:]).decode("utf-8", "replace")
    found: dict[str, Any] = {LARGE: True}
    for name, value in re.findall(_NAMED, ends):
        found.setdefault(name, json.loads(value))
    return found
