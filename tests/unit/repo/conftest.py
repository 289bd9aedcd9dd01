"""Real git repositories for the tests of this package."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture(autouse=True)
def own_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("RUM_", "GIT_"))]:
        monkeypatch.delenv(name)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ann@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def git() -> Git:
    def run(cwd: Path, *arguments: str) -> str:
        command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments]
        return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit."""
    path = tmp_path / "tool"
    path.mkdir()
    git(path, "init", "--quiet")
    (path / "main.py").write_text("print('hello')\n")
    git(path, "add", ".")
    git(path, "commit", "--quiet", "-m", "first")
    return path
