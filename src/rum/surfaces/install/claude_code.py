"""Claude Code: hooks in its settings, the server in the user's own state file."""

from __future__ import annotations

import os
from typing import Any

from rum.capture.clients.claude_code import KINDS
from rum.repo.git import find_git
from rum.surfaces.install.launch import Launch, shell_line
from rum.surfaces.install.own_entries import SERVER_NAME, Hook
from rum.surfaces.install.settings_file import Client, InstallLocation, Target, json_target

_CHANGES = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit"
_CAPTURED = f"{_CHANGES}|Read|Grep|Glob|WebSearch|Agent|Task|mcp__(plugin_rum_)?rum__.*"
# The tools for which a hook runs; a process for each call of another tool would be wasted.
MATCHERS = {"PreToolUse": f"{_CHANGES}|Read", "PostToolUse": _CAPTURED, "PostToolUseFailure": _CAPTURED}
_TIMEOUT = 5  # In seconds; a hook ends much earlier


def hooks(launch: Launch, *, windows: bool = os.name == "nt") -> tuple[Hook, ...]:
    """A hook for each captured event."""
    words = launch.hook_command("claude-code")
    handler: dict[str, Any] = {"type": "command", "command": shell_line(words), "timeout": _TIMEOUT}
    if windows:
        # No quoting suits every shell there. Elsewhere one line, as editors that run these hooks expect.
        handler |= {"command": words[0], "args": words[1:]}
    return tuple(Hook(event, MATCHERS.get(event), handler) for event in KINDS)


def _targets(location: InstallLocation, launch: Launch) -> list[Target]:
    command, *args = launch.mcp_command()
    entry = {"type": "stdio", "command": command, "args": args}
    state = location.in_home(".claude.json")
    if folder := location.environ.get("CLAUDE_CONFIG_DIR"):
        state = os.path.join(folder, ".claude.json")
    if location.scope == "project":
        # Not .mcp.json: that file is committed, and everybody would be asked to approve the server.
        server = (("projects", _project_key(location), "mcpServers", SERVER_NAME), entry)
        settings = location.in_project(".claude", "settings.local.json")
    else:
        server = (("mcpServers", SERVER_NAME), entry)
        settings = location.in_home(".claude", "settings.json", variable="CLAUDE_CONFIG_DIR")
    return [json_target(location, state, server), json_target(location, settings, hooks=hooks(launch))]


def _project_key(location: InstallLocation) -> str:
    """The key of a project in Claude Code's state: the folder of the repository, also for a worktree."""
    root = str(location.root)
    found = find_git(root, location.environ)
    if found is not None and os.path.basename(found.common_dir) == ".git":
        root = os.path.dirname(found.common_dir)
    return os.path.realpath(root).replace("\\", "/")


def _instructions(location: InstallLocation) -> str:
    if location.scope == "project":
        return location.in_project("CLAUDE.md")
    return location.in_home(".claude", "CLAUDE.md", variable="CLAUDE_CONFIG_DIR")


def _next_steps(location: InstallLocation) -> list[str]:
    steps = ["Restart Claude Code to apply: running sessions have already read their settings."]
    if location.scope == "project":
        steps.append("Keep .claude/settings.local.json out of commits: it names your interpreter.")
    return steps


CLIENT = Client(
    "claude-code",
    "Claude Code",
    ("claude",),
    (".claude",),
    _targets,
    _instructions,
    shared=False,
    next_steps=_next_steps,
)
