"""A folder of notes on a real disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.model.notes import Entry
from rum.store.files.notes.folder import LIMIT, Added, NoteFolder, slug_of
from rum.store.files.notes.text import entry_text


@pytest.fixture
def folder(tmp_path: Path) -> NoteFolder:
    return NoteFolder(str(tmp_path / "notes"))


def entry(title: str = "Auth module", content: str = "text") -> str:
    return entry_text(
        Entry(n=1, title=title, content=content, when_to_use=("auth",), discovered_at=1769164200)
    )


def add(
    folder: NoteFolder, title: str = "Auth module", content: str = "text", first: str | None = None
) -> Added:
    return folder.add(title, entry(title, content), first)


def files(folder: NoteFolder) -> set[str]:
    return set(os.listdir(folder.path))


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Authentication Module Structure", "authentication-module-structure"),
        ("OAuth2: was it too broad?", "oauth2-was-it-too-broad"),
        ("../../etc/passwd", "etc-passwd"),
        ("/etc/passwd", "etc-passwd"),
        ("C:\\Windows\\system.ini", "c-windows-system-ini"),
        ("..", "note"),
        ("!!!", "note"),
        (".hidden", "hidden"),
        ("snake_case name", "snake-case-name"),
        ("CON", "note-con"),
        ("com1", "note-com1"),
        ("Größe der Datei", "grösse-der-datei"),
        ("登录 页面", "登录-页面"),
        ("a" * 300, "a" * 80),
        ("word " * 60, "-".join(["word"] * 16)),
        ("登" * 190, "登" * 66),
    ],
)
def test_a_title_becomes_a_name_that_no_file_system_minds(title: str, slug: str):
    assert slug_of(title) == slug


def test_the_same_title_adds_an_entry_and_changes_nothing_before_it(folder: NoteFolder):
    assert add(folder, content="older") == ("auth-module", 1)
    before = folder.bytes("auth-module")
    assert add(folder, "AUTH   module", "newer") == ("auth-module", 2)
    assert folder.bytes("auth-module").startswith(before)
    assert [one.content for one in folder.note("auth-module").entries] == ["older", "newer"]
    assert files(folder) == {"auth-module.md"}


def test_another_title_with_the_same_slug_gets_a_file_of_its_own(folder: NoteFolder):
    names = [
        add(folder, title).slug for title in ("Auth module", "Auth: module", "Auth-module", "Auth: module")
    ]
    assert names == ["auth-module", "auth-module-2", "auth-module-3", "auth-module-2"]


def test_a_name_may_be_preferred_to_the_titles(folder: NoteFolder):
    assert add(folder, first="by-hand") == ("by-hand", 1)
    assert add(folder, first="by-hand") == ("by-hand", 2)
    assert add(folder, "Other", first="by-hand") == ("other", 1)


@pytest.mark.parametrize(
    "broken", [b"---\ntitle: [\n---\n", b"\xff\xfe\x00", b"---\ntitle: Auth module\n", b"a\0b"]
)
def test_a_broken_file_is_left_as_it_is(folder: NoteFolder, broken: bytes):
    os.mkdir(folder.path)
    path = Path(folder.file("auth-module"))
    path.write_bytes(broken)
    assert add(folder) == ("auth-module-2", 1)
    assert path.read_bytes() == broken
    with pytest.raises((InvalidQuery, StorageError)) as raised:
        folder.note("auth-module")
    assert str(path) in raised.value.message


def test_a_full_file_is_followed_by_another(folder: NoteFolder):
    os.mkdir(folder.path)
    path = Path(folder.file("auth-module"))
    path.write_bytes(entry(content="x" * (LIMIT - 200)).encode())
    size = path.stat().st_size
    assert add(folder) == ("auth-module-2", 1)
    assert path.stat().st_size == size


def test_a_huge_file_is_refused_unread(folder: NoteFolder):
    os.mkdir(folder.path)
    Path(folder.file("big")).write_bytes(b"x" * 10_000_000)
    with pytest.raises(StorageError, match="larger than 1024 kB"):
        folder.note("big")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_that_leads_out_is_neither_read_nor_written(folder: NoteFolder, tmp_path: Path):
    os.mkdir(folder.path)
    outside = tmp_path / "secret.md"
    outside.write_text(entry())
    os.symlink(outside, folder.file("auth-module"))
    with pytest.raises(InvalidQuery, match="leads out of"):
        folder.note("auth-module")
    assert add(folder) == ("auth-module-2", 1)
    assert outside.read_text() == entry()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_a_pipe_does_not_make_anybody_wait(folder: NoteFolder):
    os.mkdir(folder.path)
    os.mkfifo(folder.file("auth-module"))
    with pytest.raises(StorageError, match="regular file"):
        folder.note("auth-module")
    assert add(folder) == ("auth-module-2", 1)


def test_a_byte_order_mark_stays_where_it_is(folder: NoteFolder):
    os.mkdir(folder.path)
    path = Path(folder.file("auth-module"))
    path.write_bytes(b"\xef\xbb\xbf" + entry(content="older").encode())
    assert add(folder, content="newer") == ("auth-module", 2)
    assert path.read_bytes().count(b"\xef\xbb\xbf") == 1
    folder.remove("auth-module", 1)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf---\n")
    assert [one.content for one in folder.note("auth-module").entries] == ["newer"]


def test_an_entry_is_removed_and_the_last_takes_the_file_with_it(folder: NoteFolder):
    for content in ("one", "two", "three"):
        add(folder, content=content)
    folder.remove("auth-module", 2)
    assert [one.content for one in folder.note("auth-module").entries] == ["one", "three"]
    folder.remove("auth-module", 2)
    folder.remove("auth-module", 1)
    assert files(folder) == set()
    with pytest.raises(NotFound):
        folder.note("auth-module")


def test_only_markdown_files_are_notes(folder: NoteFolder):
    assert folder.file_stamps() == {}
    add(folder)
    for name in (".hidden.md", "a.txt", "README", "b.markdown"):
        (Path(folder.path) / name).write_text("x")
    assert list(folder.file_stamps()) == ["auth-module"]


def test_an_entry_that_would_be_swallowed_goes_elsewhere(folder: NoteFolder):
    os.mkdir(folder.path)
    path = Path(folder.file("auth-module"))
    # The fence of the first entry was left open by hand: a fence in a later entry would close it.
    open_fence = entry(content="").rstrip() + "\n\n~~~\ncode\n\n---\n\n" + entry(content="second")
    path.write_text(open_fence)
    assert [one.content for one in folder.note("auth-module").entries] == ["~~~\ncode", "second"]
    assert add(folder, content="~~~\nmore\n~~~").slug == "auth-module-2"
    assert path.read_text() == open_fence


def test_after_many_entries_another_file_is_begun(folder: NoteFolder):
    os.mkdir(folder.path)
    path = Path(folder.file("auth-module"))
    path.write_text("\n---\n\n".join([entry()] * 500))
    assert add(folder) == ("auth-module-2", 1)
