"""Repair a project's files: keep a copy of them, save what can be read, restore a backup."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple

from rum.model.errors import InvalidQuery, StorageError
from rum.settings.home import ensure_private_dir
from rum.store.sqlite.connect import APPLICATION_ID, Database, file_stat, is_busy, storage_errors
from rum.store.sqlite.migrate import SCHEMA, expected_schema, prepare
from rum.store.sqlite.sql_text import sqlite_uri

_PATIENCE = 10.0  # Seconds to wait for other writers
_TRIES = 20
_MAX_NAMED = 20  # Maximum number of lost rows that are named
# Tables that `reindex` fills again, by the beginning of their names.
_DERIVED = ("memory_text", "memory_terms", "archived_text", "archived_terms", "knowledge_text", "migrations")
# What people and agents wrote, by table: what it is called, and the column that names a row.
_WRITTEN = {
    "rum": {
        "memories": ("memories", "id"),
        "facts": ("facts", "key"),
        "rules": ("rules", "id"),
        "chapters": ("chapters", "id"),
        "wisdom": ("wisdom", "id"),
        "trash": ("items of the trash", "id"),
    },
    "activity": {"events": ("events", "id")},
}
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)  # SQLite quotes a damaged schema in its messages
_COPY = "import shutil, sys; [shutil.copy2(path, sys.argv[1]) for path in sys.argv[2:]]"
_UNNAMED_AUTHORS = """
INSERT OR IGNORE INTO agents (id, type, project_id, created_at, last_active)
SELECT agent_id, 'main', '', min(created_at), max(created_at) FROM {table}
WHERE agent_id NOT IN (SELECT id FROM agents) GROUP BY agent_id
"""
# Commits whose memories were lost are only read again if nothing says that they were read.
_READ_HISTORY_AGAIN = """
UPDATE derived SET value = json_remove(value, '$.head', '$.tips')
WHERE name = 'git history' AND json_valid(value)
"""


class Repaired(NamedTuple):
    """The folder with a copy of the files before, and what was done, in order."""

    copy: str
    done: list[str]


class Saved(NamedTuple):
    """How many rows were copied from a damaged file, and what was lost, in a sentence."""

    rows: int
    lost: str


class _FileChangedError(Exception):
    """Another process has written since a copy was made."""


def repair_files(directory: str) -> Repaired:
    """Make the files of a project usable again, after copying them."""
    path, done = os.path.join(directory, "rum.db"), list[str]()

    def build(new: str) -> bool:
        done.clear()
        if not file_stat(path)[3:] > (0,):
            _create(new, "rum")
            done.append("rum.db was lost; started an empty memory. Restore a backup if you have one.")
        elif not _is_sound(path):
            saved = save_rows(path, new, "rum")
            what = f"rum.db was damaged; {saved.rows} rows that can be read were copied into a new file."
            done.append(f"{what} {saved.lost}")
        return bool(done)

    return Repaired(_exchange(path, "repair", build), done)


def restore_backup(directory: str, file: str) -> str:
    """Replace the memory by a backup; the folder to which the files before were copied."""
    _check_backup(file)

    def build(new: str) -> bool:
        _create(new, "rum")  # for its owner alone
        with closing(_open_backup(file)) as source, closing(sqlite3.connect(new)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = WAL")
        return True

    return _exchange(os.path.join(directory, "rum.db"), "restore", build)


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


def _exchange(path: str, reason: str, build: Callable[[str], bool]) -> str:
    """Copy a project's files, and give `rum.db` the content of a new file, if `build` makes one.

    Others cannot write meanwhile. The content is exchanged in one transaction, so that a process that has the
    file open goes on with the new content. Returns the folder of the copy.
    """
    folder = f"{path}.new"
    new = os.path.join(folder, "rum.db")
    with storage_errors(path):
        ensure_private_dir(os.path.dirname(path))
        for _ in range(_TRIES):
            shutil.rmtree(folder, ignore_errors=True)
            ensure_private_dir(folder)
            try:
                with _write_lock(path) as lock:
                    copy = _copy_files(os.path.dirname(path), reason, is_locked=lock is not None)
                    try:
                        is_new = build(new)
                    except BaseException:
                        shutil.rmtree(copy)
                        raise
                    if not is_new or _overwrite(new, path, copy, lock):
                        return copy
                    shutil.rmtree(copy)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        raise StorageError("Other processes keep writing; nothing was changed. Stop them, or try again.")


@contextmanager
def _write_lock(path: str) -> Generator[sqlite3.Connection | None]:
    """Keep others from writing; None if the file is too damaged for anybody to write."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        yield None
        return
    with closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as db:
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                raise
            yield None
        else:
            yield db


def _copy_files(directory: str, reason: str, *, is_locked: bool) -> str:
    """Copy both databases as they are into a new folder beside them; its path."""
    folder = os.path.join(directory, time.strftime(f"before-{reason}-%Y%m%d-%H%M%S"))
    while os.path.lexists(folder):
        folder += "-2"
    ensure_private_dir(folder)
    names = [name + side for name in ("rum.db", "activity.db") for side in ("", "-wal")]
    files = [path for name in names if os.path.isfile(path := os.path.join(directory, name))]
    if is_locked and sys.executable:
        # By another process: closing a file drops all locks of this process on it.
        copying = [sys.executable, "-I", "-c", _COPY, folder, *files]
        if subprocess.run(copying, capture_output=True, check=False).returncode:
            shutil.rmtree(folder, ignore_errors=True)
            raise StorageError(f"The files could not be copied to {folder}; nothing was changed.")
    else:
        for path in files:
            shutil.copy2(path, folder)
    return folder


