"""Fill projects with many memories at once, by COPY.

    .venv/bin/python benchmarks/team/bulk.py FOLDER --projects 200 --memories 4000 --large 200000

Starts a PostgreSQL server of its own on the folder and leaves the data there. The rows are made by the
store's own code, so they are those that `store` would write; only the way into the tables is another. There
are no vectors. Words are drawn as in language: the n-th most frequent has a share of 1/n.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import msgspec
import psycopg

from rum import Rum
from rum.model.ids import new_id
from rum.model.memory import Memory
from rum.store.postgres.move import words_of
from rum.store.postgres.statements import SQL
from rum.store.tables.memories import MemoryTable
from rum.store.tables.statements import Row, Statements

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from support import postgres

_BATCH = 2000
_INSERT = re.compile(r"INSERT INTO (\w+) \(([^)]*)\)")
_START = 1_700_000_000
_SYLLABLES = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "ar", "en", "il")]
WORDS = ["".join(two) for two in itertools.product(_SYLLABLES, _SYLLABLES)]
random.Random(1).shuffle(WORDS)
_WEIGHTS = list(itertools.accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))


def words(rng: random.Random, count: int) -> list[str]:
    """Words as frequent as in language."""
    return rng.choices(WORDS, cum_weights=_WEIGHTS, k=count)


def draft(rng: random.Random) -> dict[str, Any]:
    """A memory of usual size: about 1.5 kB."""
    said = words(rng, 130)
    return {
        "intent": {"goal": " ".join(said[:8]), "task_type": "bug_fix", "context": " ".join(said[8:30])},
        "outcome": {
            "success": rng.random() < 0.8,
            "summary": " ".join(said[30:50]),
            "learnings": [" ".join(said[50:70])],
        },
        "reasoning": {"approach_chosen": " ".join(said[70:95]), "why_chosen": " ".join(said[95:120])},
        "actions": [{"type": "file_edit", "file_path": f"src/{said[120]}/{said[121]}.py"}],
        "tags": list(dict.fromkeys(said[122:124])),
    }


class _Collected:
    """Takes the statements of a store, and keeps the rows that they would insert."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.seq = 0
        self.tables: dict[str, list[list[object]]] = {}
        self.columns: dict[str, list[str]] = {}

    def transaction(self, patience: float | None = None) -> Any:  # noqa: ARG002
        return nullcontext()

    def rows(self, statement: str, values: Any = ()) -> list[Row]:
        if statement != "insert_memory":
            return []
        self.seq += 1
        self._keep(statement, {**values, "seq": self.seq})
        return cast("list[Row]", [[self.seq]])

    def run(self, statement: str, values: Any = ()) -> int:
        if statement != "queue_memory":  # there is no model, so nothing is queued
            self._keep(statement, values)
        return 1

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        for values in rows:
            self._keep(statement, values)

    def _keep(self, statement: str, values: Any) -> None:
        found = _INSERT.search(SQL[statement].decode())
        assert found
        table, names = found[1], [name.strip() for name in found[2].split(",")]
        self.columns[table] = names
        row = (
            [self.number, *values]
            if not isinstance(values, dict)
            else [self.number, *(values[name] for name in names[1:])]
        )
        self.tables.setdefault(table, []).append(row)


def memories(project_id: str, agent: str, count: int, rng: random.Random) -> Iterator[Memory]:
    """Memories of half an hour each."""
    for number in range(count):
        made = draft(rng)
        path, at = made["actions"][0]["file_path"], _START + 1800 * number
        fields = {
            **made,
            "actions": [{"type": "file_edit", "timestamp": at, "details": {"file_path": path}}],
            "id": new_id("memory", at),
            "agent_id": agent,
            "project_id": project_id,
            "session_id": f"session_{number // 20}",
            "created_at": at,
            "files": [{"path": path, "operation": "edit"}],
        }
        yield msgspec.convert(fields, Memory)


