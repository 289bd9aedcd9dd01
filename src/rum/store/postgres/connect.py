"""One project in a PostgreSQL database: transactions, one writer at a time, and errors in plain words."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from psycopg import errors as causes
from psycopg.pq import TransactionStatus

from rum.model.errors import InvalidQuery, RumError, StorageError, StoreMoved
from rum.settings.home import file_lock
from rum.store import attempt_fingerprint
from rum.store.postgres.pool import LEADER_ONLY, Link, Pool, Replicas, as_position
from rum.store.postgres.statements import SQL
from rum.store.postgres.values import PostgresRow, rows_by_name
from rum.store.tables.rows import DamagedRows
from rum.store.tables.statements import Row
from rum.text import terms

# The names under which the versions of the index terms and of the marks of attempts are stored.
TOKENISER, ATTEMPTS = "tokeniser", "attempts"
# Ends the id of a move in the database that was left; the one that the project goes to has the bare id.
# Without it each end would look like the new place to whoever comes from the other.
LEFT = "/left"
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
    again = 1 if isinstance(error, causes.LockNotAvailable) else None
    return StorageError(f"PostgreSQL: {first}. {advice}", sqlstate=error.sqlstate or "", retry_after=again)


def _moved(to: str, move_id: str) -> StoreMoved:
    return StoreMoved(to, move_id.removesuffix(LEFT))


class Project:
    """The number of a project in one database; 0 until something is stored for it."""

    def __init__(self, project_id: str, before_write: Callable[[], None] | None, move_id: str = "") -> None:
        """`move_id` is that of the move by which the project left the database where the caller came from."""
        self.id = project_id
        self.number = 0
        self._move_id = move_id
        self._before_write = before_write
        self._is_ready = False

    def find(self, connection: psycopg.Connection) -> int:
        """Look the number up, if it is not known yet."""
        if not self.number:
            row = connection.execute(SQL["project_number"], {"id": self.id}).fetchone()
            if row and row[1] is not None:
                if row[2] != self._move_id:
                    raise _moved(row[1], row[2])
                # The other database is left for good, so the move is over but for this mark.
                connection.execute(SQL["end_move"], {"id": self.id, "move": self._move_id})
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


class Position:
    """How far the log of a database was when a project was last written, for all processes of a home.

    A replica that has come so far knows every write that was acknowledged before.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._at_start = LEADER_ONLY

    def begin(self, connection: psycopg.Connection) -> None:
        """Take the present position of the leader where none is kept, as after a move of the project."""
        if not os.path.exists(self._path):
            row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
            self._at_start = as_position(row[0]) if row else LEADER_ONLY

    def last(self) -> int:
        """The position; where none is kept, that of the leader when this process began."""
        try:
            with open(self._path, encoding="ascii") as file:
                return int(file.read())
        except FileNotFoundError:
            return self._at_start
        except (OSError, ValueError):  # until the next write
            return LEADER_ONLY

    def advance(self, row: Any) -> None:
        """Keep the position of a commit, unless a later one is kept already."""
        position = as_position(row[0])
        try:
            with file_lock(f"{self._path}.lock"):
                if not position <= self.last() < LEADER_ONLY:
                    with open(f"{self._path}.new", "w", encoding="ascii") as file:
                        file.write(str(position))
                    os.replace(f"{self._path}.new", self._path)
        except OSError as error:
            raise StorageError(
                f"{self._path}: {error.strerror or error}. The change was written, but may be seen late."
            ) from error


class _State(threading.local):
    link: Link | None = None
    holders = 0  # calls that keep the connection until their end
    depth = 0  # of transactions
    reading = False
    may_lag = False  # whether the call only reads, so that a replica may answer


