"""An import reads only what is new, also when objects are missing, and comes by itself afterwards."""

from __future__ import annotations

import pytest

from rum import Rum
from rum.repo import git_process
from support.exports import links, memories
from support.projects import Shop
from support.repositories import START, Repository


@pytest.fixture
def repo(shop: Shop) -> Repository:
    return Repository(shop.folder)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What git is told on its stdin."""
    told: list[bytes] = []
    stream = git_process.stream_git

    def listen(*arguments: str, stdin: bytes = b""):
        told.append(stdin)
        return stream(*arguments, stdin=stdin)

    monkeypatch.setattr("rum.repo.history.stream_git", listen)
    return told


def imported(repo: Repository, shop: Shop, commits: int = 3) -> Rum:
    """A memory into which a history was imported."""
    for number in range(commits):
        repo.commit(f"c{number}", {"a": f"{number}\n"})
    rum = shop.open(owner=True)
    rum.import_git()
    return rum


def test_what_was_read_is_not_read_again(repo: Repository, shop: Shop, asked: list[bytes]):
    rum = imported(repo, shop)
    repo.commit("Lock", {"poetry.lock": "1"})  # makes no memory, so only the import knows that it was read
    rum.import_git()
    asked.clear()
    assert rum.import_git().added == 0
    new = repo.commit("new", {"a": "new\n"})
    asked.clear()
    assert rum.import_git().added == 1
    assert asked[-1].decode().split() == [new]


def test_the_newest_commits_are_read_alone(repo: Repository, shop: Shop, asked: list[bytes]):
    shas = [repo.commit(f"c{number}", {"a": f"{number}\n"}) for number in range(5)]
    assert shop.open().import_git(max_commits=2).added == 2
    assert asked[-1].decode().split() == shas[3:]


def test_another_branch_is_read_from_where_it_leaves(repo: Repository, shop: Shop, asked: list[bytes]):
    rum = imported(repo, shop)
    repo.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    new = repo.commit("On the side", {"b": "1"})
    rum.import_git()
    assert asked[-1].decode().split() == [new]
    repo.git("checkout", "--quiet", "main")
    asked.clear()
    assert rum.import_git().added == 0


def test_links_reach_back_to_what_was_read_before(repo: Repository, shop: Shop):
    repo.commit("Begin", {"a": "0\n"})
    old = repo.commit("Open the gate", {"a": "1\n"})
    also = repo.commit("Paint it (#7)", {"b": "1\n"})
    rum = shop.open(owner=True)
    rum.import_git()
    undo = repo.revert(old, "It crashes.")
    repo.commit(f"Mend\n\nFixes: {also[:9]}", {"b": "2\n"})
    assert rum.import_git().links == 2
    assert memories(rum)["Open the gate"]["reverted_by"]["commit"] == undo
    repo.commit('Revert "Paint it"\n\nToo red.', {"b": None})
    repo.revert(undo, "It was the roof.")
    assert rum.import_git().updated == 3
    found = memories(rum)
    assert found["Paint it (#7)"]["outcome"]["failure_reason"] == "Too red."
    assert found["Open the gate"]["outcome"]["success"]
    assert ('Revert "Paint it"', "caused_by", "Paint it (#7)") in links(rum)


def test_commits_of_one_second_have_the_same_ids_however_they_are_read(repo: Repository, shop: Shop):
    repo.commit("step 0", {"a": "0"}, at=START)
    rum = shop.open()
    for number in range(1, 4):
        rum.import_git()
        repo.commit(f"step {number}", {"a": str(number)}, at=START)
    rum.import_git()
    at_once = shop.open(home=shop.home.parent / "elsewhere")
    at_once.import_git()
    ids = [{one: found[one]["id"] for one in found} for found in (memories(rum), memories(at_once))]
    assert ids[0] == ids[1]


def lose(repo: Repository, name: str) -> None:
    """Remove an object."""
    found = repo.git("rev-parse", name)
    (repo.root / ".git" / "objects" / found[:2] / found[2:]).unlink()


def test_a_commit_that_cannot_be_read_is_skipped_named_and_counted(repo: Repository, shop: Shop):
    shas = [repo.commit(f"c{number}", {"a": str(number)}) for number in range(4)]
    lose(repo, "HEAD~1^{tree}")
    rum = shop.open()
    answer = rum.import_git()
    assert (answer.added, answer.skipped) == (2, {"unreadable": 2})
    assert all(sha[:10] in answer.notes[0] for sha in shas[2:])
    assert rum.import_git().skipped == {"unreadable": 2}  # it may have been repaired


def test_a_lost_file_costs_only_its_lines(repo: Repository, shop: Shop):
    for number in range(3):
        repo.commit(f"c{number}", {"a": f"{number}\n", "b": f"{number}\n"})
    lose(repo, "HEAD~1:a")
    rum = shop.open()
    answer = rum.import_git()
    assert (answer.added, answer.skipped) == (3, {})
    assert "unable to read" in answer.notes[0]
    assert [file["path"] for file in memories(rum)["c1"]["files"]] == ["a", "b"]


def test_history_after_a_lost_commit_is_imported(repo: Repository, shop: Shop):
    for number in range(5):
        repo.commit(f"c{number}", {"a": str(number)})
    lose(repo, "HEAD~3")
    rum = shop.open()
    answer = rum.import_git()
    assert "Older history cannot be read" in answer.notes[0]
    assert "c4" in memories(rum)


def test_new_commits_come_by_themselves(repo: Repository, shop: Shop):
    rum = imported(repo, shop)
    assert not rum.tidy().imported
    repo.commit("new", {"a": "new\n"})
    assert rum.tidy().imported == 1
    assert "new" in memories(rum)


def test_only_if_the_history_was_imported_and_nobody_objects(
    repo: Repository, shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    repo.commit("one", {"a": "1"})
    shop.open(owner=True).tidy()
    rum = shop.open(owner=True)
    rum.import_git(max_commits=1)
    repo.commit("two", {"a": "2"})
    rum.tidy()
    assert list(memories(rum)) == ["one"]
    rum.import_git()
    repo.commit("three", {"a": "3"})
    monkeypatch.setenv("RUM_IMPORT_GIT", "off")
    off = shop.open(owner=True)
    off.tidy()
    assert list(memories(off)) == ["one", "two"]


def test_they_come_only_from_the_paths_that_were_imported(repo: Repository, shop: Shop):
    repo.commit("one", {"api/a": "1"})
    rum = shop.open(owner=True)
    rum.import_git(paths="api")
    repo.commit("web", {"web/a": "1"})
    repo.commit("two", {"api/a": "2"})
    assert rum.tidy().imported == 1
    assert list(memories(rum)) == ["one", "two"]
