"""Detect which client sent a payload; a hook may be run by another client than it was configured for."""

from __future__ import annotations

from rum.capture.clients import claude_code
from rum.capture.clients.values import as_list, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from rum.capture.events.event import Event

CLIENTS = ("claude-code", "codex", "gemini")  # The clients with hooks of their own
CAN_CONTINUE = ("claude-code", "codex")  # The clients whose agents continue if a stop hook asks them to
_AS_CLAUDE_CODE = ("cursor", "vscode")  # Editors that run Claude Code's hooks

_CAMEL = {
    "hookEventName": "hook_event_name",
    "sessionId": "session_id",
    "conversation_id": "session_id",
    "generation_id": "prompt_id",
}


def module_of(client: str) -> ModuleType:
    """The module of a client; those that most hooks do not need are imported here."""
    if client not in ("codex", "gemini"):
        return claude_code
    from importlib import import_module  # noqa: PLC0415 (most hooks need neither)

    return import_module(f"rum.capture.clients.{client}")


def client_of(payload: dict[str, Any], configured: str) -> str:
    """The client that sent a payload."""
    # These editors also run hooks from Claude Code's settings, in their own notation.
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    if "hookEventName" in payload or "sessionId" in payload:
        return "vscode"
    if "turn_id" in payload and configured == "claude-code":
        return "codex"
    return configured


def event_of(payload: dict[str, Any], configured: str, at: float) -> Event | None:
    """The event of a payload; None for hooks that are not captured or not known."""
    client = client_of(payload, configured)
    if client in CLIENTS:
        return module_of(client).event(payload, at)
    if client not in _AS_CLAUDE_CODE:
        return None
    plain = {_CAMEL.get(name, name): value for name, value in payload.items()}
    name = text(plain.get("hook_event_name"))
    plain["hook_event_name"] = name[:1].upper() + name[1:]
    if not plain.get("cwd") and (roots := as_list(plain.get("workspace_roots"))):
        plain["cwd"] = roots[0]
    return module_of(client).event(plain, at, client)


def hook_answer(client: str, kind: str, context: str) -> dict[str, Any]:
    """What a hook prints so that the model reads `context`."""
    if kind == "stop":  # makes the agent continue
        return {"decision": "block", "reason": context}
    names = {ours: theirs for theirs, ours in module_of(client).KINDS.items()}
    return {"hookSpecificOutput": {"hookEventName": names[kind], "additionalContext": context}}
