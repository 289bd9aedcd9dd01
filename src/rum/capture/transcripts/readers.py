"""The clients whose transcripts can be read, by name."""

from __future__ import annotations

from types import ModuleType

from rum.capture.transcripts import claude_code, codex, gemini

READERS: dict[str, ModuleType] = {"claude-code": claude_code, "codex": codex, "gemini": gemini}
"""The module that reads a client's transcripts."""
SAME_NAMES = ("claude-code", "codex")
"""Clients whose hooks and transcripts call the same thing by the same name."""
