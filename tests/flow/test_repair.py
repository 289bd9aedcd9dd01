"""What is damaged can be repaired: derived tables are rebuilt, readable rows saved, backups restored."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from rum import InvalidQuery, Rum, StorageError
from support.builders import make_draft
from support.processes import Place, end
from support.repositories import Repository

PAGE = 4096


@pytest.fixture
def place(place: Place) -> Place:
    with place.open(owner=True) as rum:
        for number in range(60):
            rum.store(
                **make_draft(
                    f"Goal {number} " + f"word{number} " * 60,
                    tags=["goal"],
                    actions=[{"type": "file_edit", "file_path": f"src/{number}.py"}],
                )
            )
        rum.facts.set("build", "make")
    return place


def execute(place: Place, *statements: str) -> None:
    with closing(sqlite3.connect(place.project() / "rum.db", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


DROPPED = {
    "text index": ["DROP TABLE memory_terms", "DROP TABLE memory_text"],
    "a part of the text index": ["DROP TABLE memory_text_idx"],
    "archive's index": ["DROP TABLE archived_terms", "DROP TABLE archived_text"],
    "index of chapters": ["DROP TABLE knowledge_text"],
    "words of the text index": ["DROP TABLE memory_terms"],
    "tags": ["DROP TABLE memory_tags"],
    "vectors": ["DROP TABLE memory_vectors", "DROP TABLE archived_vectors", "DROP TABLE unembedded"],
    "attempts and renames": ["DROP TABLE attempts", "DROP TABLE renames"],
    "figures": ["DROP TABLE derived"],
    "an index and a trigger": ["DROP INDEX memories_created", "DROP TRIGGER memories_without_origin"],
}


@pytest.mark.parametrize("what", DROPPED)
def test_reindex_rebuilds_derived_tables_that_are_missing(place: Place, what: str):
    with closing(sqlite3.connect(place.project() / "rum.db", isolation_level=None)) as db:
        for statement in DROPPED[what]:
            db.execute(statement)
    with place.open(owner=True) as rum:
        problems = rum.doctor().problems
        assert any("rum.db" in problem.what and "rum reindex" in problem.advice for problem in problems)
        rum.reindex()
        assert rum.doctor().problems == []
        assert rum.recall(query="word7").memories
        assert len(rum.recall(tags=["goal"], limit=100).memories) == 60
        rum.store(**make_draft())


def test_repairing_saves_what_can_be_read(place: Place):
    path = place.project() / "rum.db"
    execute(place)
    data = path.read_bytes()
    size = len(data)
    with path.open("r+b") as file:
        # The leaves that hold these memories; pages of the schema would leave nothing to read.
        for page in {data.index(b'"goal":"Goal %d ' % number) // PAGE for number in (10, 30)}:
            file.seek(page * PAGE)
            file.write(b"\xa5" * PAGE)
    found = Rum.repair(place.work, home=place.home)
    assert found.facts["repaired"]
    assert Path(found.facts["copy"], "rum.db").stat().st_size == size
    with place.open(owner=True) as rum:
        assert not [problem for problem in rum.doctor().problems if "damaged" in problem.what]
        assert 40 < rum.list(limit=100).total < 60
        rum.store(**make_draft())


@pytest.mark.parametrize("size", [0, None])
def test_repairing_a_lost_memory_starts_an_empty_one(place: Place, size: int | None):
    path = place.project() / "rum.db"
    os.truncate(path, 0) if size == 0 else path.unlink()
    found = Rum.repair(place.work, home=place.home)
    assert "empty memory" in found.facts["repaired"][0]
    with place.open(owner=True) as rum:
        assert rum.list().total == 0
        rum.store(**make_draft())


def test_repairing_what_is_healthy_changes_nothing(place: Place):
    assert "copy" not in Rum.repair(place.work, home=place.home).facts
    assert not list(place.project().glob("before-*"))


def test_what_cannot_be_read_at_all_is_left_alone(place: Place):
    path = place.project() / "rum.db"
    path.write_bytes(b"garbage!" * 5000)
    with pytest.raises(StorageError, match="backup restore"):
        Rum.repair(place.work, home=place.home)
    assert path.read_bytes() == b"garbage!" * 5000


@pytest.mark.parametrize("damage", ["none", "garbage", "missing", "empty"])
def test_a_backup_is_restored_over_anything(place: Place, tmp_path: Path, damage: str):
    copy = tmp_path / "copy.db"
    with place.open(owner=True) as rum:
        rum.backup(copy)
        later = rum.store(**make_draft("Later")).memory_id
        path = place.project() / "rum.db"
        if damage == "garbage":
            path.write_bytes(b"garbage!" * 5000)
        elif damage == "missing":
            path.unlink()
        elif damage == "empty":
            os.truncate(path, 0)
        kept = Rum.restore_backup(copy, place.work, home=place.home)
        assert rum.list(limit=100).total == 60  # a process that was running sees it too
    assert Path(kept).is_dir()
    with place.open(owner=True) as rum:
        assert rum.list(limit=100).total == 60
        assert later not in [memory.id for memory in rum.list(limit=100).memories]
        assert rum.doctor().problems == []
        rum.store(**make_draft())


def test_a_damaged_backup_is_refused(place: Place, tmp_path: Path):
    (tmp_path / "bad.db").write_bytes(b"garbage!" * 5000)
    for file in (tmp_path / "bad.db", tmp_path / "nowhere.db"):
        with pytest.raises(InvalidQuery):
            Rum.restore_backup(file, place.work, home=place.home)
    with place.open(owner=True) as rum:
        assert rum.list(limit=100).total == 60


WRITE = """
import itertools, sys
from support.builders import make_draft
from rum import Rum

