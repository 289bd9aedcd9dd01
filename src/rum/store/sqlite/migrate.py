"""Bring a database up to date: numbered SQL files, applied once, in order, under a lock."""

from __future__ import annotations

import os
import re
import sqlite3
import time

from rum.model.errors import StorageError
from rum.store import attempt_fingerprint
from rum.store.sqlite.connect import APPLICATION_ID, Database
from rum.store.sqlite.queries import SQL
from rum.text import terms

TOKENISER, ATTEMPTS = "tokeniser", "attempts"
"""The names under which the versions of the index's terms, and of the marks of what was tried, are kept."""

OLDEST_SQLITE = (3, 37, 0)
_HERE = os.path.dirname(__file__)
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")


def migrations(family: str) -> list[tuple[int, str, str]]:
    """(number, name, path) of the migrations of `rum` or `activity`, in order."""
    folder = os.path.join(_HERE, "migrations", family)
    found = [(_FILE.fullmatch(name), name) for name in sorted(os.listdir(folder))]
    return [(int(match[1]), match[2], os.path.join(folder, name)) for match, name in found if match]


def prepare(family: str, newest: int, database: Database) -> None:
    """Make sure the schema is the one this program knows; refuse a newer one."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StorageError(f"This Python has SQLite {sqlite3.sqlite_version}; RUM needs {needed} or newer.")
    known = _schema_number(database.connection)
    if known == newest:
        return
    if known > newest:
        raise StorageError(
            f"{database.path} was written by a newer RUM (schema {known}, this one knows {newest}). "
            "Upgrade with `pip install -U rum-memory`; nothing was changed.",
            path=database.path,
        )
    if database.access == "none":
        _apply(database.connection, family, 0)
    elif database.access != "write":
        raise StorageError(f"{database.path} must be brought up to date, but it can only be read from here.")
    else:
        _upgrade(database, family, newest)


def _schema_number(connection: sqlite3.Connection) -> int:
    # The tables first: when another process migrates meanwhile, whoever sees its tables sees its marks too.
    tables, application, number = (
        connection.execute(statement).fetchone()[0]
        for statement in (
            "SELECT count(*) FROM sqlite_master",
            "PRAGMA application_id",
            "PRAGMA user_version",
        )
    )
    if tables and application != APPLICATION_ID:
        raise sqlite3.DatabaseError("file is not a database of RUM's")
    return number


def _upgrade(database: Database, family: str, newest: int) -> None:
    database.patiently(lambda: database.connection.execute("PRAGMA journal_mode = WAL"))
    with database.transaction() as connection:
        known = _schema_number(connection)  # another process may have been faster
        if known < newest:
            _apply(connection, family, known)


def _apply(connection: sqlite3.Connection, family: str, known: int) -> None:
    for number, name, path in migrations(family):
        if number > known:
            with open(path, encoding="utf-8") as file:
                for statement in _statements(file.read()):
                    connection.execute(statement)
            if (family, number) == ("rum", 11):
                from rum.store.sqlite.migrate_reversals import move_reversals_into_columns  # noqa: PLC0415

                move_reversals_into_columns(connection)
            connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, int(time.time())))
            connection.execute(f"PRAGMA user_version = {number}")
    if family == "rum" and connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone() is None:
        connection.execute(SQL["set_derived"], (TOKENISER, str(terms.VERSION)))
        connection.execute(SQL["set_derived"], (ATTEMPTS, str(attempt_fingerprint.VERSION)))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _statements(script: str) -> list[str]:
    """The statements of a script; `executescript` would commit the transaction they belong to."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return [*found, pending] if pending.strip() else found
