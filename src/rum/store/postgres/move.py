"""Move a project from one database to another while it is used.

The rows of both databases are made the same: fingerprints of groups of rows are compared, and groups that
differ are copied. That is the copy, its continuation after an interruption, and its check. Most is copied
while others write; for the rest, writers wait at their usual lock, and then find in the old database where
to go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from graphlib import TopologicalSorter
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg
from psycopg.rows import tuple_row

from rum.model.errors import StorageError
from rum.store.postgres.connect import LEFT, storage_errors
from rum.store.postgres.migrate import Preparation
from rum.store.postgres.pool import Link, full_address

_GROUPS = 1024  # Groups of rows in a table, by the hash of the key
_ROWS = 5000  # Rows copied in one transaction
_PASSES = 6  # Copies made at most while others write
_FEW = 2000  # Changed rows that are left for the time in which writers wait
_LOCKED_PASSES = 4
GRACE = 5.0  # Seconds in which calls end that began to read in the old database
_SPARE = 1_000_000  # Numbers left out, as others may take some in the same moment
_LOCK = 3  # The lock of moves; 1 and 2 are those of writers
_ENDING = 2000  # Milliseconds in which the server notices that the process of an earlier move has ended
_LAST = ("sync_targets", "sync_changes")  # Triggers of other tables write these

_FIELDS = ("goal", "intent", "outcome", "learnings", "reasoning", "perception", "actions", "tags", "paths")
_BITS = ", ".join(f"({2**place}, t.{name})" for place, name in enumerate(_FIELDS))
# Words are not copied: they follow from the texts. For each table of texts the words of some rows of it.
_WORDS = {
    "memory_text": (
        "memory_terms",
        "seq",
        f"CROSS JOIN LATERAL (VALUES {_BITS}) AS f(bit, body) "
        "CROSS JOIN LATERAL unnest(string_to_array(f.body, ' ')) AS held(term)",
        ", bit_or(f.bit)::smallint",
    ),
    "archived": (
        "archived_terms",
        "memory",
        "CROSS JOIN LATERAL unnest(string_to_array(t.held, ' ')) AS held(term)",
        "",
    ),
}
_DERIVED = {words for words, *_ in _WORDS.values()}

Fingerprints = dict[int, tuple[int, Any]]  # By group: the number of rows, and the sum of their hashes
Place = tuple[str, str]  # The name of a database, and its address


class Moved(NamedTuple):
    """What a move took."""

    rows: int
    passes: int
    seconds: float
    writers_waited: float


def words_of(table: str, project: int, where: str) -> str:
    """The statement that inserts the words of rows of a table of texts."""
    words, key, held, fields = _WORDS[table]
    return (
        f"INSERT INTO {words} SELECT {project}, held.term, t.{key}{fields} FROM {table} AS t {held} "
        f"WHERE {where} AND held.term <> '' GROUP BY held.term, t.{key} ON CONFLICT DO NOTHING"
    )


class _Table(NamedTuple):
    name: str
    key: tuple[str, ...]  # Columns of the primary key after the project
    columns: tuple[str, ...]  # All that can be written, but the project
    numbered: str | None  # The column with numbers that the database gives

    @property
    def group(self) -> str:
        return f"(hashtextextended(ROW({_list('t', self.key)})::text, 0) & {_GROUPS - 1})"


class _Side:
    """One of both databases, as the project's rows are seen there."""

    def __init__(self, place: Place, project_id: str) -> None:
        self.name = place[0]
        self.id = project_id
        self.connection = psycopg.connect(full_address(place[1]), autocommit=True, row_factory=tuple_row)
        Preparation()(self.connection)
        self.connection.execute(
            "SET search_path = rum; SET bytea_output = 'hex'; SET extra_float_digits = 1; "
            "SET client_min_messages = warning; SET idle_in_transaction_session_timeout = 0"
        )
        self.number = 0
        self.moved_to: str | None = None
        self.move_id: str | None = None
        self.read_place()

    def read_place(self) -> None:
        """Look up the project and where it is."""
        row = self.connection.execute(
            "SELECT number, moved_to, move_id FROM projects WHERE id = %s", (self.id,)
        ).fetchone()
        if row:
            self.number, self.moved_to, self.move_id = row
            Link(self.connection).bind(self.number)

    def hold(self) -> None:
        """Keep other moves of the project away until this connection is closed, and look up its place."""
        if not self.number:
            return
        try:
            self.connection.execute(
                f"SET lock_timeout = {_ENDING}; SELECT pg_advisory_lock({_LOCK}, {self.number})".encode()
            )
        except psycopg.errors.LockNotAvailable as error:
            raise StorageError(
                f"Another process moves the project, and uses its rows in `{self.name}`. "
                "Nothing was moved; try again when it has ended."
            ) from error
        self.connection.execute("RESET lock_timeout")
        self.read_place()

    def end_move(self) -> None:
        """Be the place of the project from now on."""
        self.connection.execute(
            "UPDATE projects SET moved_to = NULL WHERE number = %s AND move_id = %s",
            (self.number, self.move_id),
        )

    def delete(self, tables: Iterable[str]) -> int:
        """Delete all rows of the project; the project itself stays, with the name of its place."""
        return sum(
            self.connection.execute(f"DELETE FROM {name} WHERE project = {self.number}".encode()).rowcount
            for name in tables
        )

    def fingerprints(self, table: _Table) -> Fingerprints:
        found = self.connection.execute(
            f"SELECT {table.group}, count(*), "
            f"sum(hashtextextended(ROW({_list('t', table.columns)})::text, 0)) "
            f"FROM {table.name} AS t WHERE t.project = {self.number} GROUP BY 1".encode()
        )
        return {group: (count, total) for group, count, total in found}

    def keys(self, table: _Table, groups: Sequence[int]) -> set[str]:
        found = self.connection.execute(
            f"SELECT ROW({_list('t', table.key)})::text FROM {table.name} AS t "
            f"WHERE t.project = {self.number} AND {table.group} = ANY(%s)".encode(),
            (list(groups),),
        )
        return {key for (key,) in found}


