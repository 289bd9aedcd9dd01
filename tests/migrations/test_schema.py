"""A database brought up to date is the same as a fresh one, and shipped migrations never change."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from rum.store import attempt_fingerprint
from rum.store.sqlite.connect import APPLICATION_ID
from rum.store.sqlite.migrate import SCHEMA, migrations
from rum.store.sqlite.store import SqliteStore
from rum.text import terms

SHIPPED = Path(__file__).with_name("shipped.sha256")
FAMILIES = list(SCHEMA)


def shipped() -> dict[str, str]:
    """The hash of each shipped migration, by `family/file`."""
    pairs = (line.split() for line in SHIPPED.read_text().splitlines() if not line.startswith("#"))
    return {name: digest for digest, name in pairs}


def present() -> dict[str, str]:
    files = [(family, Path(path)) for family in FAMILIES for _, _, path in migrations(family)]
    return {f"{family}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for family, path in files}


def test_no_shipped_migration_was_edited_or_removed():
    changed = [name for name, digest in shipped().items() if present().get(name) != digest]
    assert changed == [], (
        f"{changed}: a migration that somebody may have applied never changes, as databases that have it "
        f"would stay as they are. Put the change into a new file with the next number. (If it never left "
        f"this repository, renew its line in {SHIPPED.name}.)"
    )


def test_every_migration_is_listed():
    missing = [f"{digest}  {name}" for name, digest in present().items() if name not in shipped()]
    assert missing == [], f"add to {SHIPPED.name}:\n" + "\n".join(missing)


@pytest.mark.parametrize("family", FAMILIES)
def test_migrations_are_numbered_without_gaps_up_to_the_schema_of_the_store(family: str):
    numbers = [number for number, _, _ in migrations(family)]
    assert numbers == list(range(1, SCHEMA[family] + 1))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_file_beside_the_migrations_is_one(family: str):
    folder = Path(migrations(family)[0][2]).parent
    assert sorted(path.name for path in folder.iterdir()) == [
        Path(path).name for _, _, path in migrations(family)
    ]


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def described(path: Path) -> dict[str, Any]:
    """Everything about a database but its rows, and those rows that every fresh one has."""
    with opened(path) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        indexes = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")]
        say = {
            "master": sorted(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"), key=str),
            "migrations": db.execute("SELECT number, name FROM migrations").fetchall(),
        }
        for pragma in (
            "application_id",
            "user_version",
            "journal_mode",
            "encoding",
            "auto_vacuum",
            "page_size",
        ):
            say[pragma] = db.execute(f"PRAGMA {pragma}").fetchall()
        for table in tables:
            for pragma in ("table_xinfo", "index_list", "foreign_key_list"):
                say[f"{pragma} {table}"] = db.execute(f"PRAGMA {pragma}('{table}')").fetchall()
        for index in indexes:
            say[f"index_xinfo {index}"] = db.execute(f"PRAGMA index_xinfo('{index}')").fetchall()
        if "derived" in tables:
            say["derived"] = db.execute("SELECT * FROM derived").fetchall()
    return say


def build_by_hand(folder: Path, family: str, upto: int) -> None:
    """A database as a RUM of an earlier schema left it."""
    folder.mkdir(parents=True, exist_ok=True)
    with opened(folder / f"{family}.db") as db:
        for number, name, path in migrations(family)[:upto]:
            db.executescript(Path(path).read_text())
            db.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, 1))
            db.execute(f"PRAGMA user_version = {number}")
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if family == "rum" and upto:
            db.execute("INSERT INTO derived VALUES ('tokeniser', ?)", (str(terms.VERSION),))
            db.execute(
                "UPDATE derived SET value = ? WHERE name = 'attempts'", (str(attempt_fingerprint.VERSION),)
            )
        db.execute("PRAGMA journal_mode = WAL")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_database_of_every_earlier_schema_becomes_like_a_fresh_one(tmp_path: Path, family: str):
    SqliteStore(str(tmp_path / "fresh")).close()
    fresh = described(tmp_path / "fresh" / f"{family}.db")
    for schema in range(SCHEMA[family] + 1):
        folder = tmp_path / f"from-{schema}"
        if family == "activity":  # it is never created without the other
            build_by_hand(folder, "rum", SCHEMA["rum"])
        build_by_hand(folder, family, schema)
        SqliteStore(str(folder)).close()
        assert described(folder / f"{family}.db") == fresh


def test_opening_again_changes_nothing(tmp_path: Path):
    SqliteStore(str(tmp_path)).close()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    SqliteStore(str(tmp_path)).close()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
