"""Agents that store and recall at once on many projects, on files and on PostgreSQL.

    .venv/bin/python benchmarks/team/load.py --store "$DSN" --projects 20 --memories 200 --agents 8 --calls 40

Every agent is a process. It stores and recalls in turn, on a project chosen at random. Without --store the
memories are in files. The floor is what the database needs for one insert of the same bytes with its commit,
and for one select by key, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from rum import Rum

WORDS = [
    "token",
    "login",
    "cache",
    "parser",
    "invoice",
    "date",
    "zone",
    "retry",
    "queue",
    "worker",
    "index",
    "schema",
    "migration",
    "timeout",
    "header",
    "cookie",
    "session",
    "proxy",
    "socket",
    "buffer",
    "stream",
    "chunk",
    "upload",
    "thumbnail",
    "locale",
    "currency",
    "tax",
    "order",
    "basket",
    "search",
    "filter",
    "page",
]


def draft(rng: random.Random) -> dict[str, Any]:
    """A memory of usual size: about 2.5 kB."""
    words = rng.choices(WORDS, k=120)
    return {
        "intent": {"goal": " ".join(words[:7]), "task_type": "bug_fix", "context": " ".join(words[7:30])},
        "outcome": {
            "success": rng.random() < 0.8,
            "summary": " ".join(words[30:50]),
            "learnings": [" ".join(words[50:70]), f"seen number {rng.randrange(10**6)}"],
        },
        "reasoning": {"approach_chosen": " ".join(words[70:90]), "why_chosen": " ".join(words[90:110])},
        "actions": [{"type": "file_edit", "file_path": f"src/{rng.choice(WORDS)}/{rng.choice(WORDS)}.py"}],
        "tags": rng.sample(WORDS, 2),
    }


def agent(home: str, number: int, projects: int, calls: int) -> None:
    """Store and recall in turn; print the seconds of each call."""
    rng = random.Random(number)
    opened: dict[str, Rum] = {}
    seconds: dict[str, list[float]] = {"store": [], "recall": []}
    for call in range(calls):
        name = f"p{rng.randrange(projects)}"
        rum = opened.get(name)
        if rum is None:
            rum = opened[name] = Rum.open(home, project=name, home=home, agent=f"agent{number}")
            rum.recall(query="warm up")
        started = time.perf_counter()
        if call % 2:
            rum.store(**draft(rng))
        else:
            rum.recall(query=" ".join(rng.choices(WORDS, k=4)))
        seconds["store" if call % 2 else "recall"].append(time.perf_counter() - started)
    for rum in opened.values():
        rum.close()
    print(json.dumps(seconds))


def fill(home: str, projects: int, memories: int) -> float:
    """Store the memories; the seconds for each."""
    started = time.perf_counter()
    for number in range(projects):
        rng = random.Random(1000 + number)
        with Rum.open(home, project=f"p{number}", home=home, owner=True) as rum:
            for _ in range(memories):
                rum.store(**draft(rng))
    return (time.perf_counter() - started) / (projects * memories)


def floor(dsn: str) -> dict[str, float]:
    """The median milliseconds of an insert of a memory's bytes with its commit, and of a select by key."""
    body = json.dumps(draft(random.Random(0)))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS floor (id bigserial PRIMARY KEY, body text)")

        def median(statement: str, values: tuple[object, ...]) -> float:
            times: list[float] = []
            for _ in range(200):
                started = time.perf_counter()
                connection.execute(statement.encode(), values)
                times.append(time.perf_counter() - started)
            return 1000 * statistics.median(times)

        found = {
            "insert": median("INSERT INTO floor (body) VALUES (%s)", (body,)),
            "select": median("SELECT body FROM floor WHERE id = %s", (1,)),
        }
        connection.execute("DROP TABLE floor")
        return found


def main() -> None:
    """Fill the store, let the agents work, and print what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", help="address of a PostgreSQL database; default: files")
    for name, default in (("projects", 20), ("memories", 200), ("agents", 8), ("calls", 40)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--agent", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ["RUM_EMBEDDER"] = "none"
    os.environ["RUM_IDLE_AFTER"] = "0"
    if given.store:
        os.environ["RUM_STORE"] = given.store
    if given.agent:
        home, number = given.agent.rsplit(":", 1)
        agent(home, int(number), given.projects, given.calls)
        return
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o700)
        each = fill(home, given.projects, given.memories)
        sizes = ["--projects", str(given.projects), "--calls", str(given.calls)]
        started = time.perf_counter()
        running = [
            subprocess.Popen(
                [sys.executable, __file__, *sizes, "--agent", f"{home}:{number}"], stdout=subprocess.PIPE
            )
            for number in range(given.agents)
        ]
        seconds: dict[str, list[float]] = {"store": [], "recall": []}
        for process in running:
            for kind, times in json.loads(process.communicate()[0]).items():
                seconds[kind] += times
        took = time.perf_counter() - started
    result: dict[str, object] = {
        "store": "postgresql" if given.store else "files",
        "memories": given.projects * given.memories,
        "agents": given.agents,
        "calls_per_second": round(given.agents * given.calls / took, 1),
        "fill_ms": round(1000 * each, 2),
    }
    for kind, times in seconds.items():
        ordered = sorted(times)
        result[f"{kind}_ms"] = {
            "min": round(1000 * ordered[0], 2),
            "p50": round(1000 * ordered[len(ordered) // 2], 2),
            "p95": round(1000 * ordered[int(len(ordered) * 0.95)], 2),
        }
    if given.store:
        result["floor_ms"] = {name: round(value, 3) for name, value in floor(given.store).items()}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
