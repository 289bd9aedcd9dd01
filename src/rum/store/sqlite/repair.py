"""Repair a project's files: keep a copy of them, save what can be read, restore a backup."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress

from rum.model.errors import InvalidQuery, StorageError
from rum.settings.home import ensure_private_dir
from rum.store.sqlite.connect import APPLICATION_ID, DAMAGED, file_stat, storage_errors
from rum.store.sqlite.migrate import expected_schema
from rum.store.sqlite.sql_text import sqlite_uri
from rum.store.sqlite.store import SCHEMA, SqliteStore

_SIDE_FILES = ("", "-wal", "-shm")
# Tables that `reindex` fills again, by the beginning of their names.
_DERIVED = ("memory_text", "memory_terms", "archived_text", "archived_terms", "knowledge_text", "migrations")

_UNNAMED_AUTHORS = """
INSERT OR IGNORE INTO agents (id, type, project_id, created_at, last_active)
SELECT agent_id, 'main', '', min(created_at), max(created_at) FROM {table}
WHERE agent_id NOT IN (SELECT id FROM agents) GROUP BY agent_id
"""


def copy_files(directory: str, reason: str) -> str:
    """Copy both databases as they are into a new folder beside them; its path."""
    folder = os.path.join(directory, time.strftime(f"before-{reason}-%Y%m%d-%H%M%S"))
    while os.path.lexists(folder):
        folder += "-2"
    with storage_errors(folder):
        ensure_private_dir(folder)
        for name in ("rum.db", "activity.db"):
            for side in _SIDE_FILES:
                if os.path.isfile(path := os.path.join(directory, name + side)):
                    shutil.copy2(path, os.path.join(folder, name + side))
    return folder


def repair_files(directory: str) -> list[str]:
    """Make the files of a project usable again; what was done, in order. `copy_files` comes first."""
    path = os.path.join(directory, "rum.db")
    done: list[str] = []
    with storage_errors(path):
        state = file_stat(path)
        if not state or not state[3]:
            _move_away(path)
            _move_away(os.path.join(directory, "activity.db"))
            return ["rum.db was lost; started an empty memory. Restore a backup if you have one."]
        if _is_sound(path):
            return done
    saved = _save_readable_rows(path)
    done.append(f"rum.db was damaged; {saved} rows that can be read were copied into a new file.")
    return done


def restore_backup(directory: str, file: str) -> str:
    """Replace the memory by a backup; the folder to which the files before were copied."""
    _check_backup(file)
    path = os.path.join(directory, "rum.db")
    new = f"{path}.restored"
    with storage_errors(path):
        ensure_private_dir(directory)
        kept = copy_files(directory, "restore")
        with suppress(FileNotFoundError):
            os.unlink(new)
        os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with (
            closing(sqlite3.connect(sqlite_uri(file, "ro"), uri=True)) as source,
            closing(sqlite3.connect(new)) as copy,
        ):
            source.backup(copy)
        _replace(new, path)
    return kept


def _open_backup(file: str) -> sqlite3.Connection:
    return sqlite3.connect(sqlite_uri(file, "ro"), uri=True)


def _check_backup(file: str) -> None:
    if not os.path.isfile(file):
        raise InvalidQuery(f"There is no file {file}.", field="file")
    try:
        with closing(_open_backup(file)) as db:
            (application,) = db.execute("PRAGMA application_id").fetchone()
            (number,) = db.execute("PRAGMA user_version").fetchone()
            is_sound = db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        application, number, is_sound = 0, 0, False
    if application != APPLICATION_ID or not is_sound:
        what = f"{file} is not a backup of RUM's, or it is damaged."
        raise InvalidQuery(f"{what} Nothing was changed.", field="file")
    if number > SCHEMA["rum"]:
        what = f"{file} was written by a newer RUM."
        raise StorageError(f"{what} Upgrade RUM first; nothing was changed.", path=file)


def _replace(new: str, path: str) -> None:
    """Put a new file in place of the old one, and wait for its writers first."""
    with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as old:
        with suppress(sqlite3.DatabaseError):  # it may be damaged
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            old.execute("BEGIN IMMEDIATE")
        for side in _SIDE_FILES[1:]:  # first, as nobody may read the new file with the old one's log
            with suppress(FileNotFoundError):
                os.unlink(path + side)
        os.replace(new, path)


def _move_away(path: str) -> None:
    """Remove a file of which there is a copy."""
    for side in (*_SIDE_FILES, DAMAGED):
        with suppress(FileNotFoundError):
            os.unlink(path + side)


def _is_sound(path: str) -> bool:
    try:
        with closing(sqlite3.connect(path, timeout=10)) as db:
            names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            lost = [
                name for name in expected_schema("rum") if name not in names and not name.startswith(_DERIVED)
            ]
            return not lost and db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        return False


def _save_readable_rows(path: str) -> int:
    """Copy every row that can be read into a new file, and put that in place of the damaged one."""
    folder = f"{path}.repair"
    shutil.rmtree(folder, ignore_errors=True)
    SqliteStore(folder).close()
    new = os.path.join(folder, "rum.db")
    saved = 0
    with (
        storage_errors(path),
        closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as old,
        closing(sqlite3.connect(new, isolation_level=None)) as target,
    ):
        _must_be_ours(old, path)
        old.text_factory = bytes
        target.execute("BEGIN")
        for table in expected_schema("rum"):
            if not table.startswith(_DERIVED):
                saved += _copy_table(old, target, table)
        canonical = ("memories", "facts", "rules", "chapters", "wisdom", "trash")
        if not any(target.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in canonical):  # noqa: S608
            shutil.rmtree(folder, ignore_errors=True)
            raise _unreadable(path)
        _drop_orphans(target)
        target.execute("COMMIT")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _replace(new, path)
    shutil.rmtree(folder, ignore_errors=True)
    return saved


def _drop_orphans(target: sqlite3.Connection) -> None:
    """Give items whose author was lost an unnamed one, and delete the parts of lost items."""
    for table in ("memories", "facts", "rules", "chapters", "wisdom"):
        target.execute(_UNNAMED_AUTHORS.format(table=table))
    for table in expected_schema("rum"):
        for _, _, parent, own, other, *_ in target.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            lost = f"{own} IS NOT NULL AND {own} NOT IN (SELECT {other} FROM {parent})"  # noqa: S608
            target.execute(f"DELETE FROM {table} WHERE {lost}")  # noqa: S608


def _must_be_ours(old: sqlite3.Connection, path: str) -> None:
    """Raise StorageError if nothing can be read at all."""
    try:
        old.execute("SELECT 1 FROM sqlite_master WHERE name = 'memories'").fetchone()
    except sqlite3.DatabaseError:
        raise _unreadable(path) from None


def _unreadable(path: str) -> StorageError:
    what = "rum.db cannot be read at all; nothing was changed."
    return StorageError(f"{what} Restore a backup with `rum backup restore FILE`.", path=path)


def _copy_table(old: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    """Copy the rows of a table that can be read: from its beginning, from its end, then one by one."""
    info = target.execute(f"PRAGMA table_info({table})").fetchall()
    if not info:  # an index or a trigger
        return 0
    # The file may be of an earlier schema: what it lacks gets the default.
    existing = {bytes(row[1]).decode() for row in old.execute(f"PRAGMA table_info({table})")}
    columns = [row[1] for row in info if row[1] in existing]
    if not columns:
        return 0
    texts = {row[1] for row in info if row[2] in ("TEXT", "ANY")}
    has_rowid = _has_rowid(target, table)
    keys = ["rowid"] if has_rowid else [row[1] for row in info if row[5]]
    key = "rowid" if has_rowid else "0"
    select = f"SELECT {key}, {', '.join(columns)} FROM {table} NOT INDEXED"  # noqa: S608 names of ours
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    insert = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608

    def copy(statement: str, values: tuple[int, ...] = ()) -> int:
        """Copy the rows of a statement as far as they can be read; the number of the last one."""
        last = 0
        with suppress(sqlite3.DatabaseError):
            for number, *row in old.execute(statement, values):
                last = number
                value = [
                    one.decode(errors="replace") if isinstance(one, bytes) and name in texts else one
                    for name, one in zip(columns, row, strict=True)
                ]
                with suppress(sqlite3.Error):  # a value that its column does not take
                    target.execute(insert, value)
        return last

    first = copy(f"{select} ORDER BY {', '.join(f'{key} ASC' for key in keys)}")
    last = copy(f"{select} ORDER BY {', '.join(f'{key} DESC' for key in keys)}")
    for number in range(first + 1, last) if has_rowid else ():
        copy(f"{select} WHERE rowid = ?", (number,))
    return target.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608


def _has_rowid(target: sqlite3.Connection, table: str) -> bool:
    try:
        target.execute(f"SELECT rowid FROM {table} LIMIT 1")  # noqa: S608 a name of ours
    except sqlite3.OperationalError:
        return False
    return True
