"""The vendors' own commands accept the plugins."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from e2e.agents import Desk, program
from rum import __version__

pytestmark = pytest.mark.e2e

PLUGINS = Path(__file__).parents[2] / "plugins"


def validate(client: str, folder: Path, *command: str) -> str:
    desk = Desk(folder, folder)
    ran = subprocess.run(
        [*program(client), *command],
        cwd=folder,
        env=desk.environment(DISABLE_AUTOUPDATER="1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def test_claude_code_accepts_its_plugin(tmp_path: Path):
    assert "passed" in validate("claude-code", tmp_path, "plugin", "validate", str(PLUGINS / "claude-code"))


def test_gemini_accepts_its_extension(tmp_path: Path):
    shutil.copytree(PLUGINS / "gemini", tmp_path / "rum")
    said = validate("gemini", tmp_path, "extensions", "validate", str(tmp_path / "rum"))
    assert "successfully validated" in said


@pytest.mark.parametrize("name", ["claude-code/.claude-plugin/plugin.json", "gemini/gemini-extension.json"])
def test_plugins_have_the_version_of_the_package(name: str):
    assert json.loads((PLUGINS / name).read_text(encoding="utf-8"))["version"] == __version__
