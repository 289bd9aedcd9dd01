"""The keys that identify a repository."""

from __future__ import annotations

from pathlib import Path

from rum.repo.git import GitRepository, find_git
from rum.repo.identity import EMPTY, KNOWN, SHALLOW, UNKNOWN, directory_key, repository_keys


def open_repository(path: Path) -> GitRepository:
    found = find_git(str(path), {})
    assert found is not None
    return found


def test_remotes_come_first_and_origin_before_the_others(repository: Path, git):
    git(repository, "remote", "add", "fork", "git@example.org:ann/tool")
    git(repository, "remote", "add", "origin", "git@example.org:team/tool")
    root = git(repository, "rev-parse", "HEAD")
    assert repository_keys(open_repository(repository)) == (
        ("remote:example.org/team/tool", "remote:example.org/ann/tool", f"root:{root}"),
        KNOWN,
        True,
    )


def test_the_first_commit_is_that_of_the_first_parents(repository: Path, git):
    root = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "--quiet", "--orphan", "other")
    git(repository, "commit", "--quiet", "-m", "another beginning")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--allow-unrelated-histories", "-m", "both", "other")
    assert repository_keys(open_repository(repository))[0] == (f"root:{root}",)


def test_replaced_and_grafted_history_does_not_hide_the_first_commit(repository: Path, git):
    root = git(repository, "rev-parse", "HEAD")
    (repository / "main.py").write_text("second")
    git(repository, "commit", "--quiet", "-am", "second")
    second = git(repository, "rev-parse", "HEAD")
    git(repository, "replace", "--graft", second)
    (repository / ".git" / "info" / "grafts").write_text(f"{second}\n")
    assert repository_keys(open_repository(repository))[0] == (f"root:{root}",)


def test_an_empty_repository_is_identified_by_its_path(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "new")
    keys, history, has_remotes = repository_keys(open_repository(tmp_path / "new"))
    assert (history, has_remotes) == (EMPTY, False)
    assert [key.split("@")[0] for key in keys] == [directory_key(str(tmp_path / "new" / ".git"))]


def test_a_shallow_repository_has_no_first_commit(repository: Path, git, tmp_path: Path):
    (repository / "main.py").write_text("second")
    git(repository, "commit", "--quiet", "-am", "second")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "shallow")
    git(tmp_path / "shallow", "remote", "set-url", "origin", "git@example.org:tool")
    assert repository_keys(open_repository(tmp_path / "shallow")) == (
        ("remote:example.org/tool",),
        SHALLOW,
        True,
    )


def test_a_remote_on_this_machine_is_followed_through_all_its_forms(repository: Path, git, tmp_path: Path):
    git(repository, "remote", "add", "origin", "git@example.org:team/tool")
    git(tmp_path, "clone", "--quiet", "--bare", "tool", "hub.git")
    git(tmp_path / "hub.git", "remote", "set-url", "origin", "../tool")
    git(tmp_path, "clone", "--quiet", "hub.git", "clone")
    for url in ("../hub", "../hub.git", str(tmp_path / "hub.git"), f"file://{tmp_path}/hub.git"):
        git(tmp_path / "clone", "remote", "set-url", "origin", url)
        assert "remote:example.org/team/tool" in repository_keys(open_repository(tmp_path / "clone"))[0]


def test_circular_and_missing_remotes_are_handled(repository: Path, git, tmp_path: Path):
    git(tmp_path, "clone", "--quiet", "tool", "clone")
    git(repository, "remote", "add", "origin", "../clone")
    git(repository, "remote", "add", "gone", "/nowhere/at/all")
    git(repository, "remote", "add", "odd", "../main.py")
    root = git(repository, "rev-parse", "HEAD")
    assert repository_keys(open_repository(repository))[0] == (f"root:{root}",)


def test_a_repository_with_nothing_but_a_dead_remote_is_identified_by_its_path(tmp_path: Path, git):
    git(tmp_path, "init", "--quiet", "new")
    git(tmp_path / "new", "remote", "add", "origin", "/nowhere/at/all")
    keys, _, has_remotes = repository_keys(open_repository(tmp_path / "new"))
    assert has_remotes
    assert keys[0].startswith("dir:")


def test_without_an_answer_from_git_the_history_is_unknown(repository: Path, git):
    commit = git(repository, "rev-parse", "HEAD")
    (repository / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    keys, history, _ = repository_keys(open_repository(repository))
    assert history == UNKNOWN
    assert keys[0].startswith("dir:")
