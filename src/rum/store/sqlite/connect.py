"""One SQLite file: kept private, written in short transactions, read even where nothing can be written."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager

from rum.model.errors import InvalidQuery, StorageError
from rum.store.sqlite.readonly import sqlite_uri

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

DAMAGED = ".damaged"  # What is added to the name of a file that was put aside
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
    ("malformed", "The database is damaged; run `rum doctor`, then restore a backup."),
    ("not a database", "This file is not a RUM database; move it away, or restore a backup."),
    ("unable to open", "Check that the folder exists and belongs to you; `rum doctor` looks closer."),
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_SIDE_FILES = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
_OWN_PATIENCE = 0.25  # Seconds that SQLite itself waits for another process before it says so
_FIRST_LOOK = "SELECT count(*) FROM sqlite_master"


@contextmanager
def storage_errors(path: str) -> Generator[None]:
    """Turn SQLite's errors into a StorageError that says which file and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(path, str(error)) from error
    except MemoryError as error:  # so SQLite calls it, too, if a damaged file tells of something huge
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
    advice = next((advice for sign, advice in _ADVICE if sign in text), "Run `rum doctor`.")
    return StorageError(f"{os.path.basename(path)}: {text.rstrip('.')}. {advice}", path=path)


class Database:
    """A connection that never keeps a transaction open between calls.

    `access` is `write`, `read` (the file may change under us), `frozen` (a sandbox or a full disk, where
    not even SQLite's own side files can be made) or `none` (no file, and none can be made: reads are empty).
    """

    access: str
    connection: sqlite3.Connection
    _lay: tuple[object, ...] | None

    def __init__(
        self, path: str, prepare: Callable[[Database], None], *, durable: bool, patience: float = 30.0
    ):
        self.path = path
        self._prepare = prepare
        self._durable = durable
        self._patience = patience
        self._depth = 0
        self._start()

    def _start(self) -> None:
        """Open the file in the best way there is now."""
        self._lay = None
        with storage_errors(self.path):
            self._hindrance = "attempt to write a readonly database"
            self.access = self._usable()
            self.connection = self._connect()
            try:
                self.connection.execute("PRAGMA foreign_keys = ON")
                self.patiently(lambda: self._prepare(self))
                self._lay = self._lay or self._stamp()
            except BaseException:
                self.connection.close()
                raise

    def _usable(self) -> str:
        folder = os.path.dirname(self.path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError:
            return "read" if self._holds_something() else "none"
        return "write" if os.access(folder, os.W_OK) else "read"

    def _holds_something(self) -> bool:
        try:
            return os.stat(self.path).st_size > 0
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _connect(self) -> sqlite3.Connection:
        if self.access == "none":
            return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        return self._connect_to_write() if self.access == "write" else self._connect_to_read()

    def _connect_to_write(self) -> sqlite3.Connection:
        try:
            connection = self._looked_at("rwc")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _NO_SIDE_FILES:
                raise
            self._hindrance = str(error)
            return self._connect_to_read()
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        connection.execute("PRAGMA journal_size_limit = 8388608")
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        """Read through the write-ahead log where its side files are there, else the file as it lies."""
        self.access = "read"
        try:
            return self._looked_at("ro")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _NO_SIDE_FILES:
                raise
        self.access = "frozen"
        self._lay = self._stamp()  # before the first look, so that no change goes unseen
        return self._looked_at("ro&immutable=1")

    def _looked_at(self, mode: str) -> sqlite3.Connection:
        """A connection that has read once, as only then SQLite says whether it can."""
        # One thread works at a time (the application sees to it), so SQLite need not check.
        connection = sqlite3.connect(
            sqlite_uri(self.path, mode),
            uri=True,
            isolation_level=None,
            timeout=_OWN_PATIENCE,
            check_same_thread=False,
        )
        try:
            self.patiently(lambda: connection.execute(_FIRST_LOOK).fetchone())
        except BaseException:
            connection.close()
            raise
        return connection

    def _stamp(self) -> tuple[object, ...]:
        """Which file this is; and where it is read as it lies, what would show that it has changed."""
        if self.access == "none":
            return (self._holds_something(),)
        if self.access == "frozen":
            return tuple(_figures(self.path + ending) for ending in ("", "-wal", "-shm"))
        return _figures(self.path)[:2]

    @property
    def file(self) -> tuple[int, ...]:
        """Which file this is; another one after a backup was put in its place."""
        return _figures(self.path)[:2]

    def refresh(self) -> None:
        """Reopen the file if it was replaced, created, or changed while it is read without its log."""
        with storage_errors(self.path):
            changed = self._stamp() != self._lay
        if changed:
            self.reopen()

    def reopen(self) -> None:
        """Close the file and open it again."""
        self.connection.close()
        self._start()

    @contextmanager
    def transaction(self, patience: float | None = None) -> Generator[sqlite3.Connection]:
        """All or nothing, waiting its turn behind other processes; nested ones join the outer."""
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
        """Take the one writer's place; for somebody in a hurry SQLite itself waits for nobody."""
        if patience is None:
            self.patiently(lambda: self.connection.execute("BEGIN IMMEDIATE"))
            return
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            self.patiently(lambda: self.connection.execute("BEGIN IMMEDIATE"), patience)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {_OWN_PATIENCE * 1000:.0f}")

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Several reads that see one state, whatever others write meanwhile."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    def _must_be_writable(self) -> None:
        if self.access != "write":  # there may be room now, or a folder
            self.reopen()
        if self.access != "write":
            raise _explained(self.path, self._hindrance)

    def patiently(self, step: Callable[[], object], patience: float | None = None) -> None:
        """Run a step again, after a short random wait, while another process is in the way."""
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


def _figures(path: str) -> tuple[int, ...]:
    try:
        state = os.stat(path)
    except OSError:
        return ()
    return state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size
