"""Which history is imported, and how much of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum import InvalidQuery
from support.exports import memories
from support.projects import Shop
from support.repositories import START, Repository


@pytest.fixture
def repo(shop: Shop) -> Repository:
    return Repository(shop.folder)


def test_only_what_is_asked_for_is_read(repo: Repository, shop: Shop):
    for number in range(6):
        repo.commit(f"c{number}", {f"src/{number % 2}/a": str(number)})
    rum = shop.open()
    assert rum.import_git(max_commits=1).added == 1
    assert list(memories(rum)) == ["c5"]
    assert rum.import_git(since=START + 4 * 60).added == 1
    assert rum.import_git(paths=["src/0"]).added == 2
    assert list(memories(rum)) == ["c0", "c2", "c4", "c5"]
    assert rum.import_git(paths=["src/?/a"]).added == 2


def test_the_root_as_a_path_is_the_whole_history(repo: Repository, shop: Shop):
    repo.commit("c0", {"a": "0"})
    repo.commit("c1", {"src/b": "1"})
    assert shop.open().import_git(paths=".").added == 2


def test_paths_that_no_commit_touches_are_named(repo: Repository, shop: Shop):
    repo.commit("c0", {"src/a": "0"})
    rum = shop.open()
    assert rum.import_git(paths=["scr", "lib"]).notes == ["No commit touches scr or lib."]
    assert rum.import_git(paths="src", since=START + 86400).notes == ["No commit since then touches src."]
    assert rum.import_git(paths="src").notes == []


def test_commits_before_the_selected_ones_are_not_counted(repo: Repository, shop: Shop):
    for number in range(3):
        repo.commit(f"old bump {number}", {"a": f"bump {number}"}, author="dependabot[bot]")
        repo.commit(f"c{number}", {"a": str(number)})
    answer = shop.open().import_git(max_commits=2)
    assert (answer.added, answer.skipped) == (2, {"bot": 1})


def test_the_end_of_a_shallow_clone_waits_for_the_rest(repo: Repository, shop: Shop, tmp_path: Path):
    for number in range(4):
        repo.commit(f"c{number}", {"a": str(number)})
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", "--depth=2", repo.root.as_uri(), str(clone))
    rum = shop.open(path=clone)
    answer = rum.import_git()
    assert (answer.added, answer.skipped) == (1, {"cut_off": 1})
    assert "git fetch --unshallow" in answer.notes[0]
    repo.git("-C", str(clone), "fetch", "--quiet", "--unshallow")
    assert rum.import_git().added == 3
    assert list(memories(rum)) == ["c0", "c1", "c2", "c3"]


def test_a_sub_project_keeps_what_touched_it(repo: Repository, shop: Shop):
    repo.commit("Both", {"api/a.py": "1", "web/b.ts": "1"})
    repo.commit("Web", {"web/b.ts": "2"})
    (shop.folder / ".rum").mkdir()
    (shop.folder / ".rum" / "config.toml").write_text('subprojects = ["api", "web"]\n')
    rum = shop.open(path=shop.folder / "api")
    rum.import_git()
    assert list(memories(rum)) == ["Both"]


def test_another_repository_can_be_named(repo: Repository, shop: Shop, tmp_path: Path):
    other = Repository(tmp_path / "other")
    other.commit("Elsewhere", {"a": "1"})
    rum = shop.open()
    rum.import_git(other.root)
    assert list(memories(rum)) == ["Elsewhere"]


def test_an_empty_repository_says_so(repo: Repository, shop: Shop):
    answer = shop.open().import_git()
    assert (answer.added, answer.notes) == (0, ["There are no commits here yet."])


def test_a_folder_without_git_is_refused(shop: Shop):
    with pytest.raises(InvalidQuery, match="is not in a git repository"):
        shop.open().import_git()


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"max_commits": 0}, "`max_commits`"),
        ({"since": -1}, "`since`"),
        ({"pathz": 5}, "Did you mean `paths`"),
        ({"paths": ["/etc/passwd"]}, "is not in the repository"),
        ({"paths": ["a\nb"]}, "control characters"),
    ],
)
def test_what_cannot_be_asked_is_refused(repo: Repository, shop: Shop, chosen: dict[str, object], words: str):
    repo.commit("one", {"a": "1"})
    with pytest.raises(InvalidQuery) as refused:
        shop.open().import_git(**chosen)
    assert words in refused.value.message
