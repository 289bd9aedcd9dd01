"""Running git returns an answer or none; it never hangs and never raises."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rum import StorageError
from rum.repo.git_process import run_git, stream_git


def test_git_answers_for_the_git_dir_it_is_given(repository: Path, git, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    printed = run_git(str(repository / ".git"), "rev-parse", "HEAD")
    monkeypatch.delenv("GIT_DIR")
    assert printed is not None
    assert printed.strip() == git(repository, "rev-parse", "HEAD")


def test_a_failing_command_returns_none(repository: Path, tmp_path: Path):
    assert run_git(str(repository / ".git"), "rev-parse", "--verify", "nothing") is None
    assert run_git(str(tmp_path / "missing"), "rev-parse", "HEAD") is None


def test_without_git_the_result_is_none(repository: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    assert run_git(str(repository / ".git"), "rev-parse", "HEAD") is None


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_git_program_in_the_current_directory_is_not_run(repository: Path, monkeypatch: pytest.MonkeyPatch):
    fake = repository / "git"
    fake.write_text("#!/bin/sh\necho trapped\n")
    fake.chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    assert "trapped" not in (run_git(str(repository / ".git"), "rev-parse", "HEAD") or "")


def test_stdin_reaches_git_and_its_output_is_returned(repository: Path):
    with stream_git(str(repository / ".git"), "hash-object", "--stdin", stdin=b"hello\n") as printed:
        assert printed.read() == b"ce013625030ba8dba906f756967f9e9ca394464a\n"


def test_a_stream_that_fails_says_why(repository: Path):
    with (
        pytest.raises(StorageError, match=r"git could not read .*fatal: .*nothing"),
        stream_git(str(repository / ".git"), "rev-list", "nothing", "--") as printed,
    ):
        printed.read()


def test_without_git_nothing_can_be_streamed(repository: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    with (
        pytest.raises(StorageError, match="git was not found on the PATH"),
        stream_git(str(repository / ".git"), "rev-parse", "HEAD"),
    ):
        pass