def move_project(
    project_id: str,
    source: Place,
    target: Place,
    patience: float,
    record: Callable[[], None],
    progress: Callable[[int], None],
) -> dict[str, object]:
    """Move a project; `record` is called when the target has it, and notes that for new processes."""
    with storage_errors():
        old = _Side(source, project_id)
        try:
            new = _Side(target, project_id)
            try:
                with old.connection, new.connection:
                    return _Move(old, new, patience, progress).run(record)._asdict()
            finally:
                new.connection.close()
        finally:
            old.connection.close()


def delete_left_behind(project_id: str, place: Place, to: str) -> int:
    """Delete the rows of a project that was moved on, if that was interrupted; their number."""
    with storage_errors():
        side = _Side(place, project_id)
        with side.connection:
            side.hold()
            return side.delete(_from_last(_tables(side.connection))) if side.moved_to == to else 0


class _Move:
    def __init__(self, old: _Side, new: _Side, patience: float, progress: Callable[[int], None]) -> None:
        self._old = old
        self._new = new
        self._patience = patience
        self._progress = progress
        self._rows = 0
        self._tables: list[_Table] = []

    def run(self, record: Callable[[], None]) -> Moved:
        started, passes, waited = time.monotonic(), 0, 0.0
        old, new = self._old, self._new
        self._check_places()
        old.hold()
        new.hold()
        self._check_places()  # Another move may have ended meanwhile
        self._tables = _tables(old.connection)
        if old.moved_to is None:
            self._announce()
            while passes < _PASSES:
                passes += 1
                with _snapshot(old.connection):
                    if self._make_equal() <= _FEW:
                        break
            with self._writers_waiting() as lock:
                since = time.monotonic()
                self._finish_copy()
                self._advance_numbers()
                # From this commit on nobody writes here, and whoever wants to finds the name of the other.
                lock.execute(
                    "UPDATE rum.projects SET moved_to = %s, move_id = %s WHERE number = %s",
                    (new.name, f"{new.move_id}{LEFT}", old.number),
                )
                lock.execute("COMMIT")
                waited = time.monotonic() - since
        new.end_move()
        record()
        time.sleep(GRACE)
        old.delete(_from_last(self._tables))
        return Moved(self._rows, passes, round(time.monotonic() - started, 2), round(waited, 2))

    def _check_places(self) -> None:
        old, new = self._old, self._new
        if not old.number:
            raise StorageError(f"The database `{old.name}` does not have the project {old.id}.")
        if old.moved_to not in (None, new.name):
            raise StorageError(f"The project is in `{old.moved_to}` by now. Nothing was moved.")
        if new.number and old.moved_to is None and new.moved_to != old.name:
            raise StorageError(
                f"The database `{new.name}` has a project of its own with the id {new.id}. Nothing was moved."
            )

    def _announce(self) -> None:
        """Make the project in the target, marked as being elsewhere."""
        self._new.connection.execute(
            "INSERT INTO projects (id, created_at, moved_to, move_id) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (id) DO UPDATE SET move_id = EXCLUDED.move_id "
            "WHERE projects.moved_to = EXCLUDED.moved_to",
            (self._new.id, int(time.time()), self._old.name, uuid4().hex),
        )
        self._new.read_place()
        self._new.hold()

    @contextmanager
    def _writers_waiting(self) -> Generator[psycopg.Connection]:
        """Hold the locks that every writer of the project takes: of memories, and of activity."""
        info = self._old.connection.info
        with psycopg.connect(info.dsn, password=info.password or None, autocommit=True) as lock:
            lock.execute(f"SET lock_timeout = {max(1, int(self._patience * 1000))}".encode())
            lock.execute("BEGIN")
            for kind in (1, 2):
                lock.execute(f"SELECT pg_advisory_xact_lock({kind}, {self._old.number})".encode())
            yield lock

    def _finish_copy(self) -> None:
        with _snapshot(self._old.connection):
            for _ in range(_LOCKED_PASSES):
                if not self._make_equal():
                    return
        raise StorageError(
            f"The copy in `{self._new.name}` differs from the project in `{self._old.name}`. "
            "Nothing was moved; run it again."
        )

    # Making both equal

    def _make_equal(self) -> int:
        """Make the target's rows those of the source; the number of rows that differed, at least 1 if any."""
        with ThreadPoolExecutor(2) as threads:
            both = [threads.submit(self._fingerprints, side) for side in (self._old, self._new)]
            wanted, present = (one.result() for one in both)
        changed = 0
        deleted = False
        for table in reversed(self._tables):
            groups = _differing(wanted[table.name], present[table.name])
            if gone := self._delete_gone(table, [group for group in groups if group in present[table.name]]):
                changed += gone
                deleted = True
        if deleted:  # with what belonged to it
            present = self._fingerprints(self._new)
        for table in self._tables:
            groups = _differing(wanted[table.name], present[table.name])
            changed += self._copy(
                table, wanted[table.name], [one for one in groups if one in wanted[table.name]]
            )
        return changed

    def _fingerprints(self, side: _Side) -> dict[str, Fingerprints]:
        return {table.name: side.fingerprints(table) for table in self._tables}

    def _delete_gone(self, table: _Table, groups: Sequence[int]) -> int:
        if not groups:
            return 0
        gone = list(self._new.keys(table, groups) - self._old.keys(table, groups))
        if not gone:
            return 0
        number, connection = self._new.number, self._new.connection
        where = f"t.project = {number} AND ROW({_list('t', table.key)})::text = ANY(%s)"
        with connection.transaction():
            self._delete_words(table, where, (gone,))
            connection.execute(f"DELETE FROM {table.name} AS t WHERE {where}".encode(), (gone,))
        return len(gone)

    def _copy(self, table: _Table, wanted: Fingerprints, groups: Iterable[int]) -> int:
        copied, batch, size = 0, list[int](), 0
        for group in groups:
            if group not in wanted:
                continue
            batch.append(group)
            size += wanted[group][0]
            if size >= _ROWS:
                copied += self._copy_groups(table, batch)
                batch, size = [], 0
        return copied + (self._copy_groups(table, batch) if batch else 0)

    def _copy_groups(self, table: _Table, groups: Sequence[int]) -> int:
        number, target = self._new.number, self._new.connection
        names = ", ".join(table.columns)
        values = [one for one in table.columns if one not in table.key]
        changes = ", ".join(f"{one} = EXCLUDED.{one}" for one in values)
        conflict = f"ON CONFLICT (project, {', '.join(table.key)}) DO " + (
            f"UPDATE SET {changes}" if changes else "NOTHING"
        )
        chosen = (
            f"t.project = {self._old.number} AND {table.group} = ANY(ARRAY[{', '.join(map(str, groups))}])"
        )
        rows = f"COPY (SELECT {_list('t', table.columns)} FROM {table.name} AS t WHERE {chosen}) TO STDOUT"
        same = " AND ".join(f"t.{one} = i.{one}" for one in table.key)
        ours = f"t.project = {number} AND EXISTS (SELECT 1 FROM incoming AS i WHERE {same})"
        with target.transaction():
            empty = f"SELECT {names} FROM {table.name} WHERE false"
            target.execute(f"CREATE TEMP TABLE incoming ON COMMIT DROP AS {empty}".encode())
            with (
                self._old.connection.cursor().copy(rows.encode()) as read,
                target.cursor().copy(f"COPY incoming ({names}) FROM STDIN".encode()) as write,
            ):
                for block in read:
                    write.write(block)
            self._delete_words(table, ours, ())
            copied = target.execute(
                f"INSERT INTO {table.name} (project, {names}) SELECT {number}, {names} FROM incoming "
                f"{conflict}".encode()
            ).rowcount
            self._add_words(table, ours)
        self._rows += copied
        self._progress(self._rows)
        return max(copied, 1)

    def _delete_words(self, table: _Table, where: str, values: Sequence[object]) -> None:
        if table.name in _WORDS:
            words, key, held, _ = _WORDS[table.name]
            gone = f"SELECT DISTINCT t.{key} AS seq, held.term FROM {table.name} AS t {held} WHERE {where}"
            same = 'h.seq = gone.seq AND h.term = gone.term COLLATE "C"'
            self._new.connection.execute(
                f"DELETE FROM {words} AS h USING ({gone}) AS gone "
                f"WHERE h.project = {self._new.number} AND {same}".encode(),
                values,
            )

    def _add_words(self, table: _Table, where: str) -> None:
        if table.name in _WORDS:
            self._new.connection.execute(words_of(table.name, self._new.number, where).encode())

    def _advance_numbers(self) -> None:
        """Let the target give only numbers above those that came with the project."""
        target = self._new.connection
        for table in self._tables:
            if table.numbered:
                row = target.execute(
                    f"SELECT pg_get_serial_sequence('rum.{table.name}', '{table.numbered}'), "
                    f"max({table.numbered}) FROM {table.name} WHERE project = {self._new.number}".encode()
                ).fetchone()
                if row and row[1] is not None:
                    target.execute(
                        f"SELECT setval('{row[0]}', %(most)s + {_SPARE}) FROM {row[0]} "
                        "WHERE last_value < %(most)s".encode(),
                        {"most": row[1]},
                    )


