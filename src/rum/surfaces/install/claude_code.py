"""Claude Code: hooks in its settings, the server in the file that only the user has."""

from __future__ import annotations

import os
from typing import Any

from rum.capture.clients.claude_code import KINDS
from rum.repo.git import find_git
from rum.surfaces.install.launch import Launch, as_line
from rum.surfaces.install.own_entries import NAME, Hook
from rum.surfaces.install.settings_file import Client, Place, Target, json_target

_CHANGES = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit"
_SEEN = f"{_CHANGES}|Read|Grep|Glob|WebSearch|Agent|Task|mcp__(plugin_rum_)?rum__.*"
MATCHERS = {"PreToolUse": f"{_CHANGES}|Read", "PostToolUse": _SEEN, "PostToolUseFailure": _SEEN}
"""The tools that a hook is run for; a process for each call of the others would bring nothing."""
_TIMEOUT = 5
"""Seconds; a hook ends much earlier."""


def hooks(launch: Launch, *, windows: bool = os.name == "nt") -> tuple[Hook, ...]:
    """A hook for each captured event."""
    words = launch.hooked("claude-code")
    handler: dict[str, Any] = {"type": "command", "command": as_line(words), "timeout": _TIMEOUT}
    if windows:
        # No shell is safe to quote for there. Elsewhere one line is what editors that borrow hooks can read.
        handler |= {"command": words[0], "args": words[1:]}
    return tuple(Hook(event, MATCHERS.get(event), handler) for event in KINDS)


def _targets(place: Place, launch: Launch) -> list[Target]:
    command, *args = launch.mcp()
    entry = {"type": "stdio", "command": command, "args": args}
    state = place.user(".claude.json")
    if moved := place.environ.get("CLAUDE_CONFIG_DIR"):
        state = os.path.join(moved, ".claude.json")
    if place.scope == "project":
        # Not .mcp.json: that is committed, and asks everybody for an approval.
        server = (("projects", _project(place), "mcpServers", NAME), entry)
        settings = place.in_project(".claude", "settings.local.json")
    else:
        server = (("mcpServers", NAME), entry)
        settings = place.user(".claude", "settings.json", under="CLAUDE_CONFIG_DIR")
    return [json_target(place, state, server), json_target(place, settings, hooks=hooks(launch))]


def _project(place: Place) -> str:
    """The name that Claude Code knows a project by: the repository's folder, whichever worktree it is."""
    root = str(place.root)
    found = find_git(root, place.environ)
    if found is not None and os.path.basename(found.common_dir) == ".git":
        root = os.path.dirname(found.common_dir)
    return os.path.realpath(root).replace("\\", "/")


def _guide(place: Place) -> str:
    if place.scope == "project":
        return place.in_project("CLAUDE.md")
    return place.user(".claude", "CLAUDE.md", under="CLAUDE_CONFIG_DIR")


def _afterwards(place: Place) -> list[str]:
    left = ["Restart Claude Code to apply: running sessions have already read their settings."]
    if place.scope == "project":
        left.append("Keep .claude/settings.local.json out of commits: it names your interpreter.")
    return left


CLIENT = Client("claude-code", "Claude Code", ("claude",), (".claude",), _targets, False, _guide, _afterwards)