rum = Rum.open()
for number in itertools.count():
    print(rum.store(**make_draft(f"Meanwhile {number}")).memory_id, flush=True)
"""


def acknowledged_during(place: Place, change: Callable[[], object], rounds: int = 6) -> set[str]:
    """The ids that a writer got while the files were changed several times."""
    writer = place.start(WRITE)
    assert writer.stdout
    ids: list[str] = []
    reader = threading.Thread(target=lambda: ids.extend(writer.stdout))
    reader.start()
    try:
        for _ in range(rounds):
            seen = len(ids)
            change()
            while len(ids) < seen + 10 and writer.poll() is None:
                time.sleep(0.01)
        assert writer.poll() is None
    finally:
        writer.kill()
        reader.join()
        end(writer)
    return {one.strip() for one in ids if one.endswith("\n")}


def test_no_write_is_lost_while_files_are_repaired(place: Place):
    def mend() -> None:
        execute(place, "DROP TABLE reviews")  # a reason to copy all rows, which stops no writer
        assert Rum.repair(place.work, home=place.home).facts["repaired"]

    written = acknowledged_during(place, mend)
    with place.open(owner=True) as rum:
        assert written <= ids_in(rum)


def test_no_write_is_lost_while_a_backup_is_restored(place: Place, tmp_path: Path):
    with place.open(owner=True) as rum:
        rum.backup(tmp_path / "copy.db")
    kept: list[str] = []
    written = acknowledged_during(
        place, lambda: kept.append(Rum.restore_backup(tmp_path / "copy.db", place.work, home=place.home))
    )
    with place.open(owner=True) as rum:
        found = ids_in(rum)
    for folder in kept:
        with closing(sqlite3.connect(Path(folder, "rum.db"))) as db:
            found |= {one for (one,) in db.execute("SELECT id FROM memories")}
    assert written <= found


def ids_in(rum: Rum) -> set[str]:
    return {msgspec.json.decode(line).get("memory", {}).get("id") for line in rum.export()}


def damage_leaf(path: Path, text: bytes) -> None:
    """Overwrite the page that has a text."""
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(data.index(text) // PAGE * PAGE)
        file.write(b"\xa5" * PAGE)


def test_a_damaged_page_is_one_problem_with_advice_and_mending_names_what_was_lost(place: Place):
    execute(place)
    damage_leaf(place.project() / "rum.db", b'"goal":"Goal 30 ')
    with place.open(owner=True) as rum:
        problems = [one for one in rum.doctor().problems if "rum.db" in one.what]
    assert len(problems) == 1
    assert "rum backup restore" in problems[0].advice
    assert "rum doctor --mend" in problems[0].advice
    with place.open(owner=True) as rum:
        before = ids_by_index(place)
    repaired = Rum.repair(place.work, home=place.home).facts["repaired"]
    with place.open(owner=True) as rum:
        lost = before - ids_in(rum)
    assert lost
    assert f"Lost: {len(lost)} memories" in repaired[0]
    assert all(one in repaired[0] for one in lost)


def test_commits_whose_memories_were_lost_are_imported_again(place: Place, tmp_path: Path):
    repository = Repository(tmp_path / "repository")
    for number in range(40):
        repository.commit(f"Fix fault{number} in the parser", {f"src/{number}.py": f"x = {number}\n"})
    with place.open(owner=True) as rum:
        assert rum.import_git(repository.root).added == 40
    execute(place)
    damage_leaf(place.project() / "rum.db", b'"goal":"Fix fault20 ')
    Rum.repair(place.work, home=place.home)
    with place.open(owner=True) as rum:
        before = len(ids_in(rum))
        added = rum.import_git(repository.root).added
        assert added > 0
        assert len(ids_in(rum)) == before + added
        assert rum.import_git(repository.root).added == 0


def ids_by_index(place: Place) -> set[str]:
    with closing(sqlite3.connect(place.project() / "rum.db")) as db:
        return {one for (one,) in db.execute("SELECT id FROM memories ORDER BY id")}


def append_events(place: Place, number: int) -> None:
    with place.open(owner=True) as rum:
        for one in range(number):
            rum.layers.append("episodic", {"content": f"Event {one} " + "word " * 100})
    with closing(sqlite3.connect(place.project() / "activity.db", isolation_level=None)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize("mended", [False, True])
def test_events_survive_when_a_damaged_file_of_activity_is_moved_aside(place: Place, mended: bool):
    append_events(place, 60)
    damage_leaf(place.project() / "activity.db", b"Event 30 ")
    with place.open(owner=True) as rum:
        rum.layers.append("episodic", {"content": "Event after the damage"})
        if mended:
            assert "rum doctor --mend" in rum.doctor().problems[0].advice
            Rum.repair(place.work, home=place.home)
        left = sum(b'"kind":"event"' in line for line in rum.export())
        (problem,) = rum.doctor().problems
    assert 40 < left < 61
    assert "activity.db.damaged" in problem.what
    assert f"Lost: {61 - left} events" in problem.what


def test_nothing_of_a_file_of_activity_that_cannot_be_read_is_told_too(place: Place):
    append_events(place, 3)
    (place.project() / "activity.db").write_bytes(b"garbage!" * 2000)
    append_events(place, 1)
    with place.open(owner=True) as rum:
        assert "none of its rows could be read" in rum.doctor().problems[0].what.lower()


def test_events_survive_a_lost_memory(place: Place):
    append_events(place, 3)
    (place.project() / "rum.db").unlink()
    Rum.repair(place.work, home=place.home)
    with place.open(owner=True) as rum:
        assert sum(b'"kind":"event"' in line for line in rum.export()) == 3
