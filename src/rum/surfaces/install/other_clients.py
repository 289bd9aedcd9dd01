"""Clients that get the MCP server but no hooks: Cursor, VS Code and opencode."""

from __future__ import annotations

import os
import sys

from rum.surfaces.install.launch import Launch
from rum.surfaces.install.own_entries import NAME
from rum.surfaces.install.settings_file import Client, Place, Target, json_target

# Editors start servers in any folder, but replace this variable with the folder that is open.
_OPEN_FOLDER = ["--project", "${workspaceFolder}"]


def _cursor_targets(place: Place, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    entry = {"command": command, "args": [*args, *_OPEN_FOLDER]}
    return [json_target(place, place.file(".cursor", "mcp.json"), (("mcpServers", NAME), entry))]


def _vscode_targets(place: Place, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    entry = {"type": "stdio", "command": command, "args": [*args, *_OPEN_FOLDER]}
    path = place.in_project(".vscode", "mcp.json") if place.scope == "project" else _vscode_profile(place)
    return [json_target(place, path, (("servers", NAME), entry))]


def _vscode_profile(place: Place) -> str:
    if sys.platform == "win32":
        base = place.environ.get("APPDATA") or place.user("AppData", "Roaming")
    elif sys.platform == "darwin":
        base = place.user("Library", "Application Support")
    else:
        base = place.environ.get("XDG_CONFIG_HOME") or place.user(".config")
    return os.path.join(base, "Code", "User", "mcp.json")


def _opencode_targets(place: Place, launch: Launch) -> list[Target]:
    entry = {"type": "local", "command": launch.mcp_command(), "enabled": True}
    folder = place.in_project() if place.scope == "project" else _opencode_folder(place)
    path = os.path.join(folder, "opencode.jsonc")
    if not os.path.lexists(path):
        path = os.path.join(folder, "opencode.json")
    return [json_target(place, path, (("mcp", NAME), entry))]


def _opencode_folder(place: Place) -> str:
    base = place.environ.get("XDG_CONFIG_HOME") or place.user(".config")
    return os.path.join(base, "opencode")


def _agents_md(place: Place) -> str | None:
    return place.in_project("AGENTS.md") if place.scope == "project" else None


def _opencode_agents_md(place: Place) -> str:
    return _agents_md(place) or os.path.join(_opencode_folder(place), "AGENTS.md")


CURSOR = Client("cursor", "Cursor", ("cursor",), (".cursor",), _cursor_targets, _agents_md)
VSCODE = Client("vscode", "VS Code", ("code",), (".vscode",), _vscode_targets, _agents_md)
OPENCODE = Client(
    "opencode", "opencode", ("opencode",), (".config/opencode",), _opencode_targets, _opencode_agents_md
)
