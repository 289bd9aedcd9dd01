"""`.rumignore` has the syntax of `.gitignore`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.events.ignored_paths import FILE, Ignored, read_ignored

CASES = [
    ("*.env", "prod.env deep/er/prod.env", "prod.env.txt envs"),
    ("/build", "build/a/b.o", "src/build"),
    ("secret/", "secret/a deep/secret/a/b", "secrets/a"),
    ("docs/*.md", "docs/a.md", "docs/deep/a.md other/docs/a.md"),
    ("a/**/z", "a/z a/b/z a/b/c/z", "b/a/z a/zz"),
    ("**/cache", "cache deep/cache/x", "cached"),
    ("logs/**", "logs/a logs/b/c", "log"),
    ("*.log\n!keep.log", "a.log", "keep.log deep/keep.log"),
    ("secret/\n!secret/open", "secret/open", ""),
    ("file[0-9].txt", "file1.txt", "filex.txt file10.txt"),
    ("file[!0-9].txt", "filex.txt", "file1.txt"),
    ("what?.txt", "what1.txt", "what.txt wha/t.txt"),
    ("\\!odd", "!odd", "odd"),
    ("# a comment\n\n  \n*.key  ", "a.key", "comment"),
    ("a*b*c", "axbxc abc", "axbx acb"),
]


@pytest.mark.parametrize(("patterns", "covered", "free"), CASES)
def test_patterns_have_the_syntax_of_gitignore(patterns: str, covered: str, free: str):
    ignored = Ignored("/project", patterns)
    assert [path for path in covered.split() if not ignored.covers(path, "/project")] == []
    assert [path for path in free.split() if ignored.covers(path, "/project")] == []


@pytest.mark.parametrize(("patterns", "covered", "free"), CASES)
def test_git_gives_the_same_results(patterns: str, covered: str, free: str, tmp_path: Path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(patterns)
    for path in f"{covered} {free}".split():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        if not (tmp_path / path).exists():
            (tmp_path / path).write_text("")
    asked = "\n".join(f"{covered} {free}".split())
    answer = subprocess.run(
        ["git", "-C", str(tmp_path), "check-ignore", "--stdin"], input=asked, capture_output=True, text=True
    )
    assert answer.stdout.replace('"', "").split() == covered.split()


def test_an_unclosed_bracket_is_literal():
    assert Ignored("/project", "a[").covers("a[", "/project")


def test_a_path_is_relative_to_the_clients_directory():
    ignored = Ignored("/project", "deep/plan.md")
    assert ignored.covers("plan.md", "/project/deep")
    assert ignored.covers("/project/deep/plan.md", "/elsewhere")
    assert not ignored.covers("plan.md", "/project")
    assert not ignored.covers("/elsewhere/deep/plan.md", "/project")


def test_a_project_without_the_file_ignores_nothing(tmp_path: Path):
    assert read_ignored(str(tmp_path)) is None
    assert read_ignored(None) is None


def test_a_file_that_cannot_be_read_ignores_everything(tmp_path: Path):
    (tmp_path / FILE).mkdir()
    found = read_ignored(str(tmp_path))
    assert found
    assert found.covers("any/thing", str(tmp_path))


def test_a_file_that_is_too_large_ignores_everything(tmp_path: Path):
    (tmp_path / FILE).write_text("# x\n" * 30_000)
    found = read_ignored(str(tmp_path))
    assert found
    assert found.covers("any", str(tmp_path))


def test_a_hostile_pattern_takes_linear_time():
    ignored = Ignored("/project", "**/a" * 40 + "\n" + "*a" * 60 + "b")
    assert ignored.covers("/".join(["aa"] * 300), "/project") is not None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_pattern_and_path_can_be_matched(pattern: str, path: str):
    assert Ignored("/project", pattern).covers(path, "/project") in (True, False)


@pytest.mark.skipif(os.name == "nt", reason="makes a link")
def test_a_path_through_a_link_is_recognised(tmp_path: Path):
    real = tmp_path / "real"
    (real / "secret").mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    assert Ignored(str(real), "secret").covers(str(tmp_path / "link" / "secret" / "a"), "/")


def test_both_ends_of_a_long_output_are_kept_without_lines_that_name_an_ignored_file():
    text = "".join(f"line {n}\nplans/{n}.md: x\n" for n in range(500))
    left = Ignored("/p", "plans/").without_lines(text, "/p", 50).splitlines()
    assert left[0] == "line 0"
    assert left[-1] == "line 499"
    assert not [line for line in left if "plans" in line]
    assert len("\n".join(left)) < 150


def test_a_short_output_keeps_its_order():
    assert Ignored("/p", "plans/").without_lines("a\nb\nplans/x\nc", "/p", 50) == "a\nb\nc"
    assert Ignored("/p", "plans/").without_lines("a\nb\nc\nd", "/p", 3) == "a\nb\nc\nd"
