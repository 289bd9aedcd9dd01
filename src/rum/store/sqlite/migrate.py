"""Bring a database up to date: numbered SQL files, applied once, in order, under a lock."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from contextlib import closing, suppress
from functools import cache
from typing import Any

from rum.model.errors import StorageError
from rum.model.memory import split_old_summary
from rum.store import attempt_fingerprint
from rum.store.sqlite.connect import APPLICATION_ID, Database
from rum.store.sqlite.records import SQL
from rum.store.tables.rows import packed, unpacked
from rum.text import terms

# The names under which the versions of the index terms and of the marks of attempts are stored.
TOKENISER, ATTEMPTS = "tokeniser", "attempts"

SCHEMA = {"rum": 19, "activity": 8}  # The newest migration of each file
OLDEST_SQLITE = (3, 37, 0)
_HERE = os.path.dirname(__file__)
_LAYERS = 5
# What JSON raises that is damaged or of another shape. One damaged row must not keep a store from opening.
_DAMAGED = (ValueError, TypeError, KeyError, AttributeError)
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")


def migrations(family: str) -> list[tuple[int, str, str]]:
    """(number, name, path) of the migrations of `rum` or `activity`, in order."""
    folder = os.path.join(_HERE, "migrations", family)
    found = [(_FILE.fullmatch(name), name) for name in sorted(os.listdir(folder))]
    return [(int(match[1]), match[2], os.path.join(folder, name)) for match, name in found if match]


@cache
def expected_schema(family: str) -> dict[str, str]:
    """The SQL of every table, index and trigger of an up-to-date database, by name; tables come first."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _apply(connection, family, 0)
        return dict(connection.execute(SQL["schema_in_order"]).fetchall())


def prepare(family: str, newest: int, database: Database) -> None:
    """Update the schema to the version of this program; refuse a newer one."""
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
    # The tables first: if another process migrates meanwhile, its tables are never seen without its marks.
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
                _move_reversals_into_columns(connection)
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


_REVERTED = """
SELECT m.seq, m.id, m.intent_goal, m.outcome_summary, m.outcome, a.form, a.data
FROM memories AS m LEFT JOIN archived AS a ON a.memory = m.seq
WHERE m.origin_kind = 'commit' AND m.outcome_summary LIKE '%; reverted by %'
"""
_UNDOER = """
SELECT n.id, n.git_commit FROM memory_links AS l JOIN memories AS n ON n.id = l.source_id
WHERE l.target_id = ? AND l.link_type = 'caused_by' AND substr(n.git_commit, 1, length(?)) = ? LIMIT 1
"""
_VERSIONS = """
SELECT memory_id, version, data FROM memory_versions
WHERE data LIKE '%; reverted by %' AND memory_id IN (SELECT id FROM memories WHERE origin_kind = 'commit')
"""


def _move_reversals_into_columns(db: sqlite3.Connection) -> None:
    """Fill the columns of migration 11 from commits' summaries and clean those, archived ones too.

    SQL cannot do it. It runs in the migration's transaction, so it happens once and as a whole.
    """
    for seq, memory_id, goal, summary, outcome, form, data in db.execute(_REVERTED).fetchall():
        cleaned, commit = split_old_summary(summary)
        if commit is None:
            continue
        layers = None if data is None else _unpack(form, data, goal, summary)
        if data is not None and layers is None:
            continue  # a damaged blob can only be read with the summary it was packed with
        reason = _clean_outcome(outcome if layers is None else layers[-1])
        undoer = db.execute(_UNDOER, (memory_id, commit, commit)).fetchone() or (commit, commit)
        values: dict[str, Any] = {
            "seq": seq,
            "summary": cleaned,
            "by": undoer[0],
            "commit": undoer[1],
            "reason": reason[1],
        }
        db.execute(
            "UPDATE memories SET outcome_summary = :summary, reverted_by = :by, reverted_commit = :commit, "
            "reverted_reason = :reason WHERE seq = :seq",
            values,
        )
        if layers is None:
            db.execute("UPDATE memories SET outcome = ? WHERE seq = ?", (reason[0], seq))
        else:
            blob = packed([*layers[:-1], reason[0]], goal, cleaned)
            db.execute("UPDATE archived SET data = ? WHERE memory = ?", (blob, seq))
    for memory_id, version, data in db.execute(_VERSIONS).fetchall():
        with suppress(*_DAMAGED):
            content = json.loads(data)
            content["outcome"]["summary"] = split_old_summary(content["outcome"]["summary"])[0]
            db.execute(
                "UPDATE memory_versions SET data = ? WHERE memory_id = ? AND version = ?",
                (_encode(content), memory_id, version),
            )


def _unpack(form: int, data: bytes, goal: str, summary: str) -> list[str] | None:
    try:
        layers = unpacked(form, data, goal, summary)
    except ValueError:
        return None
    return layers if len(layers) == _LAYERS else None


def _clean_outcome(text: str) -> tuple[str, str | None]:
    """An outcome's JSON with a clean summary, and why it failed; damaged JSON is returned unchanged."""
    try:
        outcome = json.loads(text)
        outcome["summary"] = split_old_summary(outcome["summary"])[0]
        return _encode(outcome), outcome.get("failure_reason")
    except _DAMAGED:
        return text, None


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
