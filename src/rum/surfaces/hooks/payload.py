"""The payload of a hook: one JSON object of any size."""

from __future__ import annotations

import json
import re

from rum.capture.clients.values import as_dict
from rum.surfaces.hooks.stdin import ENDS, LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGE = "too_large_for_rum"
"""Key that marks a payload too large to parse."""

_NAMES = (
    "hook_event_name|hookEventName|session_id|sessionId|conversation_id|transcript_path|cwd|prompt_id|turn_id"
    "|generation_id|agent_id|agent_type|tool_name|tool_use_id|cursor_version|timestamp"
)
_NAMED = rf'(?<!\\)"({_NAMES})"\s*:\s*("(?:[^"\\\x00-\x1f]|\\.){{0,1000}}")'


def parse_payload(raw: bytes) -> dict[str, Any] | None:
    """The payload; of one too large, the known names at its start and end. None if it is no object."""
    if len(raw) > LARGEST:
        return _find_names(raw)
    try:
        # An invalid byte must not lose the whole payload.
        return as_dict(json.loads(raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))) or None
    except (ValueError, RecursionError):
        return None


def _find_names(raw: bytes) -> dict[str, Any]:
    ends = (raw[:ENDS] + b"\n" + raw[-ENDS:]).decode("utf-8", "replace")
    found: dict[str, Any] = {LARGE: True}
    for name, value in re.findall(_NAMED, ends):
        found.setdefault(name, json.loads(value))
    return found
