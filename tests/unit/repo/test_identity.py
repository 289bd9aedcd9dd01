"""What identifies a repository, and the one spelling of its remotes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.repo.git import GitRepository, find_git
from rum.repo.identity import (
    EMPTY,
    KNOWN,
    SHALLOW,
    UNKNOWN,
    directory_key,
    identify,
    local_path,
    normalise_remote,
    read_remotes,
    source_repositories,
)

SPELLINGS = [
    "https://example.org/team/tool",
    "https://example.org/team/tool.git",
    "https://example.org/team/tool.git/",
    "http://example.org:8080/team//tool/",
    "https://EXAMPLE.org/team/tool",
    "https://ann@example.org/team/tool.git",
    "https://ann:s3cret@example.org/team/tool.git",
    "https://oauth2:a@b:c@example.org/team/tool.git",
    "https://example.org/team/tool.git?private_token=s3cret",
    "https://example.org/team/t%6Fol",
    "git://example.org/team/tool",
    "ssh://git@example.org/team/tool.git",
    "ssh://git@example.org:2222/team/tool.git",
    "git+ssh://git@example.org/team/tool",
    "git@example.org:team/tool.git",
    "git@example.org:/team/tool.git",
    "example.org:team/tool",
    "git:s3cret@example.org:team/tool",
    "persistent-https::https://example.org/team/tool",
]


@pytest.mark.parametrize("url", SPELLINGS)
def test_all_spellings_of_a_remote_give_the_same_key(url: str):
    assert normalise_remote(url) == "example.org/team/tool"


@pytest.mark.parametrize(
    "url",
    [
        "/srv/tool.git",
        "../tool",
        "./a:b",
        "tool",
        "file:///srv/tool",
        "file://localhost/srv/tool",
        "ext::sh -c 'echo'",
        "https:///tool",
        "https://example.org",
        "https://example.org/.git",
        "",
        ":",
        "a:",
    ],
)
def test_local_and_unusable_urls_give_no_key(url: str):
    assert normalise_remote(url) is None


def test_the_path_keeps_its_case_and_an_address_its_brackets():
    assert normalise_remote("https://example.org/Team/Tool") == "example.org/Team/Tool"
    assert normalise_remote("ssh://git@[::1]:22/tool") == normalise_remote("git@[::1]:tool") == "[::1]/tool"


HOSTS = st.from_regex(r"[a-zA-Z][a-zA-Z0-9-]{0,10}(\.[a-zA-Z]{2,5}){1,2}", fullmatch=True)
PATHS = st.from_regex(
    r"[a-zA-Z0-9_~][a-zA-Z0-9_.-]{0,8}(/[a-zA-Z0-9_][a-zA-Z0-9_-]{0,8}){0,3}", fullmatch=True
)
USERS = st.sampled_from(["", "git@", "ann:s3cret@", "s3cret@"])


@given(HOSTS, PATHS, USERS, st.integers(1, 65535), st.sampled_from(["", ".git", ".git/", "/"]))
def test_every_form_of_host_and_path_normalises_alike(host: str, path: str, user: str, port: int, end: str):
    forms = {
        normalise_remote(url)
        for url in (
            f"https://{user}{host}/{path}{end}",
            f"http://{user}{host.upper()}:{port}//{path}{end}",
            f"ssh://{user}{host}:{port}/{path}{end}",
            f"git://{host}/{path}{end}",
            f"{user}{host}:{path}{end}",
            f"{user}{host.swapcase()}:/{path}{end}",
        )
    }
    expected = path.removesuffix("/")
    while expected.endswith(".git"):
        expected = expected.removesuffix(".git").rstrip("/")
    assert forms == {f"{host.lower()}/{expected}" if expected else None}


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing_more(url: str):
    normal = normalise_remote(url)
    local_path(url, "/base")
    if normal is not None:
        quoted = normal.replace("%", "%25").replace("#", "%23").replace("?", "%3F")
        assert normalise_remote(f"ssh://{quoted}") in (normal, None) or "@" in normal


@given(HOSTS, PATHS, st.from_regex(r"[a-zA-Z0-9!$&*+.:=_-]{6,20}", fullmatch=True))
def test_a_password_is_never_kept(host: str, path: str, password: str):
    key = normalise_remote(f"https://ann:{password}@{host}/{path}")
    clean = normalise_remote(f"https://{host}/{path}")
    assert key == clean


def test_a_path_on_this_machine_is_found_in_all_its_forms(tmp_path: Path):
    assert local_path("/srv/tool.git", "/base") == "/srv/tool.git"
    assert local_path("../tool", "/base/here") == "/base/tool"
    assert local_path("tool", "/base") == "/base/tool"
    assert local_path("./a:b", "/base") == "/base/a:b"
    assert local_path("file:///srv/a%20b", "/base") == "/srv/a b"
    assert local_path("file://localhost/srv/tool", "/base") == "/srv/tool"
    assert local_path("~/tool", "/base") == os.path.expanduser("~/tool")


@pytest.mark.parametrize("url", ["https://example.org/tool", "git@example.org:tool", "file://elsewhere/tool"])
def test_a_remote_elsewhere_has_no_path_here(url: str):
    assert local_path(url, "/base") is None


def test_remotes_are_read_as_git_reads_them(repository: Path, git):
    urls = {
        "upstream": "https://example.org/up/tool",
        "origin": 'https://example.org/a "b" #c;d\\e',
        'we"ird\\name': "ssh://example.org/x",
        "spaced": " leading and trailing ",
    }
    for name, url in urls.items():
        git(repository, "config", f"remote.{name}.url", url)
    git(repository, "config", "--add", "remote.origin.url", "https://example.org/second")
    git(repository, "config", "branch.main.remote", "origin")
    git(repository, "config", "url.https://example.org/.insteadOf", "ex:")
    found = read_remotes((repository / ".git" / "config").read_text())
    assert found[:2] == (("origin", urls["origin"]), ("origin", "https://example.org/second"))
    assert dict(found[2:]) == {name: url for name, url in urls.items() if name != "origin"}


def test_old_and_odd_spellings_of_a_config_are_understood():
    config = """
    ; comment
    [core]
        url = https://example.org/not-a-remote
    [Remote "a"] URL=https://example.org/a ; comment
    [remote.b]
        fetch = +refs/heads/*:refs/remotes/b/*
        url = "https://example.org/b"
    [remote "c"]
        url = https://example.org/\\
c
    [remote "d"]
        pushurl = https://example.org/push
        url
    """
    assert read_remotes(config) == (
        ("a", "https://example.org/a"),
        ("b", "https://example.org/b"),
        ("c", "https://example.org/c"),
    )


@given(st.text(max_size=200))
def test_any_config_is_read_without_error(text: str):
    read_remotes(text)
    read_remotes('[remote "origin"]\nurl = ' + text)


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
