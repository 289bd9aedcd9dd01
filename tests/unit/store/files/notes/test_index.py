"""The index of a notes folder: always current, and no file is read twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rum.model.notes import Broken, Note
from rum.store.files.notes.folder import SETTLED, NoteFolder, NoteIndex


class Counting:
    """Makes heads, and counts for which notes it was asked to."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def head(self, note: Note) -> list[str]:
        self.asked.append(note.slug)
        return [entry.title for entry in note.entries]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "notes"
    path.mkdir()
    return path


def index(folder: Path, made: Counting, version: str = "1") -> NoteIndex[list[str]]:
    path = str(folder.parent / "index.json")
    return NoteIndex(NoteFolder(str(folder)), path, list[str], made.head, version)


def write(folder: Path, name: str, title: str, *, ago: float = 60) -> Path:
    path = folder / f"{name}.md"
    path.write_text(f"---\ntitle: {title}\n---\n")
    at = path.stat().st_mtime_ns - int(ago * 1e9)
    os.utime(path, ns=(at, at))
    return path


def test_it_holds_what_the_files_say(folder: Path):
    write(folder, "b", "B")
    write(folder, "a", "A")
    assert index(folder, Counting()).refresh() == ({"a": ["A"], "b": ["B"]}, [])


def test_only_a_file_that_changed_is_read_again(folder: Path):
    write(folder, "a", "A")
    write(folder, "b", "B")
    made = Counting()
    kept = index(folder, made)
    kept.refresh()
    write(folder, "b", "B again", ago=30)
    assert kept.refresh()[0] == {"a": ["A"], "b": ["B again"]}
    assert made.asked == ["a", "b", "b"]


def test_another_process_reads_nothing_that_is_known(folder: Path):
    write(folder, "a", "A")
    index(folder, Counting()).refresh()
    made = Counting()
    assert index(folder, made).refresh()[0] == {"a": ["A"]}
    assert made.asked == []


def test_a_file_that_was_touched_and_says_the_same_is_not_parsed_again(folder: Path):
    write(folder, "a", "A", ago=60)
    made = Counting()
    kept = index(folder, made)
    kept.refresh()
    write(folder, "a", "A", ago=30)
    assert kept.refresh()[0] == {"a": ["A"]}
    assert made.asked == ["a"]


def test_a_change_within_the_same_clock_tick_is_noticed(folder: Path):
    path = write(folder, "a", "A", ago=0)
    state = path.stat()
    kept = index(folder, Counting())
    kept.refresh()
    with path.open("r+") as file:
        file.write("---\ntitle: Z\n---\n")
    os.utime(path, ns=(state.st_mtime_ns, state.st_mtime_ns))
    assert kept.refresh()[0] == {"a": ["Z"]}
    assert SETTLED >= 1_000_000_000


def test_a_missing_file_is_removed_and_a_broken_one_is_reported(folder: Path):
    write(folder, "a", "A").unlink()
    (folder / "b.md").write_text("---\ntitle: [\n---\n")
    kept = index(folder, Counting())
    heads, (broken,) = kept.refresh()
    assert heads == {}
    assert isinstance(broken, Broken)
    assert broken.file == "b.md"
    assert "line 3" in broken.problem
    write(folder, "b", "mended")
    assert kept.refresh() == ({"b": ["mended"]}, [])


@pytest.mark.parametrize("spoilt", [b"", b"{", b'{"version":"1"}', b"[1,2]", b"\xff"])
def test_a_damaged_index_is_rebuilt(folder: Path, spoilt: bytes):
    write(folder, "a", "A")
    index(folder, Counting()).refresh()
    (folder.parent / "index.json").write_bytes(spoilt)
    assert index(folder, Counting()).refresh()[0] == {"a": ["A"]}


def test_an_index_of_another_version_or_folder_counts_for_nothing(folder: Path, tmp_path: Path):
    write(folder, "a", "A")
    index(folder, Counting()).refresh()
    made = Counting()
    index(folder, made, version="2").refresh()
    assert made.asked == ["a"]
    other = tmp_path / "other"
    other.mkdir()
    assert index(other, Counting()).refresh() == ({}, [])


def test_rebuilding_reads_everything(folder: Path):
    write(folder, "a", "A")
    made = Counting()
    kept = index(folder, made)
    kept.refresh()
    kept.rebuild()
    assert made.asked == ["a", "a"]


def test_it_works_where_nothing_can_be_written(folder: Path, tmp_path: Path):
    write(folder, "a", "A")
    (tmp_path / "file").write_text("")
    nowhere = NoteIndex(
        NoteFolder(str(folder)), str(tmp_path / "file" / "index.json"), list[str], Counting().head, "1"
    )
    assert nowhere.refresh()[0] == {"a": ["A"]}
