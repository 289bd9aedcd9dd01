"""Many agents at once on `rum serve` with PostgreSQL: throughput and times by the number of server processes.

    .venv/bin/python benchmarks/team/bulk.py FOLDER --projects 200 --memories 4000 --large 200000
    .venv/bin/python benchmarks/team/served.py FOLDER --agents 100 --seconds 60 --servers 1 2 4

Each agent is a thread with a connection that stays open. It stores and recalls in turn, every tenth time on
the large project, else on one chosen at random. Agents, servers and the database share the machine. The floor
is one insert of the same bytes with its commit and one select by key, in the same run.
Questions are answered by words: there are no vectors.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import resource
import statistics
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
from bulk import draft, start, words

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from surfaces.http import running

Times = dict[str, list[float]]


class Agent(threading.Thread):
    """Calls without a pause until the end."""

    def __init__(self, number: int, port: int, tokens: list[str], until: float) -> None:
        super().__init__()
        self._rng, self._port, self._tokens, self._until = random.Random(number), port, tokens, until
        self.times: Times = {"store": [], "recall": [], "recall_large": []}
        self.failed: dict[str, int] = {}

    def run(self) -> None:
        """Store and recall in turn."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        turn = 0
        while time.monotonic() < self._until:
            turn += 1
            large = turn % 10 == 0
            token = self._tokens[0 if large else self._rng.randrange(1, len(self._tokens))]
            kind = "recall" if turn % 2 == 0 else "store"
            given = draft(self._rng) if kind == "store" else {"query": " ".join(words(self._rng, 4))}
            started = time.perf_counter()
            try:
                error = self._call(connection, token, kind, given)
            except (OSError, http.client.HTTPException) as lost:
                connection.close()
                error = type(lost).__name__
            if error:
                self.failed[error] = self.failed.get(error, 0) + 1
            else:
                self.times[f"{kind}_large" if large else kind].append(time.perf_counter() - started)
        connection.close()

    def _call(
        self, connection: http.client.HTTPConnection, token: str, tool: str, given: dict[str, Any]
    ) -> str | None:
        params = {"name": tool, "arguments": given}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            return str(answer.status)
        found = json.loads(data).get("result", {})
        return json.loads(found["content"][0]["text"]).get("code", "error") if found.get("isError") else None


def floor(dsn: str) -> dict[str, float]:
    """The median milliseconds of an insert of a memory's bytes with its commit, and of a select by key."""
    body = json.dumps(draft(random.Random(0)))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS floor (id bigserial PRIMARY KEY, body text)")

        def median(statement: str, values: tuple[object, ...]) -> float:
            times: list[float] = []
            for _ in range(300):
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


def figures(times: list[float], unit: float) -> dict[str, float]:
    """Calls, median and 95th percentile in milliseconds, and the median in units of the floor."""
    ordered = sorted(1000 * one for one in times) or [0.0]
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return {
        "calls": len(times),
        "p50_ms": round(middle, 1),
        "p95_ms": round(late, 1),
        "p50_to_floor": round(middle / unit, 1),
    }


def run(
    home: Path, dsn: str, tokens: list[str], servers: int, given: argparse.Namespace
) -> dict[str, object]:
    """One number of server processes."""
    units = floor(dsn)
    opened = [running.start(home, store=dsn) for _ in range(servers)]
    try:
        before = resource.getrusage(resource.RUSAGE_SELF)
        started = time.monotonic()
        until = started + given.seconds
        agents = [
            Agent(number, opened[number % servers].port, tokens, until) for number in range(given.agents)
        ]
        for agent in agents:
            agent.start()
        for agent in agents:
            agent.join()
        took = time.monotonic() - started
        after = resource.getrusage(resource.RUSAGE_SELF)
        processor = [_processor(server.process.pid) for server in opened]
    finally:
        for server in opened:
            server.stop()
    times: Times = {}
    failed: dict[str, int] = {}
    for agent in agents:
        for kind, found in agent.times.items():
            times.setdefault(kind, []).extend(found)
        for code, count in agent.failed.items():
            failed[code] = failed.get(code, 0) + count
    done = sum(map(len, times.values()))
    mine = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "servers": servers,
        "agents": given.agents,
        "calls_per_second": round(done / took, 1),
        "failed": failed,
        "floor_ms": {name: round(value, 3) for name, value in units.items()},
        **{
            kind: figures(found, units["insert" if kind == "store" else "select"])
            for kind, found in times.items()
        },
        "processor_seconds": {"agents": round(mine, 1), "servers": processor, "of": round(took, 1)},
    }


def _processor(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100
    return 0.0


def main() -> None:
    """Measure each number of servers, one line each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--projects", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args()
    dsn, _, home = start(given.folder.resolve())
    name = f"load{int(time.time())}"
    tokens = [
        running.create_token(Path(home), f"{name}-{number}", "writer", f"p{number}", 1_000_000)
        for number in range(given.projects)
    ]
    for servers in given.servers:
        print(json.dumps(run(Path(home), dsn, tokens, servers, given)), flush=True)


if __name__ == "__main__":
    main()
