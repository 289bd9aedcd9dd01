"""The MCP Inspector lists the tools and resources of `rum mcp`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rum.surfaces.mcp.catalogue import TOOLS

INSPECTOR = "@modelcontextprotocol/inspector"
CORE = {"store", "recall", "trace", "update_memory"}

pytestmark = pytest.mark.e2e


def inspect(folder: Path, method: str, *options: str) -> dict[str, Any]:
    """Ask the inspector to start `rum mcp` in a folder and call one method."""
    npx = shutil.which("npx")
    assert npx, "`make e2e` needs node and npm"
    rum = Path(sys.executable).with_name("rum")
    server = ["-e", f"RUM_HOME={folder / 'home'}", "-e", "RUM_IDLE_AFTER=0", "--", str(rum), "mcp", *options]
    command = [npx, "--yes", INSPECTOR, "--cli", "--method", method, *server]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("options", "expected"), [((), set(TOOLS)), (("--tools", "core"), CORE)], ids=["all", "core"]
)
def test_the_inspector_lists_the_tools(tmp_path: Path, options: tuple[str, ...], expected: set[str]):
    tools = inspect(tmp_path, "tools/list", *options)["tools"]
    assert {tool["name"] for tool in tools} == expected


def test_the_inspector_lists_the_resources(tmp_path: Path):
    found = inspect(tmp_path, "resources/templates/list")["resourceTemplates"]
    assert [template["uriTemplate"] for template in found] == ["rum://memory/{id}"]
