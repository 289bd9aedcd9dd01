"""Clients that get the MCP server but no hooks: Cursor, VS Code and opencode."""

from __future__ import annotations

import os
import sys

from rum.surfaces.install.launch import Launch
from rum.surfaces.install.own_entries import SERVER_NAME
from rum.surfaces.install.settings_file import Client, InstallLocation, Target, json_target

# Editors start servers in any folder, but replace this variable with the folder that is open.
_OPEN_FOLDER = ["--project", "${workspaceFolder}"]


def _cursor_targets(location: InstallLocation, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    entry = {"command": command, "args": [*args, *_OPEN_FOLDER]}
    return [json_target(location, location.file(".cursor", "mcp.json"), (("mcpServers", SERVER_NAME), entry))]


def _vscode_targets(location: InstallLocation, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    entry = {"type": "stdio", "command": command, "args": [*args, *_OPEN_FOLDER]}
    path = (
        location.in_project(".vscode", "mcp.json")
        if location.scope == "project"
        else _vscode_user_config(location)
    )
    return [json_target(location, path, (("servers", SERVER_NAME), entry))]


def _vscode_user_config(location: InstallLocation) -> str:
    if sys.platform == "win32":
        base = location.environ.get("APPDATA") or location.in_home("AppData", "Roaming")
    elif sys.platform == "darwin":
        base = location.in_home("Library", "Application Support")
    else:
        base = location.environ.get("XDG_CONFIG_HOME") or location.in_home(".config")
    return os.path.join(base, "Code", "User", "mcp.json")


def _opencode_targets(location: InstallLocation, launch: Launch) -> list[Target]:
    entry = {"type": "local", "command": launch.mcp_command(), "enabled": True}
    folder = location.in_project() if location.scope == "project" else _opencode_folder(location)
    path = os.path.join(folder, "opencode.jsonc")
    if not os.path.lexists(path):
        path = os.path.join(folder, "opencode.json")
    return [json_target(location, path, (("mcp", SERVER_NAME), entry))]


def _opencode_folder(location: InstallLocation) -> str:
    base = location.environ.get("XDG_CONFIG_HOME") or location.in_home(".config")
    return os.path.join(base, "opencode")


def _agents_md(location: InstallLocation) -> str | None:
    return location.in_project("AGENTS.md") if location.scope == "project" else None


def _opencode_agents_md(location: InstallLocation) -> str:
    return _agents_md(location) or os.path.join(_opencode_folder(location), "AGENTS.md")


CURSOR = Client("cursor", "Cursor", ("cursor",), (".cursor",), _cursor_targets, _agents_md)
VSCODE = Client("vscode", "VS Code", ("code",), (".vscode",), _vscode_targets, _agents_md)
OPENCODE = Client(
    "opencode", "opencode", ("opencode",), (".config/opencode",), _opencode_targets, _opencode_agents_md
)