class Database:
    """Runs statements on one project's rows; the threads of a process share nothing of it."""

    def __init__(
        self,
        pool: Pool,
        project: Project,
        patience: float,
        lock: int,
        replicas: Replicas | None = None,
        position: Position | None = None,
    ) -> None:
        """`lock` tells the locks of memories and of activity apart."""
        self._replicas = replicas
        self._position = position
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
    def hold(self, *, reads: bool = False) -> Generator[None]:
        """Use one connection for all statements of a call; of one that only reads, perhaps to a replica."""
        state = self._state
        if state.holders == 0:
            state.may_lag = reads
        state.holders += 1
        try:
            yield
        finally:
            state.holders -= 1
            if state.holders == 0:
                state.may_lag = False
            self._release()

    @contextmanager
    def alone(self) -> Generator[psycopg.Connection]:
        """A connection to the leader for one use, closed afterwards: its settings may be changed."""
        with storage_errors():
            link = self._take()
            try:
                self._bind(link)
                yield link.connection
            finally:
                link.connection.close()
                _give(link)

    def _leader(self) -> Link:
        """A connection to the leader, for this and what follows in the call."""
        state = self._state
        state.may_lag = False
        if state.link is not None and state.link.pool is not self._pool:
            link, state.link = state.link, None
            _give(link)
        return self._link()

    def _replica(self) -> Link | None:
        """A connection to a replica that has what was written before; None if the leader is to be asked."""
        if not (self._state.may_lag and self._replicas and self._position and self._project.number):
            return None
        link = self._replicas.take(self._position.last())
        if link is not None:
            try:
                link.bind(self._project.number)
            except psycopg.Error:
                self._replicas.avoid(link)
                return None
        return link

    def _link(self) -> Link:
        """A live connection that sees the project's rows."""
        state = self._state
        if state.link is None:
            state.link = self._replica()
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
            try:
                link = self._link()
                if self._position:
                    self._position.begin(link.connection)
            finally:
                self._release()

    def _bind(self, link: Link) -> None:
        link.bind(self._project.find(link.connection))

    def _release(self) -> None:
        state = self._state
        if state.link is not None and not (state.holders or state.depth or state.reading):
            link, state.link = state.link, None
            _give(link)

    def _lose(self) -> None:
        """Drop a connection that is broken."""
        state = self._state
        if state.link is not None:
            link, state.link = state.link, None
            if link.pool is self._pool:
                self._pool.drop(link)
            elif self._replicas:
                self._replicas.avoid(link)

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
            link = self._leader()
            try:
                link.bind(self._project.create(link.connection))
                lock = f"pg_advisory_xact_lock({self._lock}, {link.project})"
                if patience is not None:
                    lock = f"pg_try_advisory_xact_lock({self._lock}, {link.project})"
                # The place is read after the lock was waited for: whoever moves the project holds it.
                place = f"SELECT moved_to, move_id FROM projects WHERE number = {link.project:d}"  # noqa: S608
                cursor = link.connection.execute(f"BEGIN; SELECT {lock}; {place}".encode())
                cursor.nextset()
                if patience is not None and not cursor.fetchone()[0]:  # pyright: ignore[reportOptionalSubscript]
                    link.connection.execute("ROLLBACK")
                    raise StorageError("The memory is being written by another process; try again.")
                cursor.nextset()
                moved = cursor.fetchone()
                if moved is not None and moved[0] is not None:
                    link.connection.execute("ROLLBACK")
                    raise _moved(*moved)
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
            if self._position is None:
                link.connection.execute("COMMIT")
            else:
                cursor = link.connection.execute("COMMIT; SELECT pg_current_wal_insert_lsn()::text")
                cursor.nextset()
                self._position.advance(cursor.fetchone())
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
                # A replica ends statements that are in the way of what it has to catch up with.
                is_done = link.pool is self._pool and not link.connection.closed
                if is_done or state.depth or state.reading:
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
        link = self._leader()
        try:
            given = {**_by_name(values), "project": link.project}
            return link.connection.execute(SQL[statement], given).rowcount
        finally:
            self._release()

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        link = self._leader()
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


def _give(link: Link) -> None:
    assert link.pool
    link.pool.give(link)


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
