"""`activity.db`: while it is damaged, locked or a folder, everything else goes on without it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

from rum.model.errors import StorageError
from rum.settings.home import file_lock
from rum.store.sqlite.connect import DAMAGED, Database, file_stat, is_busy, is_damage, storage_errors
from rum.store.sqlite.records import SQL

T = TypeVar("T")
_OPENING = 1.0  # Seconds for which opening waits for another process; nobody should wait long for this file
_SIDE_FILES = ("-wal", "-shm")
SAVED = "saved"  # The name under which it is noted what was saved of a damaged file


class ActivityFile(Database):
    """Reads as empty while it cannot be read; the next write moves a damaged file aside."""

    trouble: StorageError | None = None
    _troubled_file: tuple[int, ...] = ()

    def _start(self) -> None:
        self.trouble = None
        patience, self._patience = self._patience, min(self._patience, _OPENING)
        try:
            super()._start()
        except StorageError as error:
            if "newer RUM" in error.message:
                raise
            self._read_nothing(error)
        finally:
            self._patience = patience

    def _read_nothing(self, error: StorageError) -> None:
        """Answer from an empty database in memory."""
        self.trouble, self._troubled_file = error, self.file
        self.access = "none"
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._prepare(self)
        self._opened_stamp = self._stamp()

    def _stamp(self) -> tuple[object, ...]:
        if self.trouble is None:
            return super()._stamp()
        # A lock may be gone at any time; damage is gone when the file has changed.
        return (
            (object(),) if is_busy(self.trouble.__cause__) else (self.trouble.message, *file_stat(self.path))
        )

    @property
    def is_new(self) -> bool:
        return super().is_new and self.trouble is None

    def give_up(self, error: sqlite3.Error | StorageError) -> None:
        """Read nothing from now on if the error tells of this file's state; else raise it."""
        if isinstance(error, StorageError):
            if error.details.get("path") != self.path or not self._must_move(error):
                raise error
            told = error
        else:
            told = _explained(self.path, error)
            if not (is_busy(error) or self._must_move(told)):
                raise told from error
        self.connection.close()
        self._read_nothing(told)

    def _must_move(self, error: StorageError) -> bool:
        """Whether the file must be moved aside before anything can be written."""
        return is_damage(error.__cause__) or _folders(self.path)

    def make_writable(self) -> bool:
        if self.trouble is not None and self._must_move(self.trouble):
            with suppress(StorageError):
                self._replace()
        return self.access == "write"

    def repair(self) -> None:
        """Move the file aside if it is damaged; the rows that can be read are kept."""
        try:
            is_sound = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        except sqlite3.DatabaseError:
            is_sound = False
        if not is_sound:
            self.give_up(sqlite3.DatabaseError("some of it is not a database"))
        self.make_writable()

    def _must_be_writable(self) -> None:
        if self.trouble is not None:
            self._replace()
        super()._must_be_writable()
        if self.access != "write" and _folders(self.path):
            self._replace()

    def _replace(self) -> None:
        """Open the file again; move it aside first if it is still damaged."""
        with storage_errors(self.path), file_lock(self.path + ".lock", self._patience):
            trouble, file = self.trouble, self._troubled_file
            if trouble is None or not self._must_move(trouble) or file != self.file:
                self.reopen()  # the lock is gone, or another process has moved the file aside
                trouble = self.trouble
            if trouble is not None and not self._must_move(trouble):
                raise trouble
            if trouble is not None or (self.access != "write" and _folders(self.path)):
                self._move_aside()

    def _move_aside(self) -> None:
        self.connection.close()
        number, aside = 1, self.path + DAMAGED
        while os.path.lexists(aside):
            number += 1
            aside = f"{self.path}{DAMAGED}-{number}"
        if os.path.lexists(self.path):
            os.rename(self.path, aside)
        for side in _SIDE_FILES:  # they belong to what was moved
            if os.path.lexists(self.path + side):
                os.rename(self.path + side, aside + side)
        found = self._save_rows(aside)
        self._start()
        if self.trouble is not None:
            raise self.trouble
        with self.transaction() as db:
            db.execute(SQL["note_failure"], {"part": SAVED, "failed_at": int(time.time()), "why": found})

    def _save_rows(self, aside: str) -> str:
        """Put the rows of a damaged file that can be read into a new one; what was saved, in a sentence."""
        from rum.store.sqlite.repair import save_rows  # noqa: PLC0415 (only for a damaged file)

        new = f"{self.path}.new"
        try:
            with suppress(FileNotFoundError):
                os.unlink(new)
            saved = save_rows(aside, new, "activity") if os.path.isfile(aside) else None
        except (StorageError, sqlite3.Error):
            saved = None
        if saved is None:
            with suppress(FileNotFoundError):
                os.unlink(new)
            return "None of its rows could be read; counts and events restarted."
        os.replace(new, self.path)
        return f"{saved.rows} of its rows were saved. {saved.lost}"


class Tolerant(Generic[T]):
    """A table of the file of activity: each call that meets damage is made again without the damaged file."""

    def __init__(self, table: T, file: ActivityFile) -> None:
        self._table = table
        self._file = file

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._table, name)

        def call(*arguments: Any, **options: Any) -> Any:
            try:
                answer = method(*arguments, **options)
                is_generator = isinstance(answer, Iterator)
                return self._pages(lambda: method(*arguments, **options)) if is_generator else answer
            except (sqlite3.Error, StorageError) as error:
                self._file.give_up(error)
            self._file.make_writable()  # with the rows that can be read
            return method(*arguments, **options)

        return call

    def _pages(self, read: Callable[[], Iterator[list[Any]]]) -> Iterator[list[Any]]:
        done = 0
        try:
            for page in read():
                yield page
                done += len(page)
            return
        except (sqlite3.Error, StorageError) as error:
            self._file.give_up(error)
        self._file.make_writable()
        for page in read():
            yield page[done:]
            done = max(0, done - len(page))


def tolerant(table: T, file: ActivityFile) -> T:
    """The table, with calls that survive damage of its file."""
    return cast("T", Tolerant(table, file))


def _explained(path: str, error: sqlite3.Error) -> StorageError:
    try:
        with storage_errors(path):
            raise error
    except StorageError as told:
        return told


def _folders(path: str) -> bool:
    """Whether a folder is in place of one of the files."""
    return any(os.path.isdir(path + ending) for ending in ("", *_SIDE_FILES))
