"""Claude Code and Codex as programs, each in its own home, with a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from e2e.scripted_model import Planned, ScriptedModel

PACKAGES = {
    "claude-code": "@anthropic-ai/claude-code@2.1.325",
    "codex": "@openai/codex@0.166.0",
    "gemini": "@google/gemini-cli@0.61.0",
}
# Variables that name an installed program, to use instead of one from npx.
VARIABLES = {"claude-code": "RUM_E2E_CLAUDE", "codex": "RUM_E2E_CODEX", "gemini": "RUM_E2E_GEMINI"}
TIMEOUT = 600
PATIENCE = 60


class Desk(NamedTuple):
    """A scratch repository and a user's home."""

    project: Path
    home: Path

    def environment(self, **more: str) -> dict[str, str]:
        """Nothing of the machine's but where programs are and what npm has fetched."""
        kept = {
            name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ
        }
        npm = {
            "npm_config_cache": str(Path.home() / ".npm"),
            "npm_config_userconfig": str(Path.home() / ".npmrc"),
        }
        npm |= {name: value for name, value in os.environ.items() if name.lower().startswith("npm_config_")}
        return {**kept, **npm, "HOME": str(self.home), "NO_COLOR": "1", "TERM": "dumb", **more}

    def rum(self, *arguments: str) -> str:
        """What `rum` prints here."""
        command = [sys.executable, "-m", "rum", *arguments]
        ran = subprocess.run(
            command, cwd=self.project, env=self.environment(), capture_output=True, text=True, check=True
        )
        return ran.stdout

    def memories(self) -> list[dict[str, Any]]:
        """All there are, newest first."""
        return json.loads(self.rum("list", "--json"))["memories"]

    def wait_for_memories(self, number: int) -> list[dict[str, Any]]:
        """As many as there should be: they are made by a process that the client does not wait for."""
        deadline = time.monotonic() + PATIENCE
        while len(found := self.memories()) < number:
            assert time.monotonic() < deadline, self.rum("events")
            time.sleep(0.3)
        return found


def make_desk(folder: Path, files: dict[str, str]) -> Desk:
    """A repository with files, and an empty home."""
    desk = Desk(folder / "shop", folder / "user")
    desk.home.mkdir()
    desk.project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=desk.project, check=True)
    write(desk, files)
    return desk


def write(desk: Desk, files: dict[str, str]) -> None:
    """Put files into the repository as they are given."""
    for name, content in files.items():
        (desk.project / name).write_text(content, encoding="utf-8")


def session(client: str, desk: Desk, prompt: str, steps: Sequence[Planned], **more: str) -> ScriptedModel:
    """Run a new session of a client, headless, with more variables; the model with all it was asked."""
    with ScriptedModel(list(steps)) as model:
        command, variables = _claude(prompt, model) if client == "claude-code" else _codex(prompt, model)
        ran = subprocess.run(
            [*program(client), *command],
            cwd=desk.project,
            env=desk.environment(**variables, **more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return model


def program(client: str) -> list[str]:
    """The words that start a client."""
    if named := os.environ.get(VARIABLES[client]):
        return [named]
    npx = shutil.which("npx")
    assert npx, "`make e2e` needs node and npm"
    return [npx, "--yes", PACKAGES[client]]


def _claude(prompt: str, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    command = ["-p", prompt, "--allowedTools", "Bash,Edit,Read,mcp__rum"]
    variables = {
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": model.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return command, variables


def _codex(prompt: str, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    provider = {"name": "scripted", "base_url": f"{model.url}/v1", "wire_api": "responses", "env_key": "KEY"}
    command = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    # The one thing that `rum install` leaves to the user: to trust the hooks.
    command += ["--dangerously-bypass-hook-trust", "-c", 'model_provider="scripted"']
    for name, value in provider.items():
        command += ["-c", f"model_providers.scripted.{name}={json.dumps(value)}"]
    return [*command, prompt], {"KEY": "none"}
