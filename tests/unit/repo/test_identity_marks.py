"""A repository is told from another one in its place, and known again when only a part of it changed."""

from __future__ import annotations

import os
from pathlib import Path

from rum.repo.identity_marks import birthmark, directory_traces, is_same, is_untouched, repository_traces


def renew(path: Path) -> None:
    """Write a file anew where it lies, as when its inode is given out again."""
    inode = path.stat().st_ino
    later = path.stat().st_mtime_ns + 5_000_000_000
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(later, later))
    assert path.stat().st_ino == inode


def test_the_same_inodes_with_other_times_are_another_repository(repository: Path):
    git_dir = repository / ".git"
    before, mark = repository_traces(str(git_dir)), birthmark(str(git_dir))
    for name in ("description", "config", "HEAD"):
        renew(git_dir / name)
    now = repository_traces(str(git_dir))
    assert not is_same(now, before)
    assert not is_untouched(now, before)
    assert birthmark(str(git_dir)) != mark


def test_the_same_times_and_sizes_with_other_content_are_noticed(repository: Path):
    config = repository / ".git" / "config"
    before = repository_traces(str(repository / ".git"))
    state = config.stat()
    config.write_bytes(config.read_bytes().replace(b"true", b"yes "))
    os.utime(config, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert config.stat().st_size == state.st_size
    assert not is_untouched(repository_traces(str(repository / ".git")), before)


def test_a_new_remote_and_a_new_branch_leave_the_repository_the_same(repository: Path, git):
    before, mark = repository_traces(str(repository / ".git")), birthmark(str(repository / ".git"))
    git(repository, "remote", "add", "origin", "https://example.org/tool")
    git(repository, "checkout", "--quiet", "-b", "work")
    now = repository_traces(str(repository / ".git"))
    assert is_same(now, before)
    assert not is_untouched(now, before)
    assert birthmark(str(repository / ".git")) == mark


def test_commits_and_checkouts_leave_it_untouched(repository: Path, git):
    before = repository_traces(str(repository / ".git"))
    (repository / "main.py").write_text("more")
    git(repository, "commit", "--quiet", "-am", "second")
    git(repository, "checkout", "--quiet", "--detach")
    assert is_untouched(repository_traces(str(repository / ".git")), before)


def test_without_a_template_one_lasting_file_is_enough(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "--template=", "bare-bones")
    git_dir = tmp_path / "bare-bones" / ".git"
    before = repository_traces(str(git_dir))
    git(tmp_path / "bare-bones", "remote", "add", "origin", "https://example.org/tool")
    assert is_same(repository_traces(str(git_dir)), before)


def test_nothing_is_never_the_same_as_nothing(tmp_path: Path):
    nothing = repository_traces(str(tmp_path))
    assert not is_same(nothing, nothing)
    assert not is_untouched(nothing, nothing)
    assert not is_same([], [])
    assert is_same(directory_traces(str(tmp_path)), directory_traces(str(tmp_path)))
