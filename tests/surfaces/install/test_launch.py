"""The commands with which clients start RUM."""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

from rum.model.errors import InvalidQuery
from rum.surfaces.install.clients import (
    HOOKS,
    Launch,
    hooks,
    launch_from_path,
    launch_with_interpreter,
    shell_line,
    temporary_reason,
)
from rum.surfaces.install.settings_file import is_rum_hook, is_rum_server

HOOK = ["/opt/my tools/bin/python", "-P", "-m", "rum", "hook", "codex"]


@pytest.mark.parametrize(
    "path",
    [
        "/home/ada/.cache/uv/archive-v0/x1/bin/python",
        "/Users/ada/Library/Caches/uv/archive-v0/x1/bin/python",
        "/home/ada/.cache/uv/environments-v2/x/bin/python",
        "/home/ada/.local/pipx/.cache/1f/bin/python",
        "/home/ada/.cache/pipx/1f/bin/python",
        f"{tempfile.gettempdir()}/venv/bin/python",
    ],
)
def test_a_temporary_interpreter_is_recognised(path: str):
    assert temporary_reason(path, {})


def test_a_cache_is_recognised_by_its_variable():
    assert temporary_reason("/var/big/uv/x/bin/python", {"UV_CACHE_DIR": "/var/big/uv"})


@pytest.mark.parametrize(
    "path",
    [
        "/usr/bin/python3",
        "/home/ada/.local/share/uv/tools/rum-memory/bin/python",
        "/home/ada/.local/share/pipx/venvs/rum-memory/bin/python",
        "/home/ada/work/shop/.venv/bin/python",
    ],
)
def test_a_permanent_interpreter_is_accepted(path: str):
    assert temporary_reason(path, {}) is None


def test_a_temporary_interpreter_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/home/ada/.cache/uv/archive-v0/x1/bin/python")
    with pytest.raises(InvalidQuery, match="uv tool install rum-memory"):
        launch_with_interpreter({})
    assert launch_with_interpreter({}, anyway=True).mcp_command()[0] == sys.executable


def test_a_shared_file_names_commands_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidQuery, match="not on PATH"):
        launch_from_path("/x/.codex/config.toml")


def test_a_shell_line_is_split_into_its_words_again():
    assert shlex.split(shell_line(HOOK, windows=False)) == HOOK
    line = shell_line(["C:\\My Tools\\python.exe", *HOOK[1:]], windows=True)
    assert line == '"C:/My Tools/python.exe" -P -m rum hook codex'


@pytest.mark.parametrize("prefix", ["/opt/my tools/bin/python", "/usr/bin/python3", "C:\\x y\\python.exe"])
def test_written_entries_are_recognised(prefix: str):
    words = (prefix, "-P", "-m", "rum")
    launch = Launch(words, (*words, "hook"))
    for client in HOOKS:
        assert all(is_rum_hook(hook.handler) for hook in hooks(client, launch))
    assert all(is_rum_hook(hook.handler) for hook in hooks("claude-code", launch, windows=True))
    assert is_rum_server({"command": prefix, "args": launch.mcp_command()[1:]})
    assert is_rum_server({"command": launch.mcp_command()})


@pytest.mark.parametrize(
    "command",
    [
        "RUM_HOME=/x rum-hook claude-code",
        "C:\\tools\\rum-hook.exe gemini",
        "/opt/bin/rum hook codex",
        shlex.join(["/home/o'brien/my tools/python", "-P", "-m", "rum", "hook", "codex"]),
    ],
)
def test_commands_written_by_hand_are_recognised(command: str):
    assert is_rum_hook({"type": "command", "command": command})


@pytest.mark.parametrize(
    "command",
    [
        "drum-hook codex",
        "echo rum",
        "./spectrum hook x",
        "python -m rumour hook x",
        "rum doctor",
        "rum-hook",
        "grep -q rum-hook ~/log || notify 'rum-hook is silent'",
        "logger see docs of rum hook here",
        "echo /opt/rum hook codex",
        "before.sh && rum-hook codex",
        "it's not closed; rum-hook codex",
    ],
)
def test_commands_of_other_programs_are_not_recognised(command: str):
    assert not is_rum_hook({"type": "command", "command": command})
    assert not is_rum_server({"command": "node", "args": ["server.js", "rum", "mcp"]})


def test_hooks_are_only_for_events_that_a_client_has():
    launch = Launch(("rum",), ("rum-hook",))
    assert "PostToolUseFailure" not in [hook.event for hook in hooks("codex", launch)]
    assert {hook.handler["timeout"] for hook in hooks("codex", launch) if hook.event == "SessionEnd"} == {3}
    assert all(hook.handler["timeout"] >= 1000 for hook in hooks("gemini", launch))


@pytest.mark.parametrize("tool", ["mcp__rum__store", "mcp__plugin_rum_rum__store", "Edit", "Task"])
def test_claude_codes_hooks_include_rums_tools_also_of_its_plugin(tool: str):
    for event in ("PostToolUse", "PostToolUseFailure"):
        assert re.fullmatch(HOOKS["claude-code"].matchers[event], tool)
    assert not re.fullmatch(HOOKS["claude-code"].matchers["PostToolUse"], "mcp__other__store")
