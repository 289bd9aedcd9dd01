"""Codex: the server as a table of config.toml, hooks in hooks.json."""

from __future__ import annotations

from typing import Any

from rum.capture.clients.claude_code import KINDS
from rum.surfaces.install.launch import Launch, shell_line
from rum.surfaces.install.own_entries import SERVER_NAME, Hook
from rum.surfaces.install.settings_file import Client, InstallLocation, Target, json_target, toml_target

# The tools for which a hook runs.
MATCHERS = {
    "PreToolUse": "Bash|apply_patch",
    "PostToolUse": "Bash|apply_patch|mcp__rum__.*|.*spawn_agent",
}
_MISSING = ("PostToolUseFailure",)  # Events that Claude Code has and Codex does not have
_TIMEOUTS = {"SessionEnd": 3}  # In seconds; Codex does not allow more for this event
_TIMEOUT = 5


def hooks(launch: Launch) -> tuple[Hook, ...]:
    """A hook for each captured event."""
    command = shell_line(launch.hook_command("codex"))
    found: list[Hook] = []
    for event in KINDS:
        if event not in _MISSING:
            timeout = _TIMEOUTS.get(event, _TIMEOUT)
            handler: dict[str, Any] = {"type": "command", "command": command, "timeout": timeout}
            found.append(Hook(event, MATCHERS.get(event), handler))
    return tuple(found)


def _file(location: InstallLocation, name: str) -> str:
    return location.file(".codex", name, variable="CODEX_HOME")


def _targets(location: InstallLocation, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    entry = {"command": command, "args": args}
    return [
        toml_target(location, _file(location, "config.toml"), ("mcp_servers", SERVER_NAME), entry),
        json_target(location, _file(location, "hooks.json"), hooks=hooks(launch)),
    ]


def _instructions(location: InstallLocation) -> str:
    return location.in_project("AGENTS.md") if location.scope == "project" else _file(location, "AGENTS.md")


def _next_steps(location: InstallLocation) -> list[str]:
    steps = [
        "it runs only hooks that you trust, and `codex exec` does not ask. Start `codex` once: "
        'it shows "Hooks need review"; review them and choose "Trust all and continue". It asks again when '
        "they change.",
    ]
    if location.scope == "project":
        steps.append("Codex reads .codex of a project only once you have trusted its folder.")
    return steps


CLIENT = Client("codex", "Codex", ("codex",), (".codex",), _targets, _instructions, next_steps=_next_steps)