def load(superuser: str, project_id: str, count: int, seed: int) -> int:
    """Add memories to a project that exists and has one agent."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET search_path = rum; SET session_replication_role = replica")
        connection.execute("SET synchronous_commit = off")
        row = connection.execute(
            "SELECT number, (SELECT id FROM agents AS a WHERE a.project = p.number LIMIT 1), "
            "(SELECT coalesce(max(seq), 0) FROM memories AS m WHERE m.project = p.number) "
            "FROM projects AS p WHERE id = %s",
            (project_id,),
        ).fetchone()
        assert row
        number, agent, last = row
        collected = _Collected(number)
        collected.seq = last
        table = MemoryTable(cast("Statements", collected))
        all_of_it = memories(project_id, agent, count, random.Random(seed))
        while batch := list(itertools.islice(all_of_it, _BATCH)):
            first = collected.seq + 1
            for memory in batch:
                table.add(memory)
            with connection.transaction():
                for name, rows in collected.tables.items():
                    _copy(connection, name, collected.columns[name], rows)
                where = f"t.project = {number} AND t.seq >= {first}"
                connection.execute(words_of("memory_text", number, where).encode())
            collected.tables.clear()
    return count


def _copy(connection: psycopg.Connection, table: str, names: list[str], rows: list[list[object]]) -> None:
    with connection.cursor().copy(f"COPY {table} ({', '.join(names)}) FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row([int(value) if isinstance(value, bool) else value for value in row])


def prepare(home: str, names: list[str]) -> dict[str, str]:
    """Make the projects, each with an agent; their ids by name."""
    made: dict[str, str] = {}
    for name in names:
        with Rum.open(home, project=name, home=home, agent="first") as rum:
            rum.store(**draft(random.Random(name)))
            made[name] = rum.project.id
    return made


def fill(home: str, superuser: str, sizes: dict[str, int], processes: int = 2) -> float:
    """Make and fill projects; the seconds that it took."""
    started = time.perf_counter()
    ids = prepare(home, list(sizes))
    # The index of words is made at the end: that takes a fraction of the time.
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("ALTER TABLE rum.memory_terms DROP CONSTRAINT memory_terms_pkey")
    with ProcessPoolExecutor(processes) as pool:
        work = [
            pool.submit(load, superuser, ids[name], size, seed)
            for seed, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: -item[1]))
        ]
        for one in work:
            one.result()
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET search_path = rum; SET maintenance_work_mem = '1GB'")
        connection.execute("ALTER TABLE memory_terms ADD PRIMARY KEY (project, term, seq) INCLUDE (fields)")
        connection.execute("ANALYZE")
        connection.execute("CHECKPOINT")
    return time.perf_counter() - started


def start(folder: Path) -> tuple[str, str, str]:
    """A server on a folder, and a home: the address for RUM, that for a superuser, and the home."""
    folder.mkdir(mode=0o755, exist_ok=True)
    dsn, home = postgres.start(folder / "data", cleanup=None), folder / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    os.environ |= {"RUM_STORE": dsn, "RUM_EMBEDDER": "none", "RUM_IDLE_AFTER": "0", "RUM_RATE_LIMIT": "0"}
    return dsn, dsn.replace(f"{postgres.ROLE}@", "postgres@"), str(home)


def main() -> None:
    """Fill a database, and print what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for name, default in (("projects", 200), ("memories", 4000), ("large", 0), ("processes", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    _, superuser, home = start(given.folder.resolve())
    sizes = {f"p{number}": given.memories for number in range(given.projects)}
    if given.large:
        sizes["p0"] = given.large
    took = fill(home, superuser, sizes, given.processes)
    with psycopg.connect(superuser) as connection:
        size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    total = sum(sizes.values())
    assert size
    print(
        json.dumps(
            {
                "memories": total,
                "seconds": round(took, 1),
                "memories_per_second": round(total / took),
                "bytes_per_memory": round(size[0] / total),
            }
        )
    )


if __name__ == "__main__":
    main()
