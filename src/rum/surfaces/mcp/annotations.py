"""What clients are told of how a tool behaves."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

# Only what differs from the protocol's defaults: not read-only, not idempotent.
READS: Json = {"readOnlyHint": True, "openWorldHint": False}
ADDS: Json = {"destructiveHint": False, "openWorldHint": False}
ADDS_ONCE: Json = {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
CHANGES: Json = {"destructiveHint": True, "idempotentHint": True, "openWorldHint": False}
