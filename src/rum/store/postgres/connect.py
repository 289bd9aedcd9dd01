"""One project in a PostgreSQL database: transactions, one writer at a time, and errors in plain words."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from psycopg import errors as causes
from psycopg.pq import TransactionStatus

from rum.model.errors import InvalidQuery, RumError, StorageError
from rum.store import attempt_fingerprint
from rum.store.postgres.pool import Link, Pool
from rum.store.postgres.statements import SQL
from rum.store.postgres.values import PostgresRow, rows_by_name
from rum.store.tables.rows import DamagedRows
from rum.store.tables.statements import Row
from rum.text import terms

# The names under which the versions of the index terms and of the marks of attempts are stored.
TOKENISER, ATTEMPTS = "tokeniser", "attempts"
_HALF = re.compile("[\ud800-\udfff]")
_LOST = "The connection to the database was lost. {} Try again."
_ADVICE: tuple[tuple[type[Exception], str], ...] = (
    (causes.LockNotAvailable, "The memory was locked by other processes for too long; try again."),
    (causes.QueryCanceled, "It took too long; try again."),
    (causes.DiskFull, "The disk of the database server is full. Nothing was written."),
    (causes.InsufficientPrivilege, "The role lacks a right on the schema `rum`; see docs/postgres.md."),
    (causes.ReadOnlySqlTransaction, "This server only reads; name the leader in the setting `store`."),
    (
        causes.TooManyConnections,
        "The server has no connection left; raise max_connections or start fewer processes.",
    ),
    (psycopg.OperationalError, "Check that the server runs, and the setting `store`."),
)


@contextmanager
def storage_errors() -> Generator[None]:
    """Turn the driver's errors into a StorageError that says what to do, without any stored text."""
    try:
        yield
    except causes.ProgramLimitExceeded as error:
        raise InvalidQuery("A name, path, tag or key is too long to be indexed by the database.") from error
    except causes.NumericValueOutOfRange as error:
        raise InvalidQuery("A number is too large to be stored.") from error
    except psycopg.Error as error:
        raise explained(error) from error
    except OSError as error:
        raise StorageError(f"The database cannot be reached: {error.strerror or error}.") from error
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise InvalidQuery(
            f"A text holds half a character ({half}, a lone surrogate) and cannot be stored."
        ) from error
    except OverflowError as error:
        raise InvalidQuery("A number is too large to be stored.") from error


def explained(error: psycopg.Error) -> StorageError:
    """The error in plain words; only the first line, as the others quote rows."""
    text = (error.diag.message_primary or str(error)).strip().splitlines()
    first = (text[0] if text else type(error).__name__).rstrip(".")
    advice = next((advice for kind, advice in _ADVICE if isinstance(error, kind)), "Run `rum doctor`.")
    return StorageError(f"PostgreSQL: {first}. {advice}", sqlstate=error.sqlstate or "")


class Project:
    """The number of a project in one database; 0 until something is stored for it."""

    def __init__(self, project_id: str, before_write: Callable[[], None] | None) -> None:
        self.id = project_id
        self.number = 0
        self._before_write = before_write
        self._is_ready = False

    def find(self, connection: psycopg.Connection) -> int:
        """Look the number up, if it is not known yet."""
        if not self.number:
            row = connection.execute(SQL["project_number"], {"id": self.id}).fetchone()
            self.number = row[0] if row else 0
        return self.number

    def create(self, connection: psycopg.Connection) -> int:
        """Prepare for the first write: make the project if there is none."""
        if not self._is_ready:
            if self._before_write:
                self._before_write()
            if not self.find(connection):
                self._create(connection)
            self._is_ready = True
        return self.number

    def _create(self, connection: psycopg.Connection) -> None:
        known = {TOKENISER: terms.VERSION, ATTEMPTS: attempt_fingerprint.VERSION, "archived": 0}
        with connection.transaction():
            connection.execute(SQL["create_project"], {"id": self.id, "now": int(time.time())})
            row = connection.execute(SQL["project_number"], {"id": self.id}).fetchone()
            number = row[0] if row else 0
            connection.execute(f"SELECT set_config('rum.project', '{number:d}', true)".encode())
            for name, value in known.items():
                values = {"project": number, "name": name, "value": str(value)}
                connection.execute(SQL["begin_derived"], values)
        self.number = number


class _State(threading.local):
    link: Link | None = None
    holders = 0  # calls that keep the connection until their end
    depth = 0  # of transactions
    reading = False


