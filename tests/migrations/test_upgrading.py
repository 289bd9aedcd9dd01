"""Migrations are applied once, in order, whole or not at all, by one of many."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from rum.model.errors import StorageError
from rum.store.sqlite.connect import Database
from rum.store.sqlite.migrate import SCHEMA, prepare
from rum.store.sqlite.store import SqliteStore
from support.builders import add_memory
from support.processes import lines_of, make_place

FIRST = """
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL);
CREATE TABLE words (word TEXT);
CREATE TRIGGER two AFTER INSERT ON words WHEN new.word = 'one' BEGIN
  INSERT INTO words VALUES ('two');  -- a semicolon inside
END;
"""
SECOND = """
ALTER TABLE words ADD COLUMN length INTEGER;
UPDATE words SET length = length(word)
"""

Upgrade = Callable[[int], Database]


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """Migrations of the test's own."""
    folder = tmp_path / "family"
    folder.mkdir()
    (folder / "0001_first.sql").write_text(FIRST)
    return folder


@pytest.fixture
def upgrade(tmp_path: Path, family: Path) -> Upgrade:
    """Open a database as a program does whose newest migration is the given one."""
    path = str(tmp_path / "words.db")
    return lambda newest: Database(path, partial(prepare, str(family), newest), durable=True, patience=5)


def rows(database: Database, statement: str) -> list[tuple[object, ...]]:
    return database.connection.execute(statement).fetchall()


def test_what_is_there_is_carried_over(upgrade: Upgrade, family: Path):
    with closing(upgrade(1)) as old, old.transaction() as db:
        db.execute("INSERT INTO words VALUES ('one')")
    (family / "0002_second.sql").write_text(SECOND)
    with closing(upgrade(2)) as new:
        assert rows(new, "SELECT * FROM words") == [("one", 3), ("two", 3)]
        assert rows(new, "SELECT number, name FROM migrations") == [(1, "first"), (2, "second")]


def test_a_migration_that_fails_leaves_the_database_as_it_was(upgrade: Upgrade, family: Path, tmp_path: Path):
    with closing(upgrade(1)) as old, old.transaction() as db:
        db.execute("INSERT INTO words VALUES ('one')")
    (family / "0002_second.sql").write_text(SECOND + ";\nINSERT INTO nowhere VALUES (1);")
    with pytest.raises(StorageError, match="nowhere"):
        upgrade(2)
    with closing(upgrade(1)) as still:
        assert rows(still, "SELECT * FROM words") == [("one",), ("two",)]
        assert rows(still, "PRAGMA user_version") == [(1,)]


def digest(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("name", ["rum.db", "activity.db"])
def test_a_newer_database_is_refused_and_not_changed(tmp_path: Path, name: str):
    with closing(SqliteStore(str(tmp_path))) as store:
        add_memory(store, "mem_a")
    with closing(sqlite3.connect(tmp_path / name)) as db:
        db.execute("PRAGMA user_version = 99")
    before = digest(tmp_path)
    with pytest.raises(StorageError, match=r"newer RUM \(schema 99.*[Uu]pgrade") as caught:
        SqliteStore(str(tmp_path))
    assert name in caught.value.message
    assert digest(tmp_path) == before


def make_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
        db.commit()


STRANGERS: dict[str, Callable[[Path], object]] = {
    "another program's database": make_foreign,
    "garbage": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "a few bytes": lambda path: path.write_bytes(b"hello"),
    "text": lambda path: path.write_text("# Notes\n" * 1000),
    "a database cut short": lambda path: path.write_bytes(
        b"SQLite format 3\0" + b"\x10\0\x01\x01\0\x40\x20\x20"
    ),
}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_file_that_is_not_ours_is_refused_and_not_changed(tmp_path: Path, stranger: str):
    STRANGERS[stranger](tmp_path / "rum.db")
    before = (tmp_path / "rum.db").read_bytes()
    with pytest.raises(StorageError, match=r"rum\.db") as caught:
        SqliteStore(str(tmp_path))
    assert "backup" in caught.value.message
    assert (tmp_path / "rum.db").read_bytes() == before


@pytest.mark.parametrize("stranger", list(STRANGERS)[1:])
def test_a_damaged_file_of_counts_is_put_aside_and_does_not_stand_in_the_way(tmp_path: Path, stranger: str):
    SqliteStore(str(tmp_path)).close()
    STRANGERS[stranger](tmp_path / "activity.db")
    before = (tmp_path / "activity.db").read_bytes()
    with closing(SqliteStore(str(tmp_path))) as store:
        add_memory(store, "mem_a")
        assert store.activity.add_uses({"mem_a": 1}, 0)
        assert any("activity.db.damaged" in what for what, _ in store.upkeep.problems())
    assert (tmp_path / "activity.db.damaged").read_bytes() == before


def test_an_empty_file_is_a_fresh_database(tmp_path: Path):
    (tmp_path / "rum.db").touch(0o600)
    with closing(SqliteStore(str(tmp_path))) as store:
        add_memory(store, "mem_a")
        assert store.upkeep.problems() == []


OPENER = """
import sys
from rum.store.sqlite.store import SqliteStore

print("ready", flush=True)
sys.stdin.readline()
for folder in sys.argv[1:]:
    SqliteStore(folder).close()
"""


def test_of_many_who_open_a_fresh_store_at_once_one_migrates(tmp_path: Path):
    place = make_place(tmp_path)
    folders = [tmp_path / str(number) for number in range(40)]
    openers = [place.start(OPENER, *folders) for _ in range(6)]
    for opener in openers:
        assert opener.stdout
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        assert opener.stdin
        opener.stdin.write("go\n")
        opener.stdin.flush()
    for opener in openers:
        lines_of(opener)
    for folder in folders:
        for family, newest in SCHEMA.items():
            with closing(sqlite3.connect(folder / f"{family}.db")) as db:
                applied = [number for (number,) in db.execute("SELECT number FROM migrations")]
            assert applied == list(range(1, newest + 1))
