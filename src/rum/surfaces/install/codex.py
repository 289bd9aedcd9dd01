"""Codex: the server as a table of config.toml, hooks in hooks.json beside it."""

from __future__ import annotations

from typing import Any

from rum.capture.clients.claude_code import KINDS
from rum.surfaces.install.launch import Launch, as_line
from rum.surfaces.install.own_entries import NAME, Hook
from rum.surfaces.install.settings_file import Client, Place, Target, json_target, toml_target

MATCHERS = {
    "PreToolUse": "Bash|apply_patch",
    "PostToolUse": "Bash|apply_patch|mcp__rum__.*|.*spawn_agent",
}
"""The tools that a hook is run for."""
_UNKNOWN = ("PostToolUseFailure",)
"""Events that Claude Code has and Codex has not."""
_TIMEOUTS = {"SessionEnd": 3}
"""Seconds; more is not allowed there."""
_TIMEOUT = 5


def hooks(launch: Launch) -> tuple[Hook, ...]:
    """A hook for each event that is kept."""
    command = as_line(launch.hooked("codex"))
    found: list[Hook] = []
    for event in KINDS:
        if event not in _UNKNOWN:
            timeout = _TIMEOUTS.get(event, _TIMEOUT)
            handler: dict[str, Any] = {"type": "command", "command": command, "timeout": timeout}
            found.append(Hook(event, MATCHERS.get(event), handler))
    return tuple(found)


def _file(place: Place, name: str) -> str:
    if place.scope == "project":
        return place.in_project(".codex", name)
    return place.user(".codex", name, under="CODEX_HOME")


def _targets(place: Place, launch: Launch) -> list[Target]:
    command, *args = launch.mcp()
    entry = {"command": command, "args": args}
    return [
        toml_target(place, _file(place, "config.toml"), ("mcp_servers", NAME), entry),
        json_target(place, _file(place, "hooks.json"), hooks=hooks(launch)),
    ]


def _guide(place: Place) -> str:
    return place.in_project("AGENTS.md") if place.scope == "project" else _file(place, "AGENTS.md")


def _afterwards(place: Place) -> list[str]:
    left = [
        "it runs only hooks that you trust, and `codex exec` does not ask. Start `codex` once: "
        'it shows "Hooks need review"; review them and choose "Trust all and continue". It asks again when '
        "they change.",
    ]
    if place.scope == "project":
        left.append("Codex reads .codex of a project only once you have trusted its folder.")
    return left


CLIENT = Client("codex", "Codex", ("codex",), (".codex",), _targets, True, _guide, _afterwards)
