"""Work on an earlier name of a file is found by the present one; a picked commit is one piece of work."""

from __future__ import annotations

import pytest

from rum import Rum
from rum.capture.git.commit_memory import MAX_FILES
from rum.recall.limits import EARLIER_NAME
from support.exports import memories
from support.projects import Shop, keep
from support.repositories import START, Repository, lines

SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.fixture
def repo(shop: Shop) -> Repository:
    return Repository(shop.folder)


def found(rum: Rum, path: str) -> dict[str, float]:
    return {one.intent.goal: one.confidence for one in rum.recall(file=path, limit=20).memories}


def test_work_on_earlier_names_is_found_by_the_present_one(repo: Repository, shop: Shop):
    text = lines(*range(40))
    repo.commit("Begin", {"src/old.py": text})
    repo.commit("Mend", {"src/old.py": text + "more\n"})
    repo.git("mv", "src/old.py", "src/mid.py")
    repo.commit("Move once")
    repo.git("mv", "src/mid.py", "src/new.py")
    repo.commit("Move twice", {"src/new.py": text + "more\nand more\n"})
    repo.commit("Another file", {"src/old.py": "something else entirely\n"})
    rum = shop.open()
    rum.import_git()
    assert list(found(rum, "src/new.py").items()) == [
        ("Move twice", 1.0),
        ("Move once", EARLIER_NAME),
        ("Mend", EARLIER_NAME),
        ("Begin", EARLIER_NAME),
    ]
    assert set(found(rum, "src/old.py")) == {"Another file", "Move once", "Mend", "Begin"}


def test_what_agents_remember_of_a_file_is_found_after_its_rename(repo: Repository, shop: Shop):
    repo.commit("Begin", {"src/old.py": lines(*range(40))}, at=int(shop.clock()) - 60)
    rum = shop.open()
    keep(rum, "Beware of the parser", actions=[{"type": "file_edit", "file_path": "src/old.py"}])
    repo.git("mv", "src/old.py", "src/new.py")
    shop.clock.forward(120)
    repo.commit("Move", at=int(shop.clock()) - 60)
    rum.import_git()
    assert found(rum, "src/new.py")["Beware of the parser"] == EARLIER_NAME


def test_a_commit_that_moves_more_files_than_a_memory_names_tells_of_all(repo: Repository, shop: Shop):
    count = MAX_FILES + 20
    repo.commit("Begin", {f"src/{number}.py": lines(number, *range(20)) for number in range(count)})
    repo.commit("Mend the last", {f"src/{count - 1}.py": lines(count, *range(20))})
    repo.git("mv", "src", "lib")
    repo.commit("Move all")
    rum = shop.open()
    assert rum.import_git().cut == 2
    assert "Mend the last" in found(rum, f"lib/{count - 1}.py")


def test_renames_go_with_the_commit_that_is_forgotten(repo: Repository, shop: Shop):
    repo.commit("Begin", {"old.py": lines(*range(40))})
    repo.git("mv", "old.py", "new.py")
    repo.commit("Move")
    rum = shop.open(owner=True)
    rum.import_git()
    rum.forget(memories(rum)["Move"]["id"])
    assert found(rum, "new.py") == {}


def test_renames_come_along_in_an_export_and_hold_no_secrets(repo: Repository, shop: Shop):
    repo.commit("Begin", {f"{SECRET}.py": lines(*range(40)), "a.py": lines(*range(50, 90))})
    repo.git("mv", f"{SECRET}.py", f"{SECRET}.txt")
    repo.git("mv", "a.py", "b.py")
    repo.commit("Move")
    rum = shop.open(owner=True)
    rum.import_git()
    for file in (shop.home / "projects").rglob("*.db*"):
        assert SECRET.encode() not in file.read_bytes()
    other = shop.open(home=shop.home.with_name("elsewhere"), owner=True)
    other.import_lines(rum.export())
    assert found(other, "b.py") == found(rum, "b.py") == {"Move": 1.0, "Begin": EARLIER_NAME}


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
