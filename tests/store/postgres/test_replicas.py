"""Calls that only read may be answered by a replica, which always knows what was written before."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from rum import Rum
from rum.store.postgres import pool
from rum.store.postgres.store import PostgresStore
from support import postgres
from support.builders import add_memory, make_draft


class Cluster:
    """A leader and a server that follows it."""

    def __init__(self, leader: str, data: Path, follower: Path) -> None:
        self.leader = leader
        self.follower = follower
        self.both = leader.replace(f"host={data}", f"host={data},{follower}")
        self._admin = leader.replace(f"{postgres.ROLE}@", "postgres@").replace(str(data), str(follower))

    def on_follower(self, statement: str) -> object:
        with psycopg.connect(self._admin, autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
            return row[0] if row else None

    def wait(self) -> None:
        """Wait until the follower has everything."""
        with psycopg.connect(self.leader.replace(f"{postgres.ROLE}@", "postgres@")) as connection:
            row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row
        while not self.on_follower(
            f"SELECT pg_last_wal_replay_lsn() >= '{row[0]}' FROM pg_sleep(0.02)",
        ):
            continue


@pytest.fixture(scope="module")
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    with tempfile.TemporaryDirectory() as name, ExitStack() as opened:
        folder = Path(name)
        folder.chmod(0o755)
        leader = postgres.start(folder / "leader")
        PostgresStore(leader, "first", patience=5).close()  # makes the schema
        follower = opened.enter_context(postgres.standby(folder / "leader", folder / "follower"))
        yield Cluster(leader, folder / "leader", follower)


@pytest.fixture
def store(cluster: Cluster, tmp_path: Path) -> Iterator[PostgresStore]:
    store = PostgresStore(
        cluster.both, f"project of {tmp_path}", patience=5, position=str(tmp_path / "position")
    )
    yield store
    store.close()


def is_replica(store: PostgresStore) -> bool:
    row = store._db._link().connection.execute("SELECT pg_is_in_recovery()").fetchone()
    assert row
    return row[0]


def test_a_replica_answers_what_only_reads_once_it_has_the_last_write(store: PostgresStore, cluster: Cluster):
    add_memory(store, "mem_a")
    cluster.wait()
    with store.errors(reads=True):
        assert store.memories.count() == 1
        assert is_replica(store)
    with store.errors():
        assert not is_replica(store)


def test_a_caller_reads_its_own_write_though_the_replica_is_late(store: PostgresStore, cluster: Cluster):
    add_memory(store, "mem_a")
    cluster.wait()
    cluster.on_follower("SELECT pg_wal_replay_pause()")
    try:
        add_memory(store, "mem_b")
        with store.errors(reads=True):
            assert [memory.id for memory in store.memories.get(["mem_b"])] == ["mem_b"]
            assert not is_replica(store)
    finally:
        cluster.on_follower("SELECT pg_wal_replay_resume()")
    cluster.wait()
    with store.errors(reads=True):
        assert is_replica(store)
        assert store.memories.count() == 2


def test_other_processes_know_of_the_write_too(store: PostgresStore, cluster: Cluster, tmp_path: Path):
    add_memory(store, "mem_a")
    cluster.wait()
    position = str(tmp_path / "position")
    other = PostgresStore(cluster.both, f"project of {tmp_path}", patience=5, position=position)
    cluster.on_follower("SELECT pg_wal_replay_pause()")
    try:
        with other.errors(reads=True):
            assert is_replica(other)
        add_memory(store, "mem_b")
        with other.errors(reads=True):
            assert other.memories.count() == 2
            assert not is_replica(other)
    finally:
        cluster.on_follower("SELECT pg_wal_replay_resume()")
        other.close()


def test_who_knows_of_no_write_reads_what_was_written_before_the_start(
    store: PostgresStore, cluster: Cluster, tmp_path: Path
):
    add_memory(store, "mem_a")
    cluster.wait()
    cluster.on_follower("SELECT pg_wal_replay_pause()")
    try:
        add_memory(store, "mem_b")
        position = str(tmp_path / "another")
        other = PostgresStore(cluster.both, f"project of {tmp_path}", patience=5, position=position)
        with other.errors(reads=True):
            assert other.memories.count() == 2
        other.close()
    finally:
        cluster.on_follower("SELECT pg_wal_replay_resume()")


def test_what_is_written_in_a_call_that_reads_goes_to_the_leader(store: PostgresStore, cluster: Cluster):
    add_memory(store, "mem_a")
    cluster.wait()
    with store.errors(reads=True):
        assert is_replica(store)
        store.upkeep.remember("x", "1")
        assert store.upkeep.remembered("x") == "1"
        assert not is_replica(store)


def test_a_damaged_position_asks_the_leader(store: PostgresStore, cluster: Cluster, tmp_path: Path):
    add_memory(store, "mem_a")
    cluster.wait()
    (tmp_path / "position").write_text("")
    with store.errors(reads=True):
        assert not is_replica(store)


def test_recall_goes_on_when_the_replica_is_killed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_STORE", cluster.both)
    monkeypatch.setenv("RUM_READ_REPLICAS", "on")
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    monkeypatch.setattr(pool, "_AVOID", 0.0)
    work = tmp_path / "work"
    work.mkdir()
    with Rum.open(work, home=tmp_path / "home", agent="ann") as rum:
        rum.store(**make_draft("Renew the token", "Done"))
        cluster.wait()
        assert [one.intent.goal for one in rum.recall(query="token").memories] == ["Renew the token"]
        store = rum._project.store
        assert isinstance(store, PostgresStore)
        assert store._pools.replicas._pool._idle
        postgres.kill(cluster.follower)
        assert [one.intent.goal for one in rum.recall(query="token").memories] == ["Renew the token"]
        rum.store(**make_draft("Renew the cookie", "Done"))
        postgres.run_again(cluster.follower)
        cluster.wait()
        assert [one.intent.goal for one in rum.recall(query="cookie").memories] == ["Renew the cookie"]
        assert store._pools.replicas._pool._idle
