"""What identifies a repository."""

from __future__ import annotations

from pathlib import Path

from rum.repo.git import GitRepository, find_git
from rum.repo.identity import (
    EMPTY,
    KNOWN,
    SHALLOW,
    UNKNOWN,
    directory_key,
    identify,
    source_repositories,
)


def open_repository(path: Path) -> GitRepository:
    found = find_git(str(path), {})
    assert found is not None
    return found


def test_only_origin_is_a_repositorys_own_remote(repository: Path, git):
    git(repository, "remote", "add", "upstream", "git@example.org:ann/tool")
    assert identify(open_repository(repository)).remotes == ("remote:example.org/ann/tool",)
    git(repository, "remote", "add", "origin", "git@example.org:team/tool")
    root = git(repository, "rev-parse", "HEAD")
    identity = identify(open_repository(repository))
    assert identity.remotes == ("remote:example.org/team/tool",)
    assert (identity.root, identity.history, identity.has_remotes) == (f"root:{root}", KNOWN, True)


def test_the_first_commit_is_that_of_the_first_parents(repository: Path, git):
    root = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "--quiet", "--orphan", "other")
    git(repository, "commit", "--quiet", "-m", "another beginning")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--allow-unrelated-histories", "-m", "both", "other")
    assert identify(open_repository(repository)).root == f"root:{root}"


def test_replaced_and_grafted_history_does_not_hide_the_first_commit(repository: Path, git):
    root = git(repository, "rev-parse", "HEAD")
    (repository / "main.py").write_text("second")
    git(repository, "commit", "--quiet", "-am", "second")
    second = git(repository, "rev-parse", "HEAD")
    git(repository, "replace", "--graft", second)
    (repository / ".git" / "info" / "grafts").write_text(f"{second}\n")
    assert identify(open_repository(repository)).root == f"root:{root}"


def test_an_empty_repository_is_identified_by_its_path(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "new")
    identity = identify(open_repository(tmp_path / "new"))
    assert (identity.history, identity.has_remotes, identity.remotes) == (EMPTY, False, ())
    assert identity.path_key is not None
    assert identity.path_key.split("@")[0] == directory_key(str(tmp_path / "new" / ".git"))


def test_a_shallow_repository_has_no_first_commit(repository: Path, git, tmp_path: Path):
    (repository / "main.py").write_text("second")
    git(repository, "commit", "--quiet", "-am", "second")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "shallow")
    git(tmp_path / "shallow", "remote", "set-url", "origin", "git@example.org:tool")
    identity = identify(open_repository(tmp_path / "shallow"))
    assert (identity.remotes, identity.root) == (("remote:example.org/tool",), None)
    assert identity.history == SHALLOW


def test_a_remote_on_this_machine_is_followed_through_all_its_forms(repository: Path, git, tmp_path: Path):
    git(tmp_path, "clone", "--quiet", "--bare", "tool", "hub.git")
    git(tmp_path, "clone", "--quiet", "hub.git", "clone")
    for url in ("../hub", "../hub.git", str(tmp_path / "hub.git"), f"file://{tmp_path}/hub.git"):
        git(tmp_path / "clone", "remote", "set-url", "origin", url)
        (source,) = source_repositories(identify(open_repository(tmp_path / "clone")))
        assert source.common_dir == str(tmp_path / "hub.git")


def test_missing_remotes_are_handled(repository: Path, git):
    git(repository, "remote", "add", "gone", "/nowhere/at/all")
    git(repository, "remote", "add", "odd", "../main.py")
    root = git(repository, "rev-parse", "HEAD")
    identity = identify(open_repository(repository))
    assert source_repositories(identity) == []
    assert identity.root == f"root:{root}"


def test_a_repository_with_nothing_but_a_dead_remote_is_identified_by_its_path(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "new")
    git(tmp_path / "new", "remote", "add", "origin", "/nowhere/at/all")
    identity = identify(open_repository(tmp_path / "new"))
    assert identity.has_remotes
    assert identity.path_key is not None


def test_without_an_answer_from_git_the_history_is_unknown(repository: Path, git):
    commit = git(repository, "rev-parse", "HEAD")
    (repository / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    identity = identify(open_repository(repository))
    assert identity.history == UNKNOWN
    assert identity.path_key is not None
