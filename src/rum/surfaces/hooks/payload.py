"""The payload of a hook: one JSON object of any size."""

from __future__ import annotations

import json
import re

from rum.capture.clients.values import as_dict
from rum.surfaces.hooks.stdin import END_SIZE, LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOO_LARGE = "too_large_for_rum"  # Key that marks a payload too large to parse

_FIELDS = (
    "hook_event_name|hookEventName|session_id|sessionId|conversation_id|transcript_path|cwd|prompt_id|turn_id"
    "|generation_id|agent_id|agent_type|tool_name|tool_use_id|cursor_version|timestamp"
)
_FIELD = rf'(?<!\\)"({_FIELDS})"\s*:\s*("(?:[^"\\\x00-\x1f]|\\.){{0,1000}}")'


def parse_payload(raw: bytes) -> dict[str, Any] | None:
    """Parse the payload; of one that is too large only known fields at its ends. None if it is no object."""
    if len(raw) > LARGEST:
        return _find_fields(raw)
    try:
        # An invalid byte must not lose the whole payload.
        return as_dict(json.loads(raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))) or None
    except (ValueError, RecursionError):
        return None


def _find_fields(raw: bytes) -> dict[str, Any]:
    ends = (raw[:END_SIZE] + b"\n" + raw[-END_SIZE:]).decode("utf-8", "replace")
    found: dict[str, Any] = {TOO_LARGE: True}
    for name, value in re.findall(_FIELD, ends):
        found.setdefault(name, json.loads(value))
    return found