def _differing(wanted: Fingerprints, present: Fingerprints) -> list[int]:
    return [group for group in sorted({*wanted, *present}) if wanted.get(group) != present.get(group)]


@contextmanager
def _snapshot(connection: psycopg.Connection) -> Generator[None]:
    """One state of the source: no row comes without the one that it belongs to."""
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("ROLLBACK")


def _tables(connection: psycopg.Connection) -> list[_Table]:
    """The tables with rows of projects: first those to which others refer."""
    found = connection.execute(
        """
SELECT c.relname,
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey[1:i.indnkeyatts - 1]) WITH ORDINALITY AS k(number, place)
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number ORDER BY k.place),
  ARRAY(SELECT a.attname::text FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0
    AND NOT a.attisdropped AND a.attgenerated = '' AND a.attname <> 'project' ORDER BY a.attnum),
  (SELECT a.attname::text FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attidentity <> ''),
  ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint AS f
    WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid)
FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = 'rum'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('migrations', 'projects')
"""
    ).fetchall()
    tables = {
        name: _Table(name, tuple(key), tuple(columns), numbered)
        for name, key, columns, numbered, _ in found
        if name not in _DERIVED
    }
    order = TopologicalSorter({name: [one for one in after if one in tables] for name, *_, after in found})
    names = [name for name in order.static_order() if name in tables and name not in _LAST]
    return [tables[name] for name in (*names, *_LAST)]


def _from_last(tables: Sequence[_Table]) -> list[str]:
    """The names of all tables, those first to which no other refers."""
    return [*sorted(_DERIVED), *(table.name for table in reversed(tables))]


def _list(table: str, columns: Iterable[str]) -> str:
    return ", ".join(f"{table}.{one}" for one in columns)