def _overwrite(new: str, path: str, copy: str, lock: sqlite3.Connection | None) -> bool:
    """Give the file at `path` the content of the new one; False if others have written before that."""
    if lock is None:
        return _replace(new, path, copy)
    _renumber_vectors(new, lock)
    (version,) = lock.execute("PRAGMA data_version").fetchone()
    deadline = time.monotonic() + _PATIENCE
    is_checked = False

    def check(status: int, _left: int, _pages: int) -> None:
        nonlocal is_checked
        # From its first page on, a backup holds the lock for writing.
        if status == sqlite3.SQLITE_OK and not is_checked:
            is_checked = True
            if lock.execute("PRAGMA data_version").fetchone() != (version,):
                raise _FileChangedError
        elif not is_checked and time.monotonic() > deadline:
            raise _FileChangedError

    try:
        with closing(sqlite3.connect(new)) as source, closing(sqlite3.connect(path)) as target:
            lock.execute("ROLLBACK")  # SQLite cannot hand the lock over
            source.backup(target, pages=1, progress=check, sleep=0.01)
        return True
    except _FileChangedError:
        return False
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        return _replace(new, path, copy)


def _renumber_vectors(new: str, old: sqlite3.Connection) -> None:
    """Give vectors numbers that the old file never had: processes hold vectors in memory by number."""
    with closing(sqlite3.connect(new)) as db, db:
        for table in ("memory_vectors", "archived_vectors"):
            used = "SELECT max(seq) FROM sqlite_sequence WHERE name = ?"
            with suppress(sqlite3.DatabaseError):  # an old or a damaged file may not have it
                numbers = [file.execute(used, (table,)).fetchone()[0] or 0 for file in (db, old)]
                db.execute(f"UPDATE {table} SET number = number + ?", (max(numbers),))  # noqa: S608
                db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
                db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, 2 * max(numbers)))


def _replace(new: str, path: str, copy: str) -> bool:
    """Put a new file in place of one that nobody can write."""
    if os.path.isdir(path):
        os.rename(path, os.path.join(copy, os.path.basename(path)))
    for side in ("-wal", "-shm"):  # first, as nobody may read the new file with the old one's log
        with suppress(FileNotFoundError):
            os.unlink(path + side)
    os.replace(new, path)
    return True


def _is_sound(path: str) -> bool:
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as db:
            names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            lost = [
                name for name in expected_schema("rum") if name not in names and not name.startswith(_DERIVED)
            ]
            return not lost and db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except _DAMAGE:
        return False


def _create(path: str, family: str) -> None:
    """Create an empty database."""
    Database(path, lambda database: prepare(family, SCHEMA[family], database), durable=False).close()


def save_rows(path: str, new: str, family: str) -> Saved:
    """Copy every row that can be read into a new file; StorageError if there is none."""
    _create(new, family)
    with (
        storage_errors(path),
        closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as old,
        closing(sqlite3.connect(new, isolation_level=None)) as target,
    ):
        old.text_factory = bytes
        target.execute("BEGIN")
        saved = sum(
            _copy_table(old, target, table)
            for table in expected_schema(family)
            if not table.startswith(_DERIVED)
        )
        if not saved:
            what = f"{os.path.basename(path)} cannot be read at all; nothing was changed."
            raise StorageError(f"{what} Restore a backup with `rum backup restore FILE`.", path=path)
        if family == "rum":
            _drop_orphans(target)
            target.execute(_READ_HISTORY_AGAIN)
        target.execute("COMMIT")
        lost = [found for table in _WRITTEN[family] if (found := _lost(old, target, family, table))]
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Saved(saved, f"Lost: {'; '.join(lost)}." if lost else "No loss was found.")


def _drop_orphans(target: sqlite3.Connection) -> None:
    """Give items whose author was lost an unnamed one, and delete the parts of lost items."""
    for table in ("memories", "facts", "rules", "chapters", "wisdom"):
        target.execute(_UNNAMED_AUTHORS.format(table=table))
    for table in expected_schema("rum"):
        for _, _, parent, own, other, *_ in target.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            lost = f"{own} IS NOT NULL AND {own} NOT IN (SELECT {other} FROM {parent})"  # noqa: S608
            target.execute(f"DELETE FROM {table} WHERE {lost}")  # noqa: S608


def _copy_table(old: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    """Copy the rows of a table that can be read: from its beginning, from its end, then one by one."""
    info = target.execute(f"PRAGMA table_info({table})").fetchall()
    if not info:  # an index or a trigger
        return 0
    existing: set[str] = set()
    with suppress(*_DAMAGE):
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
        for number, *row in _readable(old, statement, values):
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


def _readable(
    db: sqlite3.Connection, statement: str, values: tuple[int, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement, up to the first that cannot be read."""
    with suppress(*_DAMAGE):
        yield from db.execute(statement, values)


def _has_rowid(target: sqlite3.Connection, table: str) -> bool:
    try:
        target.execute(f"SELECT rowid FROM {table} LIMIT 1")  # noqa: S608 a name of ours
    except sqlite3.OperationalError:
        return False
    return True


def _lost(old: sqlite3.Connection, target: sqlite3.Connection, family: str, table: str) -> str:
    """What was not copied of a table, by the names in its index, which may be whole; empty if nothing."""
    called, column = _WRITTEN[family][table]
    # SQLite reads these from the index alone.
    names = f"SELECT {column} FROM {table} ORDER BY {column}"  # noqa: S608 names of ours
    saved = {name for (name,) in target.execute(names)}
    known = {
        bytes(name).decode(errors="replace")
        for order in ("", " DESC")
        for (name,) in _readable(old, names + order)
    }
    lost = sorted(known - saved)
    some = ", ".join(lost[:_MAX_NAMED]) + (" and others" if len(lost) > _MAX_NAMED else "")
    return f"{len(lost)} {called} ({some})" if lost else ""
