"""A damaged database is refused or reported clearly, and never made worse."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from rum import RumError, StorageError
from support.builders import make_draft
from support.processes import Place, make_place

PAGE = 4096


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A closed project with many memories."""
    place = make_place(tmp_path)
    with place.open() as rum:
        for number in range(60):
            edit = {"type": "file_edit", "file_path": f"src/{number}.py"}
            rum.store(**make_draft(f"Goal {number} " + f"word{number} " * 60, actions=[edit]))
    return place


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def test_a_database_with_a_damaged_header_is_refused_with_advice_and_not_changed(place: Place):
    name = "rum.db"
    path = place.project() / name
    overwrite(path, 0, b"garbage!" * 20)
    before = path.read_bytes()
    with pytest.raises(StorageError) as caught:
        place.open()
    assert caught.value.code == "STORAGE_ERROR"
    assert name in caught.value.message
    assert "backup" in caught.value.message
    assert caught.value.details["path"] == str(path)
    assert path.read_bytes() == before


def told(place: Place) -> str:
    """The error on opening, or else the findings of doctor."""
    try:
        rum = place.open(owner=True)
    except StorageError as error:
        return error.message
    with rum:
        return "\n".join(f"{problem.what} {problem.advice}" for problem in rum.doctor().problems)


def use(place: Place) -> list[RumError]:
    """Call everything and return the messages; only errors of RUM may be raised."""
    said: list[RumError] = []
    with suppress(StorageError), place.open(owner=True) as rum:
        for attempt in (
            lambda: rum.recall(query="word7 goal"),
            lambda: rum.recall(file="src/"),
            lambda: rum.list(),
            lambda: [rum.show(memory.id) for memory in rum.recall(task_type="bug_fix", limit=100).memories],
            lambda: rum.store(**make_draft()),
            lambda: list(rum.export()),
        ):
            try:
                attempt()
            except RumError as error:
                said.append(error)
    return said


def pages(path: Path) -> int:
    return path.stat().st_size // PAGE


@pytest.mark.parametrize("start", range(8))
def test_damage_in_the_middle_is_reported(place: Place, start: int):
    path = place.project() / "rum.db"
    for page in range(1 + start, pages(path), 8):
        overwrite(path, page * PAGE, b"\xa5" * PAGE)
    assert re.search(r"(damaged|cannot be checked).*backup", told(place))
    for error in use(place):
        assert error.code == "STORAGE_ERROR"
        assert "damaged" in error.message


def test_a_truncated_database_is_reported(place: Place):
    path = place.project() / "rum.db"
    with path.open("r+b") as file:
        file.truncate(pages(path) // 2 * PAGE)
    assert re.search(r"(damaged|cannot be checked).*backup", told(place))
    for error in use(place):
        assert error.code == "STORAGE_ERROR"


def test_doctor_reports_rows_with_dangling_references(place: Place):
    with closing(sqlite3.connect(place.project() / "rum.db", isolation_level=None)) as db:
        db.execute("INSERT INTO memory_tags VALUES ('t', 'mem_nowhere')")
    with place.open() as rum:
        (problem,) = rum.doctor().problems
        assert "point nowhere" in problem.what


def test_a_damaged_project_is_restored_from_a_backup(place: Place, tmp_path: Path):
    with place.open() as rum:
        expected = list(rum.export())
        rum.backup(tmp_path / "copy.db")
    path = place.project() / "rum.db"
    overwrite(path, 0, b"garbage!" * 1000)
    path.write_bytes((tmp_path / "copy.db").read_bytes())
    with place.open() as rum:
        assert rum.doctor().problems == []
        assert list(rum.export()) == expected
        rum.store(**make_draft())
