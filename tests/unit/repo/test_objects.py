"""Which commits a repository holds itself: what it borrows or only names does not count."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest

from rum.repo.git import GitRepository, find_git
from rum.repo.joining import holds_any


def open_repository(path: Path) -> GitRepository:
    found = find_git(str(path), {})
    assert found is not None
    return found


@pytest.mark.parametrize("packed", [False, True])
def test_loose_and_packed_commits_are_held(repository: Path, git, packed: bool):
    sha = git(repository, "rev-parse", "HEAD")
    if packed:
        git(repository, "gc", "--quiet")
    assert holds_any(open_repository(repository), ["0" * 40, sha])
    assert not holds_any(open_repository(repository), ["0" * 40, "not a commit", ""])


def test_a_tree_or_a_file_is_no_commit(repository: Path, git):
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    assert not holds_any(open_repository(repository), [tree])


def test_borrowed_objects_do_not_count_and_own_ones_beside_them_do(repository: Path, git, tmp_path: Path):
    theirs = git(repository, "rev-parse", "HEAD")
    git(tmp_path, "clone", "--quiet", "--shared", "tool", "borrower")
    borrower = tmp_path / "borrower"
    assert git(borrower, "cat-file", "-t", theirs) == "commit"
    assert not holds_any(open_repository(borrower), [theirs])
    git(borrower, "commit", "--quiet", "--allow-empty", "-m", "own")
    own = git(borrower, "rev-parse", "HEAD")
    assert holds_any(open_repository(borrower), [theirs, own])


@pytest.mark.parametrize("part", ["", "folder", "file", "pack"])
def test_linked_objects_do_not_count(repository: Path, git, tmp_path: Path, part: str):
    sha = git(repository, "rev-parse", "HEAD")
    if part == "pack":
        git(repository, "gc", "--quiet")
    git(tmp_path, "init", "--quiet", "hostile")
    own, theirs = tmp_path / "hostile/.git/objects", repository / ".git/objects"
    if part in ("", "pack"):
        shutil.rmtree(own / part)
        (own / part).symlink_to(theirs / part)
    elif part == "folder":
        (own / sha[:2]).symlink_to(theirs / sha[:2])
    else:
        (own / sha[:2]).mkdir()
        (own / sha[:2] / sha[2:]).symlink_to(theirs / sha[:2] / sha[2:])
    assert git(tmp_path / "hostile", "cat-file", "-t", sha) == "commit"
    assert not holds_any(open_repository(tmp_path / "hostile"), [sha])


def test_another_object_under_a_commits_name_does_not_count(repository: Path, git, tmp_path: Path):
    sha = git(repository, "rev-parse", "HEAD")
    git(tmp_path, "init", "--quiet", "hostile")
    content = b"tree " + b"0" * 40 + b"\nauthor A <a> 0 +0000\ncommitter A <a> 0 +0000\n\nx\n"
    forged = tmp_path / "hostile/.git/objects" / sha[:2] / sha[2:]
    forged.parent.mkdir()
    forged.write_bytes(zlib.compress(b"commit %d\0" % len(content) + content))
    assert git(tmp_path / "hostile", "cat-file", "-t", sha) == "commit"
    assert not holds_any(open_repository(tmp_path / "hostile"), [sha])
