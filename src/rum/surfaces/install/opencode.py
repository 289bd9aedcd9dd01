"""opencode: the server in opencode.json, or in opencode.jsonc where that is there."""

from __future__ import annotations

import os

from rum.surfaces.install.launch import Launch
from rum.surfaces.install.own_entries import NAME
from rum.surfaces.install.settings_file import Client, Place, Target, json_target, nothing


def _targets(place: Place, launch: Launch) -> list[Target]:
    entry = {"type": "local", "command": launch.mcp(), "enabled": True}
    folder = place.in_project() if place.scope == "project" else _config(place)
    path = os.path.join(folder, "opencode.jsonc")
    if not os.path.lexists(path):
        path = os.path.join(folder, "opencode.json")
    return [json_target(place, path, (("mcp", NAME), entry))]


def _config(place: Place) -> str:
    base = place.environ.get("XDG_CONFIG_HOME") or place.user(".config")
    return os.path.join(base, "opencode")


def _guide(place: Place) -> str:
    if place.scope == "project":
        return place.in_project("AGENTS.md")
    return os.path.join(_config(place), "AGENTS.md")


CLIENT = Client("opencode", "opencode", ("opencode",), (".config/opencode",), _targets, True, _guide, nothing)
