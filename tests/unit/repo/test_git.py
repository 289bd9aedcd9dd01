"""What can be read from a git repository without running git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rum.repo.git import GitRepository, discover, find_git, head, is_shallow, open_source


def open_repository(cwd: Path, environ: dict[str, str] | None = None) -> GitRepository:
    opened = find_git(str(cwd), environ or {})
    assert opened is not None
    return opened


def test_a_checkout_is_found_from_any_directory_in_it(repository: Path):
    (repository / "a" / "b").mkdir(parents=True)
    opened = open_repository(repository / "a" / "b")
    assert opened == (str(repository), str(repository / ".git"), str(repository / ".git"))
    assert open_repository(repository / ".git" / "hooks") == opened


def test_a_link_into_a_checkout_leads_to_it(repository: Path, tmp_path: Path):
    (repository / "a").mkdir()
    (tmp_path / "link").symlink_to(repository / "a")
    assert open_repository(tmp_path / "link").root == str(repository)


def test_outside_of_every_repository_there_is_none(tmp_path: Path):
    assert find_git(str(tmp_path), {}) is None


@pytest.mark.parametrize("content", ["gitdir: /nowhere\n", "nonsense", "", "gitdir: \0"])
def test_a_broken_git_file_is_no_repository(tmp_path: Path, content: str):
    (tmp_path / ".git").write_text(content)
    assert find_git(str(tmp_path), {}) is None


def test_a_directory_that_only_looks_like_git_is_no_repository(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert find_git(str(tmp_path), {}) is None


def test_a_worktree_has_its_own_git_dir_and_the_common_one(repository: Path, git, tmp_path: Path):
    git(repository, "worktree", "add", "--quiet", "../fix", "-b", "fix")
    opened = open_repository(tmp_path / "fix")
    assert opened.root == str(tmp_path / "fix")
    assert opened.git_dir == str(repository / ".git" / "worktrees" / "fix")
    assert opened.common_dir == str(repository / ".git")
    assert head(opened) == (git(repository, "rev-parse", "HEAD"), "fix")


def test_a_git_dir_in_another_folder_is_followed(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "--separate-git-dir", "kept", "tree")
    assert open_repository(tmp_path / "tree") == (
        str(tmp_path / "tree"),
        str(tmp_path / "kept"),
        str(tmp_path / "kept"),
    )


def test_a_bare_repository_is_taken_only_if_it_is_named(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "--bare", "hub.git")
    hub = tmp_path / "hub.git"
    assert find_git(str(hub / "refs"), {}) is None
    opened = open_repository(hub, {"GIT_DIR": str(hub)})
    assert opened.root == opened.git_dir == str(hub)
    assert open_source(str(hub), {}) == opened


def test_a_folder_in_a_work_tree_that_looks_like_a_bare_repository_is_none(repository: Path):
    for name in ("objects", "refs"):
        (repository / "fake" / name).mkdir(parents=True)
    (repository / "fake" / "HEAD").write_text("ref: refs/heads/main\n")
    assert open_repository(repository / "fake" / "refs").root == str(repository)


def test_a_commondir_in_a_git_directory_is_refused(repository: Path, tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "hostile")
    (tmp_path / "hostile/.git/commondir").write_text(str(repository / ".git"))
    found, refused = discover(str(tmp_path / "hostile"), {})
    assert found is None
    assert refused is not None
    assert "commondir" in refused.reason


@pytest.mark.parametrize("target", [".git", ".git/worktrees/fix", ".git/modules/x"])
def test_a_git_file_that_names_another_folders_git_dir_is_refused(
    repository: Path, git, tmp_path: Path, target: str
):
    git(repository, "worktree", "add", "--quiet", "../fix", "-b", "fix")
    (repository / ".git" / "modules").mkdir()
    git(tmp_path, "clone", "--quiet", "--separate-git-dir", "tool/.git/modules/x", "tool", "sub")
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / ".git").write_text(f"gitdir: {repository / target}\n")
    found, refused = discover(str(tmp_path / "hostile"), {})
    assert found is None
    assert refused is not None
    assert refused.folder == str(tmp_path / "hostile")


def test_a_link_to_another_folders_git_dir_is_refused(repository: Path, tmp_path: Path):
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / ".git").symlink_to(repository / ".git")
    found, refused = discover(str(tmp_path / "hostile"), {})
    assert found is None
    assert refused is not None


def test_a_git_file_may_name_a_git_dir_in_its_own_folder(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "--bare", "project/.bare")
    (tmp_path / "project/.git").write_text("gitdir: ./.bare\n")
    opened = open_repository(tmp_path / "project")
    assert opened.common_dir == str(tmp_path / "project/.bare")
    assert opened.root == str(tmp_path / "project")


def test_a_submodule_is_found_if_superproject_and_git_dir_name_each_other(
    repository: Path, git, tmp_path: Path
):
    git(tmp_path, "clone", "--quiet", "tool", "library")
    git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "vendor/library")
    opened = open_repository(repository / "vendor/library")
    assert opened.git_dir == str(repository / ".git/modules/vendor/library")
    git(repository, "config", "-f", ".git/modules/vendor/library/config", "core.worktree", "../../../../..")
    assert find_git(str(repository / "vendor/library"), {}) is None


def test_discovery_stops_at_the_ceiling_that_git_has(repository: Path):
    (repository / "a" / "b").mkdir(parents=True)
    assert find_git(str(repository / "a" / "b"), {"GIT_CEILING_DIRECTORIES": str(repository)}) is None
    assert find_git(str(repository / "a" / "b"), {"GIT_CEILING_DIRECTORIES": str(repository.parent)})


needs_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away"
)


@needs_root
@pytest.mark.parametrize("part", ["", ".git"])
def test_another_users_repository_is_refused_unless_it_is_listed(repository: Path, tmp_path: Path, part: str):
    os.chown(repository / part, 65534, 65534)
    found, refused = discover(str(repository), {"HOME": str(tmp_path)})
    assert found is None
    assert refused is not None
    assert f"safe.directory {repository}" in refused.reason
    assert find_git(str(repository), {"HOME": str(tmp_path), "SUDO_UID": "65534"})
    listed = tmp_path / ".gitconfig"
    for value, expected in (("*", True), (str(repository), True), (f"{tmp_path}/*", True), ("/x", False)):
        listed.write_text(f"[safe]\n\tdirectory = {value}\n")
        assert (find_git(str(repository), {"HOME": str(tmp_path)}) is not None) is expected
    listed.write_text("[safe]\n\tdirectory = *\n\tdirectory =\n")
    assert find_git(str(repository), {"HOME": str(tmp_path)}) is None


@needs_root
def test_a_repositorys_own_config_cannot_make_it_safe(repository: Path, tmp_path: Path, git):
    git(repository, "config", "safe.directory", "*")
    os.chown(repository, 65534, 65534)
    assert find_git(str(repository), {"HOME": str(tmp_path)}) is None


def test_git_dir_in_the_environment_wins_for_its_own_work_tree_only(repository: Path, git, tmp_path: Path):
    git(repository, "worktree", "add", "--quiet", "../fix", "-b", "fix")
    inside = open_repository(tmp_path / "fix", {"GIT_DIR": str(repository / ".git" / "worktrees" / "fix")})
    assert inside.root == str(tmp_path / "fix")
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "--quiet")
    other = open_repository(tmp_path / "other", {"GIT_DIR": str(repository / ".git")})
    assert other.root == str(tmp_path / "other")
    (tmp_path / "tree").mkdir()
    environ = {"GIT_DIR": "../tool/.git", "GIT_WORK_TREE": "."}
    assert open_repository(tmp_path / "tree", environ) == (
        str(tmp_path / "tree"),
        str(repository / ".git"),
        str(repository / ".git"),
    )
    assert find_git(str(tmp_path / "tree"), {"GIT_DIR": "/nowhere"}) is None


def test_the_head_is_read_from_loose_and_packed_refs(repository: Path, git):
    commit = git(repository, "rev-parse", "HEAD")
    assert head(open_repository(repository)) == (commit, "main")
    git(repository, "checkout", "--quiet", "-b", "topic/deep")
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git/refs/heads/topic/deep").exists()
    assert head(open_repository(repository)) == (commit, "topic/deep")


def test_a_detached_head_has_no_branch(repository: Path, git):
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "--quiet", "--detach")
    assert head(open_repository(repository)) == (commit, None)


def test_before_the_first_commit_there_is_only_a_branch(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "new")
    assert head(open_repository(tmp_path / "new")) == (None, "main")


def test_a_symbolic_ref_is_followed_but_not_in_circles(repository: Path, git):
    git(repository, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(repository, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert head(open_repository(repository)) == (git(repository, "rev-parse", "HEAD"), "alias")
    (repository / ".git/refs/heads/a").write_text("ref: refs/heads/b\n")
    (repository / ".git/refs/heads/b").write_text("ref: refs/heads/a\n")
    (repository / ".git/HEAD").write_text("ref: refs/heads/a\n")
    assert head(open_repository(repository)) == (None, "a")


@pytest.mark.parametrize(
    "content", ["ref: refs/../../secret", "ref: ../secret", "ref: /etc/passwd", "rubbish", "", "\0"]
)
def test_a_hostile_head_is_ignored(repository: Path, content: str):
    (repository / "secret").write_text("a" * 40)
    (repository / ".git/HEAD").write_text(content)
    opened = open_repository(repository)
    assert head(opened) == (None, None)


def test_a_pipe_in_place_of_a_file_does_not_block(repository: Path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs named pipes")
    (repository / ".git/HEAD").unlink()
    os.mkfifo(repository / ".git/HEAD")
    assert head(open_repository(repository)) == (None, None)


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_git_is_run_for_a_repository_with_reftables(repository: Path, git, monkeypatch: pytest.MonkeyPatch):
    """The installed git cannot create one, so HEAD is written by hand and a fake `git` answers."""
    (repository / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    fake = repository / "bin" / "git"
    fake.parent.mkdir()
    answers = 'case "$*" in *rev-parse*) echo ' + "a" * 40 + ";; *symbolic-ref*) echo main;; esac"
    fake.write_text(f"#!/bin/sh\n{answers}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    assert head(open_repository(repository)) == ("a" * 40, "main")


def test_a_shallow_clone_is_recognised(repository: Path, git, tmp_path: Path):
    (repository / "main.py").write_text("changed")
    git(repository, "commit", "--quiet", "-am", "second")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "shallow")
    assert is_shallow(open_repository(tmp_path / "shallow"))
    assert not is_shallow(open_repository(repository))
