"""No statement reaches another project's rows: each names its own, and the database checks it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rum.model.memory import Edge, LinkType
from rum.store.filters import Filters
from rum.store.postgres.pool import full_address
from rum.store.postgres.statements import SQL
from rum.store.postgres.store import PostgresStore
from support import postgres
from support.builders import NOON, add_memory, make_file
from support.facts import make_fact

# What no project owns: its own number, the role, the schema.
OF_ALL = {"project_number", "create_project", "delete_project", "end_move", "consider_candidates"}
_SYSTEM = {"pg_class", "pg_roles", "pg_index", "pg_extension", "pg_namespace"}
# The tables of a statement, without the names that the statement gives itself.
_TABLES = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)\b(?!\s*\()")


@pytest.fixture
def other(dsn: str, tmp_path: Path) -> Iterator[PostgresStore]:
    store = PostgresStore(dsn, f"other project of {tmp_path}", patience=5)
    yield store
    store.close()


def test_projects_do_not_see_each_other(store: PostgresStore, other: PostgresStore):
    for one, word in ((store, "kiwi"), (other, "mango")):
        add_memory(one, "mem_a", f"Peel the {word}", tags=[word], files=[make_file(f"{word}.py")])
        add_memory(one, f"mem_{word}", "Eat it")
        one.links.add(Edge.of("mem_a", f"mem_{word}", LinkType.RELATED_TO), NOON)
        one.facts.put(make_fact("format", value=word))
    for one, word, strange in ((store, "kiwi", "mango"), (other, "mango", "kiwi")):
        assert [memory.intent.goal for memory in one.memories.get(["mem_a"])] == [f"Peel the {word}"]
        assert one.memories.get([f"mem_{strange}"]) == []
        assert one.search.terms([[strange]], 9, 9).holders[0].keys == []
        assert one.search.by_filters(Filters(), 9)[1] == 2
        assert one.search.known_paths([""]) == [[f"{word}.py"]]
        assert one.search.tag_counts(9) == [(word, 1)]
        assert [fact.value for fact in one.facts.get(["format"])] == [word]
        assert {edge.target_id for edge in one.links.of()} | {edge.source_id for edge in one.links.of()} == {
            "mem_a",
            f"mem_{word}",
        }
        assert one.upkeep.problems() == []
    store.memories.delete("mem_a")
    assert other.memories.count() == 2


def test_every_statement_names_the_project_for_each_of_its_tables():
    strays: list[str] = []
    for name, statement in SQL.items():
        text = statement.decode()
        tables = set(_TABLES.findall(text)) - {"lateral", "unnest"}
        own = set(re.findall(r"\b([a-z_]+)(?:\([a-z_, ]*\))? AS (?:MATERIALIZED )?\(", text))
        named = text.count("%(project)s")
        if name not in OF_ALL and (not named or named < len(tables - own - _SYSTEM) - 1):
            strays.append(name)
    assert strays == []


@pytest.fixture
def stranger(dsn: str) -> Iterator[psycopg.Connection]:
    """A connection of the same role that names no project."""
    with psycopg.connect(full_address(dsn), autocommit=True) as connection:
        connection.execute("SET search_path = rum")
        yield connection


def tables(connection: psycopg.Connection) -> list[str]:
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'rum'::regnamespace AND relkind = 'r' "
        "AND relname NOT IN ('migrations', 'projects') ORDER BY 1"
    )
    return [name for (name,) in found]


def test_without_a_project_no_row_is_seen_or_written(store: PostgresStore, stranger: psycopg.Connection):
    add_memory(store, "mem_a", tags=["t"], files=[make_file("a.py")])
    assert len(tables(stranger)) > 30
    for table in tables(stranger):
        assert stranger.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
        assert stranger.execute(f"DELETE FROM {table}").rowcount == 0, table
    assert store.memories.count() == 1


def test_a_statement_without_its_condition_reaches_only_the_named_project(
    store: PostgresStore, other: PostgresStore, stranger: psycopg.Connection
):
    """Row-level security is the second wall: it holds even where a statement forgets the project."""
    add_memory(store, "mem_a")
    add_memory(other, "mem_b")
    number = other._db.identity
    stranger.execute("SELECT set_config('rum.project', %s, false)", (str(number),))
    assert stranger.execute("SELECT id FROM memories").fetchall() == [("mem_b",)]
    assert stranger.execute("UPDATE memories SET importance = 1").rowcount == 1
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        stranger.execute("INSERT INTO derived VALUES (%s, 'x', 'y')", (store._db.identity,))
    assert store.memories.get(["mem_a"])[0].importance != 1


def test_every_table_of_a_project_has_the_project_first_in_its_key_and_forced_security(
    store: PostgresStore, stranger: psycopg.Connection
):
    store.memories.count()
    secured = stranger.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'rum'::regnamespace AND relkind = 'r' "
        "AND relrowsecurity AND relforcerowsecurity ORDER BY 1"
    ).fetchall()
    assert [name for (name,) in secured] == tables(stranger)
    keys = stranger.execute(
        "SELECT c.relname, i.indexrelid::regclass::text, a.attname FROM pg_index AS i "
        "JOIN pg_class AS c ON c.oid = i.indrelid "
        "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] "
        "WHERE c.relnamespace = 'rum'::regnamespace AND c.relname NOT IN ('migrations', 'projects')"
    ).fetchall()
    assert [key for key in keys if key[2] != "project"] == []
    assert {table for table, *_ in keys} == set(tables(stranger))


def test_a_role_that_passes_the_wall_is_a_problem(store: PostgresStore, dsn: str, tmp_path: Path):
    add_memory(store, "mem_a")
    with psycopg.connect(postgres.superuser(), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'rum_passes'").fetchone():
            connection.execute("CREATE ROLE rum_passes LOGIN BYPASSRLS IN ROLE rum_test")
    passing = PostgresStore(dsn.replace("rum_test@", "rum_passes@"), f"project of {tmp_path}", patience=5)
    [(what, _)] = passing.upkeep.problems()
    passing.close()
    assert "row-level security" in what
    assert store.upkeep.problems() == []
