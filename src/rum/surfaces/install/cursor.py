"""Cursor: the server in mcp.json. It runs Claude Code's hooks where it is allowed to."""

from __future__ import annotations

from rum.surfaces.install.launch import Launch
from rum.surfaces.install.own_entries import NAME
from rum.surfaces.install.settings_file import Client, Place, Target, json_target, nothing


def _targets(place: Place, launch: Launch) -> list[Target]:
    command, *args = launch.mcp()
    # It starts servers anywhere, but fills in the folder that is open.
    entry = {"command": command, "args": [*args, "--project", "${workspaceFolder}"]}
    path = place.in_project if place.scope == "project" else place.user
    return [json_target(place, path(".cursor", "mcp.json"), (("mcpServers", NAME), entry))]


def _guide(place: Place) -> str | None:
    return place.in_project("AGENTS.md") if place.scope == "project" else None


CLIENT = Client("cursor", "Cursor", ("cursor",), (".cursor",), _targets, True, _guide, nothing)
