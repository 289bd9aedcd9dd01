"""The repository, home and memory of one story, and the programs that work on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.capture.stories import Story
from benchmarks.capture.warm import WarmPrograms

PATIENCE = 180  # Seconds after which a program is given up
_SETTLE_ROUNDS = 4
# A hook that may take its time: what it would say is asked, not how fast.
_UNHURRIED = (
    "import rum.surfaces.hooks.watchdog as watchdog\n"
    "watchdog.Watchdog.start = lambda self: None\n"
    "from rum.surfaces.hooks.main import run; run(['claude-code'])"
)


class Place:
    """A fresh git repository with the story's files, and an empty RUM_HOME."""

    def __init__(self, root: Path, warm: WarmPrograms | None = None) -> None:
        self.root = root.resolve()
        self.home = self.root / "home"
        self.rum_home = self.home / ".rum"
        self.project = self.root / "project"
        self._warm = warm
        self.env = _environment(self.home, self.rum_home)
        self.home.mkdir(parents=True)

    def build(self, story: Story) -> None:
        """Write the files, run the setup, and commit everything."""
        self.project = self.root / story.get("repo", "project")
        self.project.mkdir()
        for name, content in story.get("files", {}).items():
            target = self.project / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        commit = "git add -A && git commit -q -m 'Initial import'"
        for command in ("git init -q -b main .", *story.get("setup", ()), commit):
            done = self.run(["bash", "-c", command])
            if done.returncode:
                raise RuntimeError(f"setup {command!r} failed: {done.stderr[-300:]}")

    def run(
        self, command: list[str], *, given: str = "", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in the repository."""
        return subprocess.run(
            command, cwd=self.project, env=env or self.env, input=given, capture_output=True,
            encoding="utf-8", errors="replace", timeout=PATIENCE, check=False,
        )  # fmt: skip

    def rum(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        """The output of `rum` with these arguments."""
        if self._warm:
            return self._warm.call("rum", list(arguments), self.project, env or self.env)
        return self.run([sys.executable, "-m", "rum", *arguments], env=env).stdout

    def hook(
        self, payload: dict[str, Any], *, env: dict[str, str] | None = None, unhurried: bool = False
    ) -> str:
        """What the hook tells the agent about this payload."""
        given = json.dumps(payload)
        if self._warm:
            name = "unhurried hook" if unhurried else "hook"
            output = self._warm.call(name, ["claude-code"], self.project, env or self.env, given)
        elif unhurried:
            output = self.run([sys.executable, "-c", _UNHURRIED], given=given, env=env).stdout
        else:
            program = Path(sys.executable).with_name("rum-hook")
            output = self.run([str(program), "claude-code"], given=given, env=env).stdout
        return told_by(output)

    def settle(self) -> None:
        """Turn everything seen into memories."""
        for _ in range(_SETTLE_ROUNDS):
            self.rum("tidy", "--wait")
            if json.loads(self.rum("events", "--limit", "1", "--json") or "{}").get("open_turns") == 0:
                return


def told_by(output: str) -> str:
    """The text that a hook's output gives to the agent."""
    try:
        answer = json.loads(output) if output.strip() else {}
    except ValueError:
        return output
    specific = answer.get("hookSpecificOutput") or {}
    return specific.get("additionalContext") or answer.get("systemMessage") or ""


def _environment(home: Path, rum_home: Path) -> dict[str, str]:
    kept = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "PYENV_ROOT")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    author = {"NAME": "Dev", "EMAIL": "dev@example.org"}
    return {
        **inherited,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), inherited.get("PATH", ""))),
        "HOME": str(home),
        "RUM_HOME": str(rum_home),
        **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in author.items()},
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # quicker; stories use plain pytest
    }
