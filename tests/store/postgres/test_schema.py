"""The schema is made once, by one process at a time; a newer one is refused; its indexes are used."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest

from rum.model.errors import StorageError
from rum.store.postgres.migrate import Preparation, migrations
from rum.store.postgres.pool import Link, full_address
from rum.store.postgres.store import PostgresStore
from support import postgres
from support.builders import add_memory, make_file


@pytest.fixture
def empty(dsn: str) -> Iterator[str]:
    """The address of a database without any schema."""
    with postgres.another_database() as address:
        yield address


def test_processes_that_begin_at_once_make_one_schema(empty: str):
    failed: list[BaseException] = []

    def begin() -> None:
        try:
            with psycopg.connect(full_address(empty), autocommit=True) as connection:
                Preparation()(connection)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with psycopg.connect(full_address(empty)) as connection:
        numbers = connection.execute("SELECT number FROM rum.migrations ORDER BY number").fetchall()
        assert [number for (number,) in numbers] == [number for number, *_ in migrations()]


def test_a_schema_of_a_newer_version_is_refused(empty: str):
    with psycopg.connect(full_address(empty), autocommit=True) as connection:
        Preparation()(connection)
        connection.execute("INSERT INTO rum.migrations VALUES (9999, 'later', 0)")
    with pytest.raises(StorageError, match="newer RUM"):
        PostgresStore(empty, "project", patience=1)


LOOKUPS = {
    "SELECT seq FROM memory_terms WHERE project = %(n)s AND term = 'common' ORDER BY seq DESC LIMIT 10": (
        "Backward using memory_terms_pkey"
    ),
    "SELECT seq FROM memories WHERE project = %(n)s AND goal_key = md5('x')": "memories_goal",
    "SELECT id FROM memories WHERE project = %(n)s AND tail = 'abcdefgh'": "memories_tail",
    "SELECT id FROM memories WHERE project = %(n)s AND git_commit >= 'abc' AND git_commit < 'abd'": (
        "memories_commit"
    ),
    "SELECT memory_id FROM memory_files WHERE project = %(n)s AND file_path >= 'a' AND file_path < 'b'": (
        "memory_files_path"
    ),
}


@pytest.mark.parametrize("statement", LOOKUPS)
def test_lookups_use_their_index_behind_the_second_wall(store: PostgresStore, dsn: str, statement: str):
    """Row-level security keeps PostgreSQL from using an index on what is not leakproof."""
    with store.transaction():
        for number in range(100):
            files = [make_file(f"{number}.py")]
            add_memory(store, f"mem_{number}", f"Common word{number}", files=files, commit=f"{number:040x}")
    with psycopg.connect(full_address(dsn), autocommit=True) as connection:
        connection.execute("SET search_path = rum; SET enable_seqscan = off")
        connection.execute("ANALYZE memories, memory_files, memory_terms")
        number = store._db.identity
        assert isinstance(number, int)
        Link(connection).bind(number)
        lines = connection.execute(f"EXPLAIN {statement}".encode(), {"n": number}).fetchall()
    text = "\n".join(line for (line,) in lines)
    assert LOOKUPS[statement] in text
    assert "Index Cond" in text
    condition = text[text.index("Index Cond") :].splitlines()[0]
    assert any(word in condition for word in ("term", "goal_key", "tail", "git_commit", "file_path"))
