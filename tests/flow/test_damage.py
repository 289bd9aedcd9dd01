"""A damaged database is refused or reported clearly, and never made worse."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from rum import Rum, RumError, StorageError
from rum.store.sqlite.readonly import ReadOnlyStore
from support.builders import make_draft
from support.processes import Place

PAGE = 4096


@pytest.fixture
def place(place: Place) -> Place:
    """A closed project with many memories."""
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


def drop_table(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("DROP TABLE uses")
        db.execute("DROP TABLE usefulness")


def overwrite_pages(path: Path) -> None:
    for page in range(1, pages(path)):
        overwrite(path, page * PAGE, b"\xa5" * PAGE)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("kept")


ACTIVITY_DAMAGE: dict[str, Callable[[Path], object]] = {
    "header": lambda path: overwrite(path, 0, b"garbage!" * 20),
    "garbage": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "half of it": lambda path: os.truncate(path, path.stat().st_size // 2),
    "pages": overwrite_pages,
    "names in its schema": lambda path: path.write_bytes(
        path.read_bytes()
        .replace(b"tableuses", b"table\x81\xfe\xff\xa5")
        .replace(b"CREATE TABLE uses", b"?" * 17)
    ),
    "a folder": make_folder,
    "a folder in place of its log": lambda path: path.with_name("activity.db-wal").mkdir(),
    "tables dropped": drop_table,
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: os.truncate(path, 0),
}


def work_on(rum: Rum) -> None:
    """Everything that must go on without the file of activity."""
    assert rum.list(limit=100).total >= 60
    assert rum.list(limit=100, sort="access_count").total >= 60
    stored = rum.store(**make_draft("Something after the damage"))
    assert len(rum.recall(query="word7 goal").memories) >= 1
    assert rum.recall(file="src/7.py").memories
    assert rum.show(stored.memory_id)
    assert rum.brief(task="fix word7 in the parser") is not None
    assert len(list(rum.export())) >= 60
    assert rum.report().text
    rum.forget(stored.memory_id)
    rum.settle()


@pytest.mark.parametrize("how", ACTIVITY_DAMAGE)
def test_a_damaged_file_of_activity_stands_in_nobodys_way_and_is_named(place: Place, how: str):
    path = place.project() / "activity.db"
    with place.open() as rum:
        rum.recall(query="word7")
    ACTIVITY_DAMAGE[how](path)
    what = told(place)
    assert "rum.db" not in what
    assert "backup" not in what
    if how not in ("deleted", "emptied", "a folder in place of its log"):  # those lost only counts
        assert "activity.db" in what
    for _ in range(2):
        with place.open(owner=True) as rum:
            work_on(rum)
            rum.layers.append("episodic", {"content": "an event after the damage"})
    with place.open(owner=True) as rum:
        assert "after the damage" in str(rum.layers.search("episodic", "event"))


def test_a_damaged_file_of_activity_is_moved_aside_by_the_next_write_and_never_deleted(place: Place):
    path = place.project() / "activity.db"
    for number in range(1, 3):
        path.write_bytes(b"damage %d " % number * 1000)
        with place.open() as rum:
            rum.recall(query="word7")
        ending = "" if number == 1 else f"-{number}"
        aside = path.with_name(f"activity.db.damaged{ending}")
        assert aside.read_bytes().startswith(b"damage %d" % number)
    assert "moved aside" in told(place)


def test_an_activity_file_damaged_under_a_running_process(place: Place):
    with place.open(owner=True) as rum:
        rum.recall(query="word7")
        rum.settle()
        path = place.project() / "activity.db"
        for name in ("activity.db", "activity.db-wal"):
            file = path.with_name(name)
            file.write_bytes(b"\xa5" * file.stat().st_size)
        work_on(rum)


def test_a_locked_file_of_activity_is_not_waited_for_long_by_readers(place: Place):
    path = place.project() / "activity.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with place.open() as rum:
            assert rum.recall(query="word7 goal").memories
            assert rum.list(limit=5).total >= 1
            rum.store(**make_draft())
        assert "activity.db" in told(place)
        assert "rum.db" not in told(place)
        other.execute("ROLLBACK")
    assert not list(place.project().glob("activity.db.damaged*"))
    assert told(place) == ""


def test_offers_go_on_without_the_file_of_activity(place: Place):
    (place.project() / "activity.db").write_bytes(b"garbage!" * 2000)
    store = ReadOnlyStore(str(place.project()))
    recall_store = store.recall_store()
    assert recall_store.activity.usefulness(["mem_a"]) == {}
    assert recall_store.activity.usefulness(limit=10) == {}
    assert list(store.newest_memories(3))


@pytest.mark.parametrize("how", ["emptied", "deleted"])
def test_a_memory_that_shrank_to_nothing_is_not_an_empty_memory(place: Place, how: str):
    path = place.project() / "rum.db"
    ACTIVITY_DAMAGE[how](path)
    for _ in range(2):
        with pytest.raises(StorageError, match=r"rum\.db .*had memories.*rum backup restore"):
            place.open()
    assert not path.exists() or path.stat().st_size == 0


@pytest.mark.parametrize("how", ["emptied", "deleted"])
def test_a_memory_that_vanishes_under_a_running_process_is_told(place: Place, how: str):
    with place.open() as rum:
        ACTIVITY_DAMAGE[how](place.project() / "rum.db")
        with pytest.raises(StorageError, match="had memories"):
            rum.store(**make_draft())
        with pytest.raises(StorageError, match="had memories"):
            rum.list()
