"""A commit that was picked onto another branch is one piece of work, with one memory."""

from __future__ import annotations

import pytest

from support.exports import memories
from support.projects import Shop
from support.repositories import START, Repository


@pytest.fixture
def repo(shop: Shop) -> Repository:
    return Repository(shop.folder)


def pick(repo: Repository, sha: str, after: int = 5000) -> None:
    repo.git("cherry-pick", "-x", sha, GIT_COMMITTER_DATE=f"{START + after} +0000")


def picked(repo: Repository, message: str, base: dict[str, str], side: dict[str, str]) -> str:
    """A commit on `main`, and its copy on `side`, merged; the first one's id."""
    first = repo.commit("Begin", {"a": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b": "1\n"})
    work = repo.commit(message, base)
    repo.git("checkout", "--quiet", "-b", "side", first)
    repo.commit("Beside it", side)
    pick(repo, work)
    repo.git("checkout", "--quiet", "main")
    repo.merge("side")
    return work


EDITED = "1\n2\n3\n4\n5\n6\n7\n8\n10\n"


@pytest.mark.parametrize("message", ["Work", "Work\n\nBecause of it."])
@pytest.mark.parametrize("side", [{"c": "1\n"}, {"a": "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"}])
def test_a_copy_is_left_out(repo: Repository, shop: Shop, message: str, side: dict[str, str]):
    picked(repo, message, {"a": EDITED}, side)
    rum = shop.open()
    answer = rum.import_git()
    assert (answer.added, answer.skipped) == (3, {"copy": 1, "merge": 1})
    again = rum.import_git()
    assert (again.added, again.unchanged) == (0, 3)
    assert len([one for one in rum.recall(file="a").memories if one.intent.goal == "Work"]) == 1


def test_whichever_came_first_stays(repo: Repository, shop: Shop):
    first = repo.commit("Begin", {"b": "1\n"})
    work = repo.commit("Work", {"a": "1\n"})
    repo.git("checkout", "--quiet", "-b", "side", first)
    pick(repo, work)
    rum = shop.open()
    assert rum.import_git().added == 2  # the copy, as nobody knows of the other
    known = memories(rum)["Work"]["id"]
    repo.git("checkout", "--quiet", "main")
    assert rum.import_git().skipped == {"copy": 1}
    repo.merge("side")
    assert rum.import_git().skipped == {"merge": 1}
    assert memories(rum)["Work"]["id"] == known


def test_a_commit_that_reapplies_reverted_work_is_no_copy(repo: Repository, shop: Shop):
    repo.commit("Begin", {"a": "1\n"})
    work = repo.commit("Work", {"a": "2\n"})
    repo.revert(work, "All tests fail.")
    pick(repo, work)
    answer = shop.open().import_git()
    assert (answer.added, answer.failures, answer.skipped) == (4, 1, {})


def test_commits_of_a_script_are_no_copies(repo: Repository, shop: Shop):
    for number in range(3):
        repo.commit("Save", {"a": f"{number}\n"}, at=START)
    assert shop.open().import_git().added == 3


def test_other_work_of_the_same_name_is_no_copy(repo: Repository, shop: Shop):
    repo.commit("Save", {"a": "1\n"}, at=START)
    repo.commit("Save", {"b": "1\n2\n"}, at=START)
    assert shop.open().import_git().added == 2
