"""Bring the schema up to date: numbered SQL files, applied once, in order, by one process at a time."""

from __future__ import annotations

import os
import re
import time

import psycopg

from rum.model.errors import StorageError
from rum.store.postgres.pool import OLDEST

_HERE = os.path.join(os.path.dirname(__file__), "migrations")
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_LOCK = 0x52554D31  # Of the advisory lock; no project has it


def migrations() -> list[tuple[int, str, str]]:
    """(number, name, path) of the migrations, in order."""
    found = [(_FILE.fullmatch(name), name) for name in sorted(os.listdir(_HERE))]
    return [(int(match[1]), match[2], os.path.join(_HERE, name)) for match, name in found if match]


class Preparation:
    """Prepares a database when a process first connects to it."""

    def __init__(self) -> None:
        self._done = False

    def __call__(self, connection: psycopg.Connection) -> None:
        """Update the schema to the version of this program; refuse a newer one."""
        if self._done:
            return
        if connection.info.server_version < OLDEST:
            raise StorageError("RUM needs PostgreSQL 15 or newer.")
        newest, known = migrations()[-1][0], schema_number(connection)
        if known < newest and _is_replica(connection):
            raise StorageError("The replica has an older schema.")  # the leader is asked instead
        if known < newest:
            _upgrade(connection)
        elif known > newest:
            raise StorageError(
                f"The database was written by a newer RUM (schema {known}, this one knows {newest}). "
                "Upgrade with `pip install -U rum-memory`; nothing was changed."
            )
        self._done = True


def _is_replica(connection: psycopg.Connection) -> bool:
    row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
    return row is not None and row[0]


def schema_number(connection: psycopg.Connection) -> int:
    """The newest migration that was applied; 0 for a database without any."""
    row = connection.execute("SELECT to_regclass('rum.migrations') IS NOT NULL").fetchone()
    if row is None or not row[0]:
        return 0
    row = connection.execute("SELECT coalesce(max(number), 0) FROM rum.migrations").fetchone()
    return row[0] if row else 0


def _upgrade(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
        connection.execute(
            "CREATE SCHEMA IF NOT EXISTS rum; "
            "SET LOCAL search_path = rum; SET LOCAL client_min_messages = warning; "
            "CREATE TABLE IF NOT EXISTS migrations "
            "(number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)"
        )
        known = schema_number(connection)  # another process may have been faster
        for number, name, path in migrations():
            if number > known:
                with open(path, encoding="utf-8") as file:
                    connection.execute(file.read().encode())
                connection.execute(
                    "INSERT INTO migrations VALUES (%s, %s, %s)", (number, name, int(time.time()))
                )
