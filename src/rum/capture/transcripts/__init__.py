"""Read the session files of clients as the same events that their hooks send; one module a client."""

from __future__ import annotations

from types import ModuleType

from rum.capture.transcripts import claude_code, codex, gemini

# The module that reads a client's transcripts.
READERS: dict[str, ModuleType] = {"claude-code": claude_code, "codex": codex, "gemini": gemini}
# Clients whose hooks and transcripts use the same ids, so that an event captured by both is stored once.
SAME_NAMES = ("claude-code", "codex")
