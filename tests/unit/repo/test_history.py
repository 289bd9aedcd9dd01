"""Reading the history of real repositories."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rum.repo import history
from rum.repo.git import GitRepository, find_git, open_source
from rum.repo.git_process import GitFailed
from rum.repo.history import Change, Commit, Unreadable, commits, commits_with_changes
from support.repositories import START, Repository, lines


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "tool")


def open_repository(repo: Repository | Path) -> GitRepository:
    found = find_git(str(repo.root if isinstance(repo, Repository) else repo))
    assert found
    return found


def read_one(place: GitRepository, sha: str, *, lines: bool = True) -> tuple[Commit, list[Change]]:
    """A commit that can be read."""
    (found,) = commits_with_changes(place, [sha], lines=lines)
    assert not isinstance(found, Unreadable)
    return found


def last(repo: Repository) -> tuple[Commit, dict[str, Change]]:
    """The newest commit and its changes by path."""
    commit, changes = read_one(open_repository(repo), repo.head())
    return commit, {change.path: change for change in changes}


def test_commits_come_oldest_first_with_all_fields(repo: Repository):
    first = repo.commit("One\n\nBecause.\n", {"a.py": "1"})
    second = repo.commit("Two", {"a.py": "2"}, author="Bob B")
    assert list(commits(open_repository(repo))) == [
        Commit(first, START, START, (), "Ann", "One\n\nBecause.\n"),
        Commit(second, START + 60, START + 60, (first,), "Bob B", "Two"),
    ]


def test_there_are_no_commits_before_the_first(repo: Repository):
    assert list(commits(open_repository(repo))) == []


def test_a_parent_comes_before_its_children_whatever_the_clocks_say(repo: Repository):
    shas = [repo.commit(f"c{at}", at=at) for at in (START + 900, START + 100, START + 500)]
    assert [commit.sha for commit in commits(open_repository(repo))] == shas


def test_lines_are_those_of_the_new_file(repo: Repository):
    repo.commit("one", {"a.py": lines(*range(1, 21)), "gone.py": "x\n"})
    new = lines(1, 2, "three", "and a half", *range(4, 11), *range(13, 21))
    repo.commit("two", {"a.py": new, "new.py": lines(1, 2, 3), "gone.py": None})
    _, found = last(repo)
    assert found["a.py"][5:8] == (2, 3, ((3, 4), (11, 11)))
    assert (found["new.py"].status, found["new.py"].lines) == ("A", ((1, 3),))
    assert (found["gone.py"].status, found["gone.py"].removed, found["gone.py"].lines) == ("D", 1, ())


def test_git_names_the_function_that_lines_are_in(repo: Repository):
    body = lines(*(f"    step_{number}()" for number in range(20)))
    repo.commit("one", {"a.py": f"def first():\n{body}def second():\n{body}"})
    repo.commit("two", {"a.py": f"def first():\n{body}def second():\n{body}    more()\n"})
    assert last(repo)[1]["a.py"].hunk_contexts == ("def second():",)


def test_a_change_has_gits_blob_id(repo: Repository):
    repo.commit("one", {"a.py": "1\n"})
    assert last(repo)[1]["a.py"].blob == repo.git("hash-object", "a.py")


def test_a_renamed_file_has_its_old_name(repo: Repository):
    repo.commit("one", {"old.py": lines(*range(20))})
    repo.git("mv", "old.py", "new.py")
    repo.commit("two", {"new.py": lines(*range(19), "last")})
    change = last(repo)[1]["new.py"]
    assert (change.status, change.old_path, change.lines) == ("R", "old.py", ((20, 20),))


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
@pytest.mark.parametrize(
    "name", ['quo"ted.py', "two\nlines.py", "tab\there", " spaced ", "ünï.py", "back\\slash"]
)
def test_file_names_may_contain_any_characters(repo: Repository, name: str):
    repo.commit("one", {name: "1\n", "plain.py": "1\n"})
    assert {path: change.lines for path, change in last(repo)[1].items()} == {
        name: ((1, 1),),
        "plain.py": ((1, 1),),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_a_name_that_is_not_utf8_is_decoded_as_windows_1252(repo: Repository):
    (Path(os.fsdecode(os.fsencode(repo.root) + b"/caf\xe9.py"))).write_text("1\n")
    repo.commit("one")
    assert list(last(repo)[1]) == ["café.py"]


def test_links_submodules_and_binary_files_have_no_lines_of_code(repo: Repository, tmp_path: Path):
    other = Repository(tmp_path / "other")
    other.commit("inside", {"x": "1"})
    repo.git("submodule", "--quiet", "add", str(other.root), "lib")
    repo.commit("one", {"pic.png": b"\x89PNG\0\0"})
    _, found = last(repo)
    assert (found["lib"].submodule, found["lib"].lines, found["lib"].blob) == (True, (), None)
    assert (found["pic.png"].lines, found["pic.png"].blob is None) == ((), False)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_file_that_became_a_link_does_not_shift_the_lines_of_others(repo: Repository):
    repo.commit("one", {"a": lines(1, 2, 3), "b": lines(1, 2, 3), "z": "1\n"})
    (repo.root / "b").unlink()
    (repo.root / "b").symlink_to("a")
    repo.commit("two", {"z": lines(1, 2)})
    _, found = last(repo)
    assert (found["b"].status, found["b"].blob) == ("T", None)
    assert found["z"].lines == ((2, 2),)


def test_an_empty_commit_is_there_without_changes(repo: Repository):
    repo.commit("one", {"a": "1"})
    repo.commit("nothing")
    commit, found = last(repo)
    assert (commit.message, found) == ("nothing", {})


def test_a_message_may_be_empty(repo: Repository):
    repo.commit("", {"a": "1"})
    assert last(repo)[0].message == ""


@pytest.mark.parametrize(
    ("encoding", "declared"), [("latin-1", "ISO-8859-1"), ("cp1251", "CP1251"), ("utf-8", None)]
)
def test_a_message_comes_out_of_the_encoding_it_declares(
    repo: Repository, encoding: str, declared: str | None
):
    text = "Привет" if encoding == "cp1251" else "Käse"
    repo.commit(text.encode(encoding), {"a": "1"}, encoding=declared)
    assert last(repo)[0].message == text
    assert [commit.message for commit in commits(open_repository(repo))] == [text]


def test_an_undeclared_encoding_is_taken_for_western_europe(repo: Repository):
    repo.commit("one", {"a": "1"})
    repo.raw_commit("Käse – “quoted”".encode("cp1252"))
    assert last(repo)[0].message == "Käse – “quoted”"


def test_undecodable_bytes_are_replaced(repo: Repository):
    repo.commit("one", {"a": "1"})
    repo.raw_commit(b"\xff\x81\xfe odd")
    assert last(repo)[0].message.endswith(" odd")


def test_author_names_follow_the_mailmap(repo: Repository):
    repo.commit("one", {".mailmap": "Annabel Lee <ann@example.org>\n"})
    assert last(repo)[0].author == "Annabel Lee"
    assert [commit.author for commit in commits(open_repository(repo))] == ["Annabel Lee"]


def test_a_merge_of_many_branches_is_one_commit_with_many_parents(repo: Repository):
    base = repo.commit("base", {"a": "1"})
    tips: list[str] = []
    for name in ("x", "y", "z"):
        repo.git("checkout", "--quiet", "-b", name, base)
        tips.append(repo.commit(name, {name: "1"}))
    repo.git("checkout", "--quiet", "main")
    merge = repo.merge("x", "y", "z")
    found = {commit.sha: commit.parents for commit in commits(open_repository(repo))}
    assert found[merge] == (base, *tips)
    assert sorted(history.commits_merged_by(open_repository(repo), merge)) == sorted(tips)


def test_a_large_commit_is_read_as_a_small_one(repo: Repository, monkeypatch: pytest.MonkeyPatch):
    repo.commit("one", {f"f{number}.py": lines(*range(200)) for number in range(40)})
    _, whole = last(repo)
    monkeypatch.setattr(history, "CHUNK", 64)
    monkeypatch.setattr(history, "LARGE", 512)
    assert last(repo)[1] == whole
    assert len(whole) == 40
    assert {change.lines for change in whole.values()} == {((1, 200),)}


HEADER = "diff --git a/x b/x"


@pytest.mark.parametrize(
    ("author", "message", "name"), [("Ann", HEADER, "f"), (HEADER, "one", "f"), ("Ann", "one", HEADER)]
)
def test_a_message_cannot_imitate_the_patch_of_a_large_commit(
    repo: Repository, monkeypatch: pytest.MonkeyPatch, author: str, message: str, name: str
):
    files: dict[str, str | None] = {f"{name}{number}": lines(*range(200)) for number in range(9)}
    repo.commit(f"{message}\n\nIt says more.", files, author=author)
    whole = last(repo)
    monkeypatch.setattr(history, "CHUNK", 64)
    monkeypatch.setattr(history, "LARGE", 512)
    assert last(repo) == whole
    assert len(whole[1]) == 9


def test_file_content_cannot_imitate_another_commit(repo: Repository):
    evil = "diff --git a/x b/x\n@@ -1 +1 @@\n\0\0:100644 100644 0 0 M\0fake\0"
    repo.write(".git/info/attributes", "* diff\n")
    repo.commit("one", {"a.txt": evil, "b.txt": "1\n"})
    _, found = last(repo)
    assert list(found) == ["a.txt", "b.txt"]
    assert found["b.txt"].lines == ((1, 1),)


@pytest.mark.skipif(sys.platform == "win32", reason="the trap is a shell script")
def test_nothing_that_a_repository_configures_is_run(repo: Repository, tmp_path: Path):
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    settings = {
        "diff.trap.textconv": trap,
        "diff.trap.command": trap,
        "diff.external": trap,
        "gpg.program": trap,
        "log.showSignature": "true",
        "core.pager": trap,
        "core.fsmonitor": trap,
    }
    for name, value in settings.items():
        repo.git("config", name, str(value))
    repo.write(".git/info/attributes", "* diff=trap\n")
    repo.git("config", "diff.noprefix", "true")
    repo.commit("one", {"a.py": "1\n"})
    sprung.unlink(missing_ok=True)
    assert last(repo)[1]["a.py"].lines == ((1, 1),)
    assert list(commits(open_repository(repo)))
    assert not sprung.exists()


def test_the_end_of_a_shallow_clone_is_known(repo: Repository, tmp_path: Path):
    for number in range(4):
        repo.commit(f"c{number}", {"a": str(number)})
    assert history.shallow_boundary(open_repository(repo)) == frozenset()
    url = repo.root.as_uri()
    repo.git("clone", "--quiet", "--depth=2", url, str(tmp_path / "shallow"))
    shallow = open_repository(tmp_path / "shallow")
    assert history.shallow_boundary(shallow) == {repo.git("rev-parse", "HEAD~1")}
    assert len(list(commits(shallow))) == 2


def test_a_clone_without_contents_still_lists_changed_files(repo: Repository, tmp_path: Path):
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("one", {"a.py": "1\n"})
    repo.commit("two", {"a.py": "2\n", "b.py": "1\n"})
    target = tmp_path / "partial"
    repo.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", repo.root.as_uri(), str(target))
    assert history.has_contents(open_repository(repo))
    assert not history.has_contents(open_repository(target))
    _, changes = read_one(open_repository(target), repo.head(), lines=False)
    assert [(change.path, change.status, change.lines) for change in changes] == [
        ("a.py", "M", ()),
        ("b.py", "A", ()),
    ]


def test_bare_repositories_and_worktrees_have_the_same_history(repo: Repository, tmp_path: Path):
    sha = repo.commit("one", {"a": "1"})
    repo.git("clone", "--quiet", "--bare", str(repo.root), str(tmp_path / "bare"))
    repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "side")
    bare = open_source(str(tmp_path / "bare"))
    assert bare is not None
    for place in (bare, open_repository(tmp_path / "tree")):
        assert [commit.sha for commit in commits(place)] == [sha]


@pytest.mark.parametrize("asked", ["src", "src/", "src/a.py", "src/*.py", "**/a.py"])
def test_commits_are_found_by_file_folder_or_glob(repo: Repository, asked: str):
    wanted = repo.commit("one", {"src/a.py": "1"})
    repo.commit("two", {"docs/b.md": "1"})
    assert history.commits_touching(open_repository(repo), [asked]) == {wanted}


def test_the_root_folder_selects_all_commits(repo: Repository):
    all_of_it = {repo.commit("one", {"src/a.py": "1"}), repo.commit("two", {"b.md": "1"})}
    assert history.commits_touching(open_repository(repo), ["."]) == all_of_it


def remove(repo: Repository, name: str) -> None:
    """Remove an object."""
    found = repo.git("rev-parse", name)
    (repo.root / ".git" / "objects" / found[:2] / found[2:]).unlink()


@pytest.mark.parametrize("missing", ["HEAD~1:a", "HEAD~1^{tree}"])
def test_a_commit_that_cannot_be_read_whole_does_not_hide_the_others(repo: Repository, missing: str):
    shas = [repo.commit(f"c{number}", {"a": f"{number}\n", f"b{number}": "1\n"}) for number in range(4)]
    remove(repo, missing)
    found = list(commits_with_changes(open_repository(repo), shas))
    assert [one.sha if isinstance(one, Unreadable) else one[0].sha for one in found] == shas
    bad = [one for one in found if isinstance(one, Unreadable)]
    assert [one.sha for one in bad] == shas[2:]  # its child's changes are not known, either
    for one in bad:
        assert "unable to read" in one.problem
        # Without a file's content, the names of the files are known.
        assert bool(one.known) == missing.endswith(":a")
        assert one.known is None or len(one.known[1]) == 2


def test_history_before_a_lost_commit_is_an_error_with_gits_own_words(repo: Repository):
    for number in range(4):
        repo.commit(f"c{number}", {"a": str(number)})
    remove(repo, "HEAD~2")
    found: list[str] = []
    with pytest.raises(GitFailed, match=r"git could not read .*Could not read"):
        found.extend(one.message for one in commits(open_repository(repo), newest_first=True))
    assert [one.strip() for one in found] == ["c3"]


def test_listing_leaves_out_what_was_read_before(repo: Repository):
    shas = [repo.commit(f"c{number}", {"a": str(number)}) for number in range(4)]
    place = open_repository(repo)
    assert [one.sha for one in commits(place, without=[shas[1], "0" * 40])] == shas[2:]
    assert [one.sha for one in commits(place, since=START + 180)] == shas[3:]
    assert [one.sha for one in commits(place, newest_first=True)] == shas[::-1]


def test_commits_are_found_by_the_beginning_of_their_id_and_by_their_words(repo: Repository):
    shas = [repo.commit(f"c{number} (#{number})", {"a": str(number)}) for number in range(3)]
    repo.git("checkout", "--quiet", "-b", "side", shas[0])
    elsewhere = repo.commit("Elsewhere", {"b": "1"})
    repo.git("checkout", "--quiet", "main")
    place = open_repository(repo)
    asked = [shas[1][:9], elsewhere, "f" * 12, repo.git("rev-parse", "HEAD:a")]
    assert [one.sha for one in history.named_commits(place, asked)] == [shas[1]]
    assert [one.sha for one in history.commits_saying(place, ["(#2)", "c0"])] == [shas[0], shas[2]]
    assert list(history.commits_saying(place, [])) == list(history.named_commits(place, [])) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ps")
def test_a_reader_that_stops_leaves_no_process_behind(repo: Repository):
    repo.commit("one", {"a": lines(*range(10000))})
    reading = commits_with_changes(open_repository(repo), [repo.head()] * 500)
    next(reading)
    reading.close()
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert f"--git-dir={open_repository(repo).git_dir}" not in running
