"""Connections to one PostgreSQL database, shared by all projects of a process.

Opened when they are needed, in the thread that needs them, so that the first error is reported at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from rum.model.errors import StorageError
from rum.store.postgres.values import register

SIZE = 16  # Connections for each purpose: more than a server has threads
_IDLE = 60.0  # Seconds after which an unused connection is closed
_CONNECT_WITHIN = 10  # Seconds, for each host that the address names
_STATEMENT_WITHIN = 120_000  # Milliseconds; far above what any statement takes
_PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)  # Seconds between attempts to connect again
_AVOID = 5.0  # Seconds without a new attempt to use a replica after one failed
LEADER_ONLY = 2**64  # A position that no replica ever has
_EVERYTHING = 2**65
# Errors that another attempt does not mend: who, which database, which options.
_LASTING = ("28", "3D", "42", "22")
OLDEST = 150000

_DEFAULTS: dict[str, str | int] = {
    # After a fail-over only the new leader is right; the address may name several hosts.
    "target_session_attrs": "read-write",
    "connect_timeout": _CONNECT_WITHIN,
    "application_name": "rum",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class Link:
    """A connection, and the project whose rows it sees."""

    __slots__ = ("connection", "pool", "project", "replayed", "used_at")

    def __init__(self, connection: psycopg.Connection, pool: Pool | None = None) -> None:
        self.connection = connection
        self.pool = pool
        self.project = -1
        self.used_at = 0.0
        self.replayed = 0
        """The position in the log up to which the server has everything, as last seen; see `has`."""

    def has(self, position: int) -> bool:
        """Whether the server has everything up to a position; the leader has it all."""
        if self.replayed < position:
            row = self.connection.execute(
                "SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn()::text"
            ).fetchone()
            assert row
            self.replayed = as_position(row[1]) if row[0] else _EVERYTHING
        return self.replayed >= position

    def bind(self, project: int) -> None:
        """Name the project for row-level security; this also shows whether the connection is alive."""
        if self.project != project:
            self.connection.execute(f"SELECT set_config('rum.project', '{project:d}', false)".encode())
            self.project = project


class Pool:
    """At most so many connections, with settings of their own."""

    def __init__(self, conninfo: str, settings: str, prepare: Callable[[psycopg.Connection], None]) -> None:
        self._conninfo = conninfo
        self._settings = settings
        self._prepare = prepare
        self._idle: list[Link] = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(SIZE)
        self._worked = False

    def take(self, patience: float) -> Link:
        """A connection for one use; a lost server is waited for, if it was there before."""
        deadline = time.monotonic() + patience
        if not self._room.acquire(timeout=max(patience, 0.1)):
            raise StorageError("All connections to the database are in use for too long; try again.")
        try:
            with self._lock:
                if self._idle:
                    return self._idle.pop()
            return Link(self._connected(deadline), self)
        except BaseException:
            self._room.release()
            raise

    def _connected(self, deadline: float) -> psycopg.Connection:
        attempt = 0
        while True:
            try:
                connection = psycopg.connect(self._conninfo, autocommit=True)
            except psycopg.OperationalError as error:
                pause = _PAUSES[min(attempt, len(_PAUSES) - 1)]
                lasting = (error.sqlstate or "").startswith(_LASTING)
                if lasting or not self._worked or time.monotonic() + pause > deadline:
                    raise
                time.sleep(pause)
                attempt += 1
                continue
            try:
                register(connection)
                self._prepare(connection)
                connection.execute(self._settings.encode())
            except BaseException:
                connection.close()
                raise
            self._worked = True
            return connection

    def give(self, link: Link) -> None:
        """Return a connection; one that is broken, or in the middle of something, is closed."""
        now, old = time.monotonic(), list[Link]()
        link.used_at = now
        with self._lock:
            if link.connection.info.transaction_status is TransactionStatus.IDLE:
                self._idle.append(link)
            else:
                old.append(link)
            while self._idle and self._idle[0].used_at < now - _IDLE:
                old.append(self._idle.pop(0))
        self._room.release()
        for one in old:
            one.connection.close()

    def drop(self, link: Link) -> None:
        """Close a lost connection, and with it the others that wait: they were to the same server."""
        with self._lock:
            others, self._idle = self._idle, []
        self._room.release()
        for one in (link, *others):
            one.connection.close()

    def close(self) -> None:
        """Close all that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for link in idle:
            link.connection.close()


class Replicas:
    """Connections to servers that follow the leader, for calls that only read."""

    def __init__(self, conninfo: str, settings: str, check: Callable[[psycopg.Connection], None]) -> None:
        self._pool = Pool(conninfo, settings, check)
        self._not_before = 0.0

    def take(self, position: int) -> Link | None:
        """A connection to a server that is as far as a position; None if the leader is to be asked."""
        if time.monotonic() < self._not_before:
            return None
        link: Link | None = None
        try:
            link = self._pool.take(0)
            if link.has(position):
                return link
            self._pool.give(link)
        except (psycopg.Error, StorageError):
            self.avoid(link)
        return None

    def avoid(self, link: Link | None) -> None:
        """Drop a connection that failed, and ask the leader for a while."""
        self._not_before = time.monotonic() + _AVOID
        if link is not None:
            self._pool.drop(link)

    def close(self) -> None:
        """Close all connections that wait."""
        self._pool.close()


class Pools:
    """The connections of one database: for memories, and for activity, which never waits for memories."""

    def __init__(self, dsn: str, patience: float, prepare: Callable[[psycopg.Connection], None]) -> None:
        conninfo = full_address(dsn)
        common = (
            f"SET search_path = rum; SET statement_timeout = {_STATEMENT_WITHIN}; "
            f"SET lock_timeout = {max(1, int(patience * 1000))}; "
            "SET idle_in_transaction_session_timeout = 300000; SET client_encoding = 'UTF8'"
        )
        self.memories = Pool(conninfo, common, prepare)
        # As the file of activity: its last second may be lost.
        self.activity = Pool(conninfo, f"{common}; SET synchronous_commit = off", prepare)
        follower = {"target_session_attrs": "prefer-standby", "load_balance_hosts": "random"}
        self.replicas = Replicas(make_conninfo(conninfo, **follower), common, prepare)
        self.users = 0

    def close(self) -> None:
        """Close all connections that wait."""
        self.memories.close()
        self.activity.close()
        self.replicas.close()


_open: dict[tuple[str, float], Pools] = {}
_opening = threading.Lock()


def open_pools(dsn: str, patience: float, prepare: Callable[[psycopg.Connection], None]) -> Pools:
    """The connections of this process to a database."""
    with _opening:
        pools = _open.get((dsn, patience))
        if pools is None:
            pools = _open[dsn, patience] = Pools(dsn, patience, prepare)
        pools.users += 1
        return pools


def close_pools(pools: Pools) -> None:
    """Close the connections if nobody else uses them."""
    with _opening:
        pools.users -= 1
        if pools.users:
            return
        for key in [key for key, known in _open.items() if known is pools]:
            del _open[key]
    pools.close()


def as_position(text: str | None) -> int:
    """A position in the log (`16/B374D848`) as a number; 0 for none."""
    high, _, low = (text or "0/0").strip().partition("/")
    return (int(high, 16) << 32) + int(low or "0", 16)


def full_address(dsn: str) -> str:
    """The address with what it leaves out; StorageError if it cannot be read."""
    try:
        given = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # The message of libpq quotes parts of the address, which may be the password.
        raise StorageError("The address of the database cannot be read; see the setting `store`.") from None
    return make_conninfo("", **{**_DEFAULTS, **given})
