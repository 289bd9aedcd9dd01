"""Running git answers, or says nothing; it never hangs on or raises for what it meets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rum.repo.run_git import run_git


def test_git_answers_for_the_git_dir_it_is_given(repository: Path, git, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    printed = run_git(str(repository / ".git"), "rev-parse", "HEAD")
    monkeypatch.delenv("GIT_DIR")
    assert printed is not None
    assert printed.strip() == git(repository, "rev-parse", "HEAD")


def test_a_failure_is_no_answer(repository: Path, tmp_path: Path):
    assert run_git(str(repository / ".git"), "rev-parse", "--verify", "nothing") is None
    assert run_git(str(tmp_path / "missing"), "rev-parse", "HEAD") is None


def test_without_git_there_is_no_answer(repository: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    assert run_git(str(repository / ".git"), "rev-parse", "HEAD") is None


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_git_lying_in_the_current_directory_is_not_run(repository: Path, monkeypatch: pytest.MonkeyPatch):
    fake = repository / "git"
    fake.write_text("#!/bin/sh\necho trapped\n")
    fake.chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    assert "trapped" not in (run_git(str(repository / ".git"), "rev-parse", "HEAD") or "")
