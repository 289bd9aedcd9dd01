"""Whose payload this is, whatever file the hook was configured in."""

from __future__ import annotations

from rum.capture.clients.values import as_list, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from rum.capture.events.event import Event

CLIENTS = ("claude-code", "codex", "gemini")
"""The clients whose hooks are understood in their own notation."""
AS_CLAUDE_CODE = ("cursor", "vscode")
"""Editors that run the hooks that were meant for Claude Code."""

_CAMEL = {
    "hookEventName": "hook_event_name",
    "sessionId": "session_id",
    "conversation_id": "session_id",
    "generation_id": "prompt_id",
}


def module_of(client: str) -> ModuleType:
    """The module that knows a client's notation; loaded now, as a hook needs no other."""
    if client == "codex":
        from rum.capture.clients import codex  # noqa: PLC0415

        return codex
    if client == "gemini":
        from rum.capture.clients import gemini  # noqa: PLC0415

        return gemini
    from rum.capture.clients import claude_code  # noqa: PLC0415

    return claude_code


def client_of(payload: dict[str, Any], told: str) -> str:
    """The client that sent a payload, which need not be the one that the hook was configured for."""
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    if "hookEventName" in payload or "sessionId" in payload:
        return "vscode"
    if "turn_id" in payload and told == "claude-code":
        return "codex"
    return told


def event_of(payload: dict[str, Any], told: str, at: float) -> Event | None:
    """The event of a payload; None for what is not kept, or not understood."""
    client = client_of(payload, told)
    if client in CLIENTS:
        return module_of(client).event(payload, at)
    if client not in AS_CLAUDE_CODE:
        return None
    plain = {_CAMEL.get(name, name): value for name, value in payload.items()}
    name = text(plain.get("hook_event_name"))
    plain["hook_event_name"] = name[:1].upper() + name[1:]
    if not plain.get("cwd") and (roots := as_list(plain.get("workspace_roots"))):
        plain["cwd"] = roots[0]
    return module_of(client).event(plain, at, client)
