"""Notes of another folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rum import InvalidQuery, NotFound, Rum
from support.projects import Shop

EXAMPLES = Path(__file__).parents[3] / "data" / "example_notes"
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.md"))


def notes(shop: Shop) -> Path:
    return shop.folder / ".rum" / "notes"


def test_files_keep_their_names_and_their_text(rum: Rum, shop: Shop):
    done = rum.notes.import_from(EXAMPLES)
    assert (done.added, done.unchanged, done.broken) == (4, 0, ())
    for name in NAMES:
        assert (notes(shop) / f"{name}.md").read_text() == (EXAMPLES / f"{name}.md").read_text()
    assert [one.id for one in rum.notes.list().notes] == NAMES


def test_again_adds_nothing(rum: Rum):
    rum.notes.import_from(EXAMPLES)
    done = rum.notes.import_from(EXAMPLES)
    assert (done.added, done.unchanged) == (0, 4)


def test_entries_join_the_note_of_their_title_with_fields_nobody_knows(rum: Rum, shop: Shop, tmp_path: Path):
    rum.notes.add("Auth module", "Here.", "auth")
    (tmp_path / "x.md").write_bytes(
        b"---\r\ntitle: auth MODULE # a comment\r\nwhenToUse: auth\r\nteam: blue\r\n---\r\n\r\nThere.\r\n"
        b"\r\n---\r\n\r\n---\r\ntitle: auth module\r\nwhenToUse: auth\r\n---\r\n\r\nHere.\r\n"
    )
    done = rum.notes.import_from(tmp_path)
    assert (done.added, done.unchanged) == (1, 1)
    text = (notes(shop) / "auth-module.md").read_bytes()
    assert b"title: auth MODULE # a comment\nwhenToUse: auth\nteam: blue\n---\n\nThere.\n" in text
    assert [one.content for one in rum.notes.show("auth-module").entries] == ["Here.", "There."]


def test_a_file_without_frontmatter_gets_one(rum: Rum, shop: Shop, tmp_path: Path):
    (tmp_path / "plain.md").write_text("# Plain\n\nJust text.\n")
    assert rum.notes.import_from(tmp_path).added == 1
    (entry,) = rum.notes.show("plain").entries
    assert (entry.title, entry.content) == ("Plain", "Just text.")


def test_secrets_do_not_come_in(rum: Rum, shop: Shop, tmp_path: Path):
    secret = "ghp_" + "a1B2" * 9
    (tmp_path / "a.md").write_text(f"---\ntitle: A\nwhenToUse: a\n---\n\nToken {secret}\n")
    rum.notes.import_from(tmp_path)
    assert secret not in (notes(shop) / "a.md").read_text()
    assert rum.notes.import_from(tmp_path).unchanged == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_broken_files_and_outside_links_are_skipped_and_reported(rum: Rum, tmp_path: Path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "outside.md").write_text("secret")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "bad.md").write_text("---\ntitle: [\n---\n")
    (folder / "good.md").write_text("---\ntitle: Good\nwhenToUse: a\n---\n\nYes.\n")
    done = rum.notes.import_from(folder)
    assert done.added == 1
    assert [one.file for one in done.broken] == ["bad.md", "link.md"]


def test_there_must_be_a_folder_and_another_one(rum: Rum, shop: Shop):
    with pytest.raises(NotFound):
        rum.notes.import_from("nowhere")
    rum.notes.add("A", "b", "c")
    with pytest.raises(InvalidQuery, match="already"):
        rum.notes.import_from(".rum/notes")
