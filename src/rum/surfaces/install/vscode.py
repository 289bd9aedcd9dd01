"""VS Code: the server in mcp.json, of a profile or of a workspace."""

from __future__ import annotations

import os
import sys

from rum.surfaces.install.launch import Launch
from rum.surfaces.install.own_entries import NAME
from rum.surfaces.install.settings_file import Client, Place, Target, json_target, nothing


def _targets(place: Place, launch: Launch) -> list[Target]:
    command, *args = launch.mcp()
    entry = {"type": "stdio", "command": command, "args": [*args, "--project", "${workspaceFolder}"]}
    path = place.in_project(".vscode", "mcp.json") if place.scope == "project" else _profile(place)
    return [json_target(place, path, (("servers", NAME), entry))]


def _profile(place: Place) -> str:
    if sys.platform == "win32":
        base = place.environ.get("APPDATA") or place.user("AppData", "Roaming")
    elif sys.platform == "darwin":
        base = place.user("Library", "Application Support")
    else:
        base = place.environ.get("XDG_CONFIG_HOME") or place.user(".config")
    return os.path.join(base, "Code", "User", "mcp.json")


def _guide(place: Place) -> str | None:
    return place.in_project("AGENTS.md") if place.scope == "project" else None


CLIENT = Client("vscode", "VS Code", ("code",), (".vscode",), _targets, True, _guide, nothing)
