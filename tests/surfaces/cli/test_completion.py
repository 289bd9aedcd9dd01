"""Shell completion: the scripts, and the words they offer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rum.surfaces.cli.commands import ALL
from surfaces.cli.running import Run


@pytest.fixture
def completed(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """The completions of the last word."""

    def completed(*words: str) -> list[str]:
        monkeypatch.setenv("_RUM_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        ran = run()
        assert ran.code == 0
        return [line.partition(",")[2] for line in ran.out.splitlines() if line]

    return completed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(run: Run, shell: str):
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert f"_RUM_COMPLETE={shell}_complete" in ran.out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["rum", "rec"], "recall"),
        (["rum", "--pro"], "--project"),
        (["rum", "recall", "--min"], "--min-confidence"),
        (["rum", "recall", "--js"], "--json"),
        (["rum", "recall", "--type", "bug"], "bug_fix"),
        (["rum", "--project", "x", "link", "a", "super"], "supersedes"),
        (["rum", "completion", "z"], "zsh"),
        (["rum", "mcp", "--to"], "--tools"),
        (["rum", "mcp", "--ag"], "--agent"),
        (["rum", "projects", "jo"], "join"),
    ],
)
def test_completion_offers_matching_words(
    completed: Callable[..., list[str]], words: list[str], offered: str
):
    found = completed(*words)
    assert offered in found
    assert all(word.startswith(words[-1]) for word in found)


@pytest.mark.parametrize("words", [["rum", "mcp", "--js"], ["rum", "zzz"]])
def test_completion_offers_nothing_that_does_not_match(completed: Callable[..., list[str]], words: list[str]):
    assert completed(*words) == []


@pytest.mark.parametrize("begun", ["", "re", "p"])
def test_completion_offers_every_command_that_begins_so(completed: Callable[..., list[str]], begun: str):
    assert completed("rum", begun) == [name for name in ALL if name.startswith(begun)]


@pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="needs bash")
def test_bash_completes_with_the_printed_script(project: Path, tmp_path: Path):
    program = tmp_path / "rum-bin" / "rum"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rum "$@"\n')
    program.chmod(0o755)
    script = (
        'source <("rum" completion bash); COMP_WORDS=(rum recall --failures); COMP_CWORD=2; '
        '"$(complete -p rum | sed "s/.*-F \\([^ ]*\\).*/\\1/")" rum; echo "${COMPREPLY[@]}"'
    )
    ran = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert ran.stdout == "--failures-only\n", ran.stderr
