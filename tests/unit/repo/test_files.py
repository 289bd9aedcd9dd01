"""Stored paths, and git's blob id of a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.repo.files import BLOB_LIMIT, blob_id, relative_path, strip_line


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "tool"
    (path / "src" / "app").mkdir(parents=True)
    (path / "src" / "main.py").write_text("")
    (path / "src" / "app" / "view.py").write_text("")
    (path / "setup.py").write_text("")
    return path


@pytest.mark.parametrize(
    "given_path",
    ["src/main.py", "./src/main.py", "src//main.py", "src/app/../main.py", "src\\main.py", ".\\src\\main.py",
     "src/main.py\n", "{root}/src/main.py", "{root}/x/../src/./main.py"],
)  # fmt: skip
def test_every_spelling_of_a_path_inside_the_root_gives_the_same_path(root: Path, given_path: str):
    assert relative_path(given_path.format(root=root), str(root), str(root)) == "src/main.py"


def test_a_path_is_relative_to_the_root_unless_it_exists_only_below_cwd(root: Path):
    here = str(root / "src")
    assert relative_path("setup.py", str(root), here) == "setup.py"
    assert relative_path("app/view.py", str(root), here) == "src/app/view.py"
    assert relative_path("src/main.py", str(root), here) == "src/main.py"
    assert relative_path("neither.py", str(root), here) == "neither.py"
    (root / "src" / "setup.py").write_text("")
    assert relative_path("setup.py", str(root), here) == "setup.py"
    assert relative_path("../setup.py", str(root), here) == "setup.py"
    assert relative_path("../gone.py", str(root), here) == "gone.py"


def test_a_directory_and_a_glob_keep_their_form(root: Path):
    assert relative_path("src/", str(root), str(root)) == "src"
    assert relative_path(str(root), str(root), str(root)) == "."
    assert relative_path("src/**/*.py", str(root), str(root)) == "src/**/*.py"


def test_outside_of_the_root_a_path_stays_absolute_with_home_as_a_tilde(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    assert relative_path("/etc/hosts", str(root), str(root)) == "/etc/hosts"
    assert relative_path(f"{tmp_path}/user/notes.md", str(root), str(root)) == "~/notes.md"
    assert relative_path("~/notes.md", str(root), str(root)) == "~/notes.md"
    assert relative_path("~", str(root), str(root)) == "~"
    assert relative_path("../other/x.py", str(root), str(root)) == f"{tmp_path}/other/x.py"
    assert relative_path(f"{root}-old/x.py", str(root), str(root)) == f"{root}-old/x.py"
    assert relative_path("C:\\code\\x.py", str(root), str(root)) == "C:/code/x.py"
    assert relative_path("a/./x.py", None, str(tmp_path / "user")) == "a/x.py"
    assert relative_path("/x/../y.py", None, "/") == "/y.py"


def test_a_root_reached_through_a_link_is_the_same_root(root: Path, tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to(root)
    assert relative_path(f"{link}/src/main.py", str(root), str(root)) == "src/main.py"
    assert relative_path(f"{root}/src/main.py", str(link), str(link)) == "src/main.py"
    assert relative_path(f"{link}/src/new.py", str(root), str(root)) == "src/new.py"


def test_a_link_inside_the_root_keeps_its_own_name(root: Path):
    (root / "hosts").symlink_to("/etc/hosts")
    assert relative_path(f"{root}/hosts", str(root), str(root)) == "hosts"


@pytest.mark.parametrize("wrong", ["", "  ", "\n", "a\0b", "a\nb", "a\x1b[2Jb"])
def test_a_path_with_control_characters_or_none_at_all_is_refused(root: Path, wrong: str):
    with pytest.raises(InvalidQuery):
        relative_path(wrong, str(root), str(root))


PARTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x7f", exclude_categories=("Cc",)),
                         min_size=1, max_size=8), min_size=1, max_size=6)  # fmt: skip


@given(PARTS)
def test_a_stored_path_is_posix_and_normalising_it_again_changes_nothing(parts: list[str]):
    try:
        kept = relative_path("/".join(parts), "/no/such/root", "/no/such/root")
    except InvalidQuery:
        assert not "/".join(parts).strip()
        return
    assert "\\" not in kept
    assert "//" not in kept
    assert not {"..", "."} & set(kept.split("/")) or kept == "."
    assert relative_path(kept, "/no/such/root", "/no/such/root") == kept


@given(PARTS, st.sampled_from(["", "a", "a/b"]))
def test_absolute_and_relative_spellings_give_the_same_path(parts: list[str], below: str):
    relative = "/".join(part for part in parts if part.strip())
    root, cwd = "/no/such/root", os.path.join("/no/such/root", below)
    if not relative or relative.replace("\\", "/").startswith(("/", "~")) or ":" in relative:
        return
    kept = relative_path(relative, root, root)
    if not kept.startswith(("/", "~")):
        assert relative_path(f"{root}/{kept}", root, cwd) == kept
        assert relative_path(kept, root, cwd) == kept


@pytest.mark.parametrize(
    ("given_path", "expected"),
    [
        ("src/main.py:12", "src/main.py"),
        ("src/main.py:12:5", "src/main.py"),
        ("src/main.py:12-40", "src/main.py"),
        ("C:\\code\\x.py:7", "C:\\code\\x.py"),
        ("src/main.py", "src/main.py"),
        ("C:/code", "C:/code"),
        ("odd:name.py", "odd:name.py"),
        ("12", "12"),
        (":12", ":12"),
        ("src/:12", "src/:12"),
        ("", ""),
    ],
)
def test_line_references_are_removed_from_a_path(given_path: str, expected: str):
    assert strip_line(given_path) == expected


@pytest.mark.parametrize("content", [b"", b"hello\n", bytes(range(256)) * 10, "żółw\r\n".encode()])
def test_the_blob_id_is_the_one_git_gives(repository: Path, git, content: bytes):
    path = repository / "blob"
    path.write_bytes(content)
    assert blob_id(str(path)) == git(repository, "hash-object", "--no-filters", "blob")


def test_what_cannot_be_hashed_has_no_blob_id(tmp_path: Path):
    assert blob_id(str(tmp_path / "missing")) is None
    assert blob_id(str(tmp_path)) is None
    assert blob_id("a\0b") is None
    (tmp_path / "large").write_bytes(b"x" * (BLOB_LIMIT + 1))
    assert blob_id(str(tmp_path / "large")) is None
    (tmp_path / "just").write_bytes(b"x" * BLOB_LIMIT)
    assert blob_id(str(tmp_path / "just")) is not None
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert blob_id(str(tmp_path / "pipe")) is None
