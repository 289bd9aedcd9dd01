"""Gemini CLI: the server and the hooks in one settings.json."""

from __future__ import annotations

from typing import Any

from rum.capture.clients.gemini import KINDS
from rum.surfaces.install.launch import Launch, shell_line
from rum.surfaces.install.own_entries import SERVER_NAME, Hook
from rum.surfaces.install.settings_file import Client, InstallLocation, Target, json_target

_CHANGES = "run_shell_command|replace|edit|write_file"
# The tools for which a hook runs.
MATCHERS = {
    "BeforeTool": f"{_CHANGES}|read_file",
    "AfterTool": f"{_CHANGES}|read_file|read_many_files|glob|search_file_content|grep_search|mcp_rum_.*",
}
_TIMEOUT = 5000  # In milliseconds, unlike the other clients


def hooks(launch: Launch) -> tuple[Hook, ...]:
    """A hook for each captured event."""
    command = shell_line(launch.hook_command("gemini"))
    handler: dict[str, Any] = {
        "name": SERVER_NAME,
        "type": "command",
        "command": command,
        "timeout": _TIMEOUT,
    }
    return tuple(Hook(event, MATCHERS.get(event), handler) for event in KINDS)


def _targets(location: InstallLocation, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    server = (("mcpServers", SERVER_NAME), {"command": command, "args": args})
    return [json_target(location, location.file(".gemini", "settings.json"), server, hooks(launch))]


def _instructions(location: InstallLocation) -> str:
    return (
        location.in_project("GEMINI.md")
        if location.scope == "project"
        else location.in_home(".gemini", "GEMINI.md")
    )


def _next_steps(location: InstallLocation) -> list[str]:
    if location.scope == "project":
        return [
            "Gemini CLI reads a project's settings only once you have trusted its folder (`/permissions`)."
        ]
    return []


CLIENT = Client(
    "gemini", "Gemini CLI", ("gemini",), (".gemini",), _targets, _instructions, next_steps=_next_steps
)
