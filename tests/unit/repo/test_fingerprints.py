"""A replaced repository is noticed, and a changed one is recognised."""

from __future__ import annotations

import os
from pathlib import Path

from rum.repo.identity import (
    any_fingerprint_matches,
    creation_fingerprint,
    directory_fingerprints,
    is_config_unchanged,
    repository_fingerprints,
)


def renew(path: Path) -> None:
    """Overwrite a file in place, as when the system reuses its inode."""
    inode = path.stat().st_ino
    later = path.stat().st_mtime_ns + 5_000_000_000
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(later, later))
    assert path.stat().st_ino == inode


def test_the_same_inodes_with_other_times_are_another_repository(repository: Path):
    git_dir = repository / ".git"
    before, mark = repository_fingerprints(str(git_dir)), creation_fingerprint(str(git_dir))
    for name in ("description", "config", "HEAD"):
        renew(git_dir / name)
    now = repository_fingerprints(str(git_dir))
    assert not any_fingerprint_matches(now, before)
    assert not is_config_unchanged(now, before)
    assert creation_fingerprint(str(git_dir)) != mark


def test_the_same_times_and_sizes_with_other_content_are_noticed(repository: Path):
    config = repository / ".git" / "config"
    before = repository_fingerprints(str(repository / ".git"))
    state = config.stat()
    config.write_bytes(config.read_bytes().replace(b"true", b"yes "))
    os.utime(config, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert config.stat().st_size == state.st_size
    assert not is_config_unchanged(repository_fingerprints(str(repository / ".git")), before)


def test_a_new_remote_and_a_new_branch_leave_the_repository_the_same(repository: Path, git):
    before, mark = (
        repository_fingerprints(str(repository / ".git")),
        creation_fingerprint(str(repository / ".git")),
    )
    git(repository, "remote", "add", "origin", "https://example.org/tool")
    git(repository, "checkout", "--quiet", "-b", "work")
    now = repository_fingerprints(str(repository / ".git"))
    assert any_fingerprint_matches(now, before)
    assert not is_config_unchanged(now, before)
    assert creation_fingerprint(str(repository / ".git")) == mark


def test_commits_and_checkouts_leave_the_config_unchanged(repository: Path, git):
    before = repository_fingerprints(str(repository / ".git"))
    (repository / "main.py").write_text("more")
    git(repository, "commit", "--quiet", "-am", "second")
    git(repository, "checkout", "--quiet", "--detach")
    assert is_config_unchanged(repository_fingerprints(str(repository / ".git")), before)


def test_without_a_template_one_unchanged_file_is_enough(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "--template=", "bare-bones")
    git_dir = tmp_path / "bare-bones" / ".git"
    before = repository_fingerprints(str(git_dir))
    git(tmp_path / "bare-bones", "remote", "add", "origin", "https://example.org/tool")
    assert any_fingerprint_matches(repository_fingerprints(str(git_dir)), before)


def test_empty_fingerprints_never_match(tmp_path: Path):
    nothing = repository_fingerprints(str(tmp_path))
    assert not any_fingerprint_matches(nothing, nothing)
    assert not is_config_unchanged(nothing, nothing)
    assert not any_fingerprint_matches([], [])
    assert any_fingerprint_matches(
        directory_fingerprints(str(tmp_path)), directory_fingerprints(str(tmp_path))
    )
