"""One SQLite file: private, written in short transactions, and readable even if it cannot be written."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, suppress

from rum.model.errors import InvalidQuery, StorageError
from rum.store.sqlite.sql_text import sqlite_uri
from rum.store.tables.rows import DamagedRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

DAMAGED = ".damaged"  # Suffix of a damaged file that was moved aside
APPLICATION_ID = 0x52554D31
_ADVICE = (
    ("is full", "The disk is full; free some space and try again. Nothing was written."),
    (
        "disk I/O",
        "The disk is full, over its quota, or failing; make room and try again. Nothing was written.",
    ),
    (
        "readonly",
        "The memory can only be read from here; run where RUM_HOME can be written, or set RUM_HOME.",
    ),
    ("locked", "The memory was locked by other processes for too long; try again."),
    ("vtable", "The text index is damaged; run `rum reindex`."),
    ("fts5", "The text index is damaged; run `rum reindex`."),
    ("malformed JSON", "A row is damaged; run `rum doctor`."),
    ("UTF-8", "A row is damaged; run `rum doctor`."),
    ("malformed", "The database is damaged; run `rum doctor`, then restore a backup."),
    ("not a database", "This file is not a RUM database; move it away, or restore a backup."),
    ("unable to open", "Check that the folder exists and belongs to you; `rum doctor` looks closer."),
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_SIDE_FILES = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
_SQLITE_TIMEOUT = 0.25  # Seconds that SQLite itself waits for a lock
_FIRST_READ = "SELECT count(*) FROM sqlite_master"


@contextmanager
def storage_errors(path: str) -> Generator[None]:
    """Turn SQLite's errors into a StorageError that says which file and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(path, str(error)) from error
    except MemoryError as error:  # also raised for a damaged file with an absurd size in it
        raise _explained(path, "out of memory") from error
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror or error}. Check the folder and its owner.", path=path
        ) from error
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise InvalidQuery(
            f"A text holds half a character ({half}, a lone surrogate) and cannot be stored."
        ) from error
    except OverflowError as error:
        raise InvalidQuery("A number is too large to be stored.") from error


def _explained(path: str, text: str) -> StorageError:
    name = os.path.basename(path)
    # SQLite quotes what it cannot decode, or the damaged schema; a message must not.
    if text.startswith("Could not decode"):
        text = "a text is not valid UTF-8"
    text = text.partition(" (")[0].rstrip(".")
    advice = next((advice for sign, advice in _ADVICE if sign in text), "Run `rum doctor`.")
    if name == "activity.db" and "restore a backup" in advice:
        advice = "It holds counts and captured events; memories do not depend on it."
    return StorageError(f"{name}: {text}. {advice}", path=path)


