"""Every statement carries the shard key, and the tables can be distributed by it (deploy/citus.sql)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rum import Rum
from rum.store.postgres.connect import Database
from rum.store.postgres.statements import SQL
from rum.store.postgres.store import PostgresStore
from store.postgres.test_walls import OF_ALL
from support import postgres
from support.builders import make_draft

SCRIPT = Path(__file__).parents[3] / "deploy" / "citus.sql"
_VALUE = re.compile(rb"%\((\w+)\)s")


@pytest.fixture
def admin(store: PostgresStore) -> Iterator[psycopg.Connection]:
    """A role that row-level security does not bind: its plans show what the statements say themselves."""
    store.memories.count()
    with psycopg.connect(postgres.superuser(), autocommit=True) as connection:
        connection.execute("SET search_path = rum")
        yield connection


def scans(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a plan that read a table."""
    if "Relation Name" in plan and plan["Node Type"] != "ModifyTable":
        yield plan
    for part in plan.get("Plans", ()):
        yield from scans(part)


def tables(connection: psycopg.Connection) -> set[str]:
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'rum'::regnamespace AND relkind = 'r' "
        "AND relname NOT IN ('migrations', 'projects')"
    )
    return {name for (name,) in found}


def reads_without_key(connection: psycopg.Connection, statement: bytes) -> list[str]:
    """The tables that a statement reads without naming the project."""
    names: list[bytes] = []

    def numbered(match: re.Match[bytes]) -> bytes:
        if match[1] not in names:
            names.append(match[1])
        return b"$%d%s" % (names.index(match[1]) + 1, b"::integer" if match[1] == b"project" else b"")

    text = _VALUE.sub(numbered, statement).replace(b"%%", b"%")
    row = connection.execute(b"EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) " + text).fetchone()
    assert row
    missing: list[str] = []
    for scan in scans(row[0][0]["Plan"]):
        conditions = " ".join(
            str(scan.get(name, "")) for name in ("Index Cond", "Recheck Cond", "Filter", "Hash Cond")
        )
        if scan["Schema"] == "rum" and not re.search(r"\bproject = ", conditions):
            missing.append(scan["Relation Name"])
    return [name for name in missing if name not in ("projects", "migrations")]


def test_every_named_statement_reads_only_rows_of_its_project(admin: psycopg.Connection):
    missing = {name: reads_without_key(admin, SQL[name]) for name in SQL if name not in OF_ALL}
    assert {name: found for name, found in missing.items() if found} == {}


def test_so_do_the_statements_that_searches_put_together(
    admin: psycopg.Connection, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: set[bytes] = set()
    real = Database.fetch

    def fetch(self: Database, sql: bytes, values: dict[str, Any]) -> Any:
        seen.add(sql)
        return real(self, sql, values)

    monkeypatch.setattr(Database, "fetch", fetch)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    work = tmp_path / "work"
    work.mkdir()
    with Rum.open(work, home=tmp_path / "home", store=dsn, owner=True) as rum:
        done = {"type": "file_edit", "file_path": "src/login.py"}
        for number in range(12):
            rum.store(**make_draft(f"Renew token {number}", "Done", tags=["auth"], actions=[done]))
        first = rum.list(limit=1).memories[0].id
        for asked in (
            {"query": "renew tokn"},
            {"file": "src/login.py"},
            {"file": "src/"},
            {"file": "*.py", "query": "token"},
            {"query": "token", "tags": ["auth"], "success_only": True, "since": 0},
            {"query": "token", "task_type": "bug_fix", "before": 2_000_000_000},
        ):
            rum.recall(**asked)
        rum.trace(first)
        rum.brief(task="Renew the token", file="src/login.py")
        rum.list(limit=5)
        rum.pages.timeline()
    made = seen - set(SQL.values())
    assert len(made) > 15
    missing = {sql: reads_without_key(admin, sql) for sql in made}
    assert {sql: found for sql, found in missing.items() if found} == {}


def test_the_script_distributes_every_table_and_keeps_projects_everywhere(admin: psycopg.Connection):
    script = SCRIPT.read_text(encoding="utf-8")
    named = re.findall(r"create_distributed_table\('rum\.(\w+)', 'project'", script)
    assert sorted(named) == sorted(tables(admin))
    assert "create_reference_table('rum.projects')" in script
    assert script.count("colocate_with => 'rum.memories'") == len(named) - 1


def test_every_key_and_reference_contains_the_shard_key(admin: psycopg.Connection):
    """Citus refuses unique keys and references between distributed tables without it."""
    unique = admin.execute(
        "SELECT i.indexrelid::regclass::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid "
        "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'project' "
        "WHERE c.relnamespace = 'rum'::regnamespace AND i.indisunique AND a.attnum <> ALL(i.indkey::int2[])"
    ).fetchall()
    assert unique == []
    references = admin.execute(
        "SELECT f.conname FROM pg_constraint AS f JOIN pg_class AS c ON c.oid = f.conrelid "
        "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'project' "
        "WHERE f.contype = 'f' AND c.relnamespace = 'rum'::regnamespace AND a.attnum <> ALL(f.conkey)"
    ).fetchall()
    assert references == []