class Database:
    """Runs statements on one project's rows; the threads of a process share nothing of it."""

    def __init__(self, pool: Pool, project: Project, patience: float, lock: int) -> None:
        """`lock` tells the locks of memories and of activity apart."""
        self.damaged_rows = DamagedRows()
        self._pool = pool
        self._project = project
        self._patience = patience
        self._lock = lock
        self._state = _State()

    @property
    def identity(self) -> object:
        return self._project.number

    # Connections

    @contextmanager
    def hold(self) -> Generator[None]:
        """Use one connection for all statements of a call."""
        self._state.holders += 1
        try:
            yield
        finally:
            self._state.holders -= 1
            self._release()

    def _link(self) -> Link:
        """A live connection that sees the project's rows."""
        state = self._state
        if state.link is None:
            link = self._take()
            try:
                self._bind(link)
            except psycopg.OperationalError:
                self._pool.drop(link)
                link = self._take()
                try:
                    self._bind(link)
                except BaseException:
                    self._pool.drop(link)
                    raise
            except BaseException:
                self._pool.drop(link)
                raise
            state.link = link
        return state.link

    def _take(self) -> Link:
        with storage_errors():
            return self._pool.take(self._patience)

    def connect(self) -> None:
        """Find out whether the database can be reached."""
        with storage_errors():
            self._link()
            self._release()

    def _bind(self, link: Link) -> None:
        link.bind(self._project.find(link.connection))

    def _release(self) -> None:
        state = self._state
        if state.link is not None and not (state.holders or state.depth or state.reading):
            link, state.link = state.link, None
            self._pool.give(link)

    def _lose(self) -> None:
        """Drop a connection that is broken."""
        state = self._state
        if state.link is not None:
            link, state.link = state.link, None
            self._pool.drop(link)

    # Transactions

    @contextmanager
    def transaction(self, patience: float | None = None) -> Generator[None]:
        """Run all changes or none, after waiting for other writers of the project; nested ones join."""
        state = self._state
        if state.depth:
            yield
            return
        with storage_errors():
            link = self._begin(patience)
            state.depth += 1
            try:
                yield
                self._commit(link)
            except BaseException as error:
                self._roll_back(link, error)
                raise
            finally:
                state.depth -= 1
                self._release()

    def _begin(self, patience: float | None) -> Link:
        """Begin, and wait for the turn of this project."""
        for attempt in (1, 2):
            link = self._link()
            try:
                link.bind(self._project.create(link.connection))
                lock = f"pg_advisory_xact_lock({self._lock}, {link.project})"
                if patience is not None:
                    lock = f"pg_try_advisory_xact_lock({self._lock}, {link.project})"
                cursor = link.connection.execute(f"BEGIN; SELECT {lock}".encode())
                cursor.nextset()
                if patience is not None and not cursor.fetchone()[0]:  # pyright: ignore[reportOptionalSubscript]
                    link.connection.execute("ROLLBACK")
                    raise StorageError("The memory is being written by another process; try again.")
                return link
            except psycopg.OperationalError as error:
                if not link.connection.closed:
                    if link.connection.info.transaction_status is not TransactionStatus.IDLE:
                        link.connection.execute("ROLLBACK")
                    self._release()
                    raise
                self._lose()
                if attempt == 2:
                    raise StorageError(_LOST.format("Nothing was written.")) from error
            except BaseException:
                self._release()
                raise
        raise AssertionError

    def _commit(self, link: Link) -> None:
        try:
            link.connection.execute("COMMIT")
        except psycopg.OperationalError as error:
            if link.connection.closed:
                raise StorageError(
                    _LOST.format("Whether the last change was written is not known.")
                ) from error
            raise

    def _roll_back(self, link: Link, error: BaseException) -> None:
        if link.connection.closed:
            self._lose()
            if isinstance(error, psycopg.OperationalError):
                raise StorageError(_LOST.format("Nothing was written.")) from error
            return
        if link.connection.info.transaction_status is not TransactionStatus.IDLE:
            link.connection.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Make several reads of one state, even if others write meanwhile."""
        state = self._state
        if state.depth or state.reading:
            yield
            return
        link = self._link()
        link.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        state.reading = True
        try:
            yield
        finally:
            state.reading = False
            if link.connection.closed:
                self._lose()
            else:
                link.connection.execute("ROLLBACK")
                self._release()

    # Statements

    def fetch(self, sql: bytes, values: dict[str, Any]) -> list[PostgresRow]:
        """The rows of a statement; a read is made again if its connection was lost."""
        state = self._state
        again = not (state.depth or state.reading)
        while True:
            link = self._link()
            try:
                cursor = link.connection.cursor(row_factory=rows_by_name, binary=True)
                return cursor.execute(sql, {**values, "project": link.project}).fetchall()
            except psycopg.OperationalError:
                if not link.connection.closed or state.depth or state.reading:
                    raise
                self._lose()
                if not again:
                    raise
                again = False
            finally:
                self._release()

    def rows(self, statement: str, values: Any = ()) -> list[Row]:
        return [*self.fetch(SQL[statement], _by_name(values))]

    def rows_for(self, statement: str, ids: Iterable[str]) -> list[Row]:
        return self.rows(statement, {"ids": self.array(ids)})

    def run(self, statement: str, values: Any = ()) -> int:
        link = self._link()
        try:
            given = {**_by_name(values), "project": link.project}
            return link.connection.execute(SQL[statement], given).rowcount
        finally:
            self._release()

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        link = self._link()
        try:
            given = [{**_by_name(values), "project": link.project} for values in rows]
            if given:
                link.connection.cursor().executemany(SQL[statement], given)
        finally:
            self._release()

    def run_for(self, statement: str, ids: Iterable[str]) -> int:
        return self.run(statement, {"ids": self.array(ids)})

    def write_now(self, statement: str, rows: Sequence[Any]) -> bool:
        try:
            with self.transaction(0):
                self.run_many(statement, rows)
        except RumError:
            return False
        return True

    def array(self, values: Iterable[object]) -> object:
        # Half a character is in no stored text; asked for, it finds nothing.
        return [value for value in values if not isinstance(value, str) or _is_whole(value)]


def _is_whole(text: str) -> bool:
    return text.isascii() or not _HALF.search(text)


def _by_name(values: Any) -> dict[str, Any]:
    """Values by place, as `p1`, `p2`, ...; those by name as they are."""
    if not isinstance(values, dict):
        return {f"p{place}": value for place, value in enumerate(values, 1)}
    named = cast("dict[str, Any]", values)
    time = named.get("timestamp")
    # A whole number or a fraction: as JSON it stays what it is.
    return named if time is None else {**named, "timestamp": repr(time)}