def is_busy(error: BaseException | None) -> bool:
    """Whether another process held a lock for too long."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite found that a file is damaged, or not a database of RUM's."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return True
    # Raised by `migrate`, or by SQLite if a table was dropped.
    signs = ("not a database", "no such table", "no such column")
    return isinstance(error, sqlite3.DatabaseError) and any(sign in str(error) for sign in signs)


def _must_not_be_lost(path: str) -> None:
    """Refuse to create an empty `rum.db` where memories were stored before."""
    # `activity.db` is created after `rum.db`, so it is looked at first: another process may be creating both.
    beside = os.path.join(os.path.dirname(path), "activity.db")
    if not any(file_stat(beside + ending)[3:] > (0,) for ending in ("", DAMAGED)):
        return
    if (state := file_stat(path)) and state[3] > 0:
        return
    what = "is empty (0 bytes)" if state else "is missing"
    raise StorageError(
        f"rum.db {what}, but this project had memories. Nothing was changed. Restore a backup with "
        f"`rum backup restore FILE`; to start with an empty memory, run `rum doctor --mend`.",
        path=path,
    )


class Database:
    """A connection that never keeps a transaction open between calls.

    `access` is `write`, `read` (the file may change under us), `frozen` (a sandbox or a full disk, where
    not even SQLite's own side files can be made) or `none` (no file, and none can be made: reads are empty).
    """

    access: str
    connection: sqlite3.Connection
    _opened_stamp: tuple[object, ...]

    def __init__(
        self,
        path: str,
        prepare: Callable[[Database], None],
        *,
        durable: bool,
        patience: float = 30.0,
        before_create: Callable[[], None] | None = None,
    ):
        """With `before_create` nothing is created before the first write, and only after a call of that."""
        self.path = path
        self._prepare = prepare
        self._durable = durable
        self._patience = patience
        self._before_create = before_create
        self.after_create: Callable[[], None] | None = None
        self.damaged_rows = DamagedRows()
        self._may_create = before_create is None
        # The memories' own file: beside that, all others may be created.
        self._memories = os.path.join(os.path.dirname(path), "rum.db")
        self._depth = 0
        self._start()

    def _start(self) -> None:
        """Open the file with the best access possible now."""
        self._is_prepared, self._opened_stamp = False, (None,)  # so that the next call tries again
        with storage_errors(self.path):
            self._write_error = "attempt to write a readonly database"
            self.access = self._best_access()
            self._opened_stamp = self._stamp()  # first, so that no change is missed
            try:
                self.connection = self._connect()
            except UnicodeDecodeError:  # SQLite quotes the damaged schema in its message
                raise sqlite3.DatabaseError(
                    "the schema is damaged: not a database that can be read"
                ) from None
            try:
                self.connection.execute("PRAGMA foreign_keys = ON")
                self.patiently(lambda: self._prepare(self))
                self._is_prepared = True
            except BaseException:
                self.connection.close()
                raise

    def make_writable(self) -> bool:
        """Whether this can be written now, without waiting."""
        return self.access == "write"

    def _best_access(self) -> str:
        folder = os.path.dirname(self.path)
        if self.path == self._memories:
            _must_not_be_lost(self.path)
        # An empty `rum.db` is one that another process is just creating.
        if not self._may_create and not _has_content(self._memories):
            return "none"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            # An existing file must not be opened: closing it would drop all locks of this process on it.
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError:
            return "read" if _has_content(self.path) else "none"
        if os.access(folder, os.W_OK) and os.access(self.path, os.R_OK | os.W_OK):
            return "write"
        return "read" if _has_content(self.path) else "none"

    def _connect(self) -> sqlite3.Connection:
        if self.access == "none":
            return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        return self._connect_to_write() if self.access == "write" else self._connect_to_read()

    def _connect_to_write(self) -> sqlite3.Connection:
        try:
            connection = self._open("rwc")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _NO_SIDE_FILES:
                raise
            self._write_error = str(error)
            return self._connect_to_read()
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        connection.execute("PRAGMA journal_size_limit = 8388608")
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        """Open for reading: with the write-ahead log if possible, else the main file alone."""
        self.access = "read"
        try:
            return self._open("ro")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _NO_SIDE_FILES:
                raise
        self.access = "frozen"
        self._opened_stamp = self._stamp()
        return self._open("ro&immutable=1")

    def _open(self, mode: str) -> sqlite3.Connection:
        """A connection after a first read, as only that shows whether it works."""
        # The application uses one thread at a time, so SQLite need not check.
        connection = sqlite3.connect(
            sqlite_uri(self.path, mode),
            uri=True,
            isolation_level=None,
            timeout=_SQLITE_TIMEOUT,
            check_same_thread=False,
        )
        try:
            self.patiently(lambda: connection.execute(_FIRST_READ).fetchone())
        except BaseException:
            connection.close()
            raise
        return connection

    def _stamp(self) -> tuple[object, ...]:
        """The identity of the file; also times and sizes if it is read without its log."""
        if self.access == "none":
            return (_has_content(self.path), _has_content(self._memories))
        if self.access == "frozen":
            return tuple(file_stat(self.path + ending) for ending in ("", "-wal", "-shm"))
        return self.file

    @property
    def is_new(self) -> bool:
        """Whether there is no file yet because nothing was written."""
        return self.access == "none" and self._before_create is not None

    @property
    def file(self) -> tuple[int, ...]:
        """The identity of the file; different after a backup was restored."""
        return file_stat(self.path)[:2]

    def refresh(self) -> None:
        """Reopen the file if it was replaced, created, or changed while it is read without its log."""
        with storage_errors(self.path):
            is_lost = self._is_lost()
        if is_lost:
            self.reopen()

    def _is_lost(self) -> bool:
        """Whether the file that was opened is not the one that the next process opens, or was emptied."""
        if self.access != "write":
            return self._stamp() != self._opened_stamp
        state = file_stat(self.path)
        return state[:2] != self._opened_stamp or (self._is_prepared and not any(state[3:]))

    def reopen(self) -> None:
        """Close the file and open it again."""
        self.connection.close()
        self._start()

    @contextmanager
    def transaction(self, patience: float | None = None) -> Generator[sqlite3.Connection]:
        """Run all changes or none, after waiting for other writers; nested ones join the outer one."""
        if self._depth:
            yield self.connection
            return
        self._must_be_writable()
        with storage_errors(self.path):
            self._begin(patience)
            self._depth += 1
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def _begin(self, patience: float | None) -> None:
        """Take the write lock of the file that the next process opens."""
        self._lock(patience)
        while self._is_lost():  # since the call began
            self.connection.execute("ROLLBACK")
            self.reopen()
            if self.access != "write":
                raise _explained(self.path, self._write_error)
            self._lock(patience)

    def _lock(self, patience: float | None) -> None:
        """Lock the file; with a `patience`, SQLite's own waiting is turned off."""
        if patience is None:
            self.patiently(lambda: self.connection.execute("BEGIN IMMEDIATE"))
            return
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            self.patiently(lambda: self.connection.execute("BEGIN IMMEDIATE"), patience)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {_SQLITE_TIMEOUT * 1000:.0f}")

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Make several reads of one state, even if others write meanwhile."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    def create(self) -> None:
        """Create the file if there is none."""
        self._must_be_writable()

    def _must_be_writable(self) -> None:
        create = self._before_create if self.is_new else None
        if create:
            create()
            self._may_create = True
        if self.access != "write":  # the reason may be gone by now
            try:
                self.reopen()
            finally:
                self._may_create = self._before_create is None
        if create and self.access == "write" and self.after_create:
            self.after_create()
        if self.access != "write":
            raise _explained(self.path, self._write_error)

    def patiently(self, step: Callable[[], object], patience: float | None = None) -> None:
        """Run a step, and repeat it after short random waits while the file is locked."""
        deadline = time.monotonic() + (self._patience if patience is None else patience)
        while True:
            try:
                step()
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.001 + os.urandom(1)[0] / 13_500)  # not `random`, which is slow to load

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


def _has_content(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False


def file_stat(path: str) -> tuple[int, ...]:
    """Device, inode, time and size of a file; empty if there is none."""
    try:
        state = os.stat(path)
    except OSError:
        return ()
    return state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size
