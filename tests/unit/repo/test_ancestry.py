"""What became of commits that are not part of the checkout, in real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum.repo.ancestry import ABANDONED, compare_commits
from rum.repo.git import GitRepository, find_git
from support.repositories import Repository


def outside(git: GitRepository, commits: list[str], known: dict[str, str] | None = None) -> dict[str, str]:
    """The branches of the commits that are not part of the checkout."""
    found = compare_commits(git, commits, known)
    assert found
    assert found.inside == set(commits) - found.outside.keys()
    return found.outside


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "shop")
    repository.commit("Begin", {"a.py": "1\n", "b.py": "1\n"})
    return repository


@pytest.fixture
def git(repository: Repository) -> GitRepository:
    found = find_git(str(repository.root))
    assert found
    return found


@pytest.fixture
def feature(repository: Repository) -> list[str]:
    """Two commits on a branch; `main` has gone on, and is checked out."""
    repository.git("checkout", "--quiet", "-b", "feature/cache")
    commits = [repository.commit("Cache", {"a.py": "2\n"}), repository.commit("Use it", {"b.py": "2\n"})]
    repository.git("checkout", "--quiet", "main")
    repository.commit("Go on", {"c.py": "1\n"})
    return commits


def test_commits_of_another_branch_are_named_with_it(git: GitRepository, feature: list[str]):
    assert outside(git, feature) == dict.fromkeys(feature, "feature/cache")


def test_a_merge_makes_them_part_of_the_checkout(
    repository: Repository, git: GitRepository, feature: list[str]
):
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "feature/cache")
    assert outside(git, feature) == {}


def test_on_the_branch_itself_they_are_part_of_the_checkout(
    repository: Repository, git: GitRepository, feature: list[str]
):
    repository.git("checkout", "--quiet", "feature/cache")
    assert outside(git, feature) == {}


def test_a_rebase_is_recognised(repository: Repository, git: GitRepository, feature: list[str]):
    repository.git("checkout", "--quiet", "feature/cache")
    repository.git("rebase", "--quiet", "main")
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--ff-only", "feature/cache")
    assert outside(git, feature) == {}


def test_a_squash_takes_the_whole_branch(repository: Repository, git: GitRepository, feature: list[str]):
    repository.git("merge", "--quiet", "--squash", "feature/cache")
    repository.commit("Cache (#12)")
    assert outside(git, feature[:1]) == {}
    repository.git("branch", "--quiet", "-D", "feature/cache")
    assert outside(git, feature) == {}


def test_a_cherry_pick_takes_one_commit(repository: Repository, git: GitRepository, feature: list[str]):
    repository.git("cherry-pick", feature[1])
    assert outside(git, feature) == {feature[0]: "feature/cache"}


def test_a_deleted_branch_is_abandoned_also_after_its_commits_are_gone(
    repository: Repository, git: GitRepository, feature: list[str]
):
    repository.git("branch", "--quiet", "-D", "feature/cache")
    abandoned = outside(git, feature)
    assert abandoned == dict.fromkeys(feature, ABANDONED)
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "--quiet", "--prune=now")
    assert outside(git, feature, abandoned) == abandoned


def test_commits_that_were_never_here_are_not_judged(git: GitRepository):
    found = compare_commits(git, ["0123456789" * 4])
    assert found == (set(), set(), {})


def test_without_a_commit_nothing_can_be_said(tmp_path: Path):
    found = find_git(str(Repository(tmp_path / "empty").root))
    assert found
    assert compare_commits(found, ["0123456789" * 4]) is None
