"""The files on disk are private, durable, of limited size, and without purged data."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rum import Rum
from rum.store.filters import Filters
from rum.store.sqlite.repair import restore_backup
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory, make_draft, make_file, make_intent, make_memory, make_outcome
from support.finding import (
    at,
    breadths,
    by_ids,
    by_paths,
    existing,
    holders,
    in_sessions,
    newest_with,
    outlines,
    session_size,
    timeline,
)
from support.processes import make_place
from support.vectors import data, vector

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@posix_only
def test_only_the_owner_can_read_anything(tmp_path: Path, umask: int):
    place = make_place(tmp_path)
    with place.open() as rum:
        rum.store(**make_draft())
        rum.recall(query="login")
        rum.settle()
        rum.backup(tmp_path / "copy.db")
        files = [path for path in place.home.rglob("*") if path.is_file()]
        folders = [place.home, *(path for path in place.home.rglob("*") if path.is_dir())]
        assert {"rum.db", "rum.db-wal", "rum.db-shm", "activity.db"} <= {path.name for path in files}
        assert {str(path): mode(path) for path in files if mode(path) != 0o600} == {}
        assert {str(path): mode(path) for path in folders if mode(path) != 0o700} == {}
        assert mode(tmp_path / "copy.db") == 0o600


@posix_only
def test_a_file_that_others_can_read_is_a_problem(store: SqliteStore, folder: Path):
    (folder / "rum.db").chmod(0o644)
    ((what, advice),) = store.upkeep.problems()
    assert "644" in what
    assert "chmod 600" in advice


def pragma(store: SqliteStore, family: str, name: str) -> object:
    database = {"rum": store._rum, "activity": store._activity}[family]
    return database.connection.execute(f"PRAGMA {name}").fetchone()[0]


@pytest.mark.parametrize(("family", "synchronous"), [("rum", 2), ("activity", 1)], ids=["FULL", "NORMAL"])
def test_memories_are_fully_durable_and_counts_nearly(store: SqliteStore, family: str, synchronous: int):
    assert pragma(store, family, "synchronous") == synchronous
    assert pragma(store, family, "journal_mode") == "wal"
    assert pragma(store, family, "foreign_keys") == 1


def test_settings_of_a_connection_outlive_reopening(store: SqliteStore, folder: Path):
    store._rum.reopen()
    assert pragma(store, "rum", "synchronous") == 2
    assert pragma(store, "rum", "foreign_keys") == 1


def test_the_log_stays_bounded_beside_a_reader_that_stays_open(store: SqliteStore, folder: Path):
    add_memory(store, "mem_first", "First goal")
    with closing(SqliteStore(str(folder))) as reader:
        largest = 0
        for number in range(150):
            add_memory(store, f"mem_{number}", "word " * 10_000)
            assert reader.memories.get(["mem_first"])
            newest_with(reader, ["first"], False, Filters(), 5)
            next(reader.memories.pages(1))
            largest = max(largest, (folder / "rum.db-wal").stat().st_size)
    assert (folder / "rum.db").stat().st_size > 8_000_000
    assert largest < 12_000_000


def use_everything(store: SqliteStore) -> None:
    add_memory(store, "mem_b", "Refresh the token", tags=["t"], files=[make_file("a.py")])
    store.memories.get(["mem_a"])
    store.memories.find_ids("mem_a")
    store.memories.find_ids("12345678")
    next(store.memories.pages(1))
    store.memories.replace(make_memory("mem_b", "Refresh it"))
    store.memories.tombstones(["aa"])
    store.memories.delete("mem_a", dry_run=True)
    store.agents.get("agent_ann")
    store.agents.find_ids("developer")
    store.agents.last_main("test")
    store.agents.figures("agent_ann")
    store.links.of(["mem_a"])
    store.search.by_filters(Filters(), 1)
    by_paths(store, ["a.py"], Filters(), 1)
    newest_with(store, ["token"], False, Filters(), 1)
    holders(store, "token", 1)
    at(store, [1, 2], Filters())
    by_ids(store, ["mem_a"], Filters())
    in_sessions(store, ["session_1"], 5)
    session_size(store, "session_1", 1)
    timeline(store, 1, 1)
    outlines(store, [1, 2])
    breadths(store, ["mem_b"])
    existing(store, ["token"])
    store.search.by_filters(Filters(), 1, "access_count", [("mem_a", 1)])
    store.activity.add_uses({"mem_a": 1}, NOON)
    store.activity.uses(["mem_a"])
    store.upkeep.problems()
    store.memories.delete("mem_b")


def test_no_transaction_outlives_a_call(store: SqliteStore, folder: Path):
    add_memory(store, "mem_a")
    use_everything(store)
    for name in ("rum.db", "activity.db"):
        with closing(sqlite3.connect(folder / name, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
            busy, _, _ = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            assert not busy, f"a reader of {name} is still reading"


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SECRET_WORDS = ("xylophonist", "quetzalcoatl", "zugzwang", "flibbertigibbet", "sesquipedalian", "borborygmus")


def traces(folder: Path) -> list[tuple[str, str]]:
    files = bytes_below(folder)
    return [
        (name, word) for name, data in files.items() for word in SECRET_WORDS if word.encode() in data.lower()
    ]


def do_not_wipe(rum: Rum) -> None:
    """Some builds of SQLite overwrite what is deleted, others do not; be one of these."""
    store = rum._caller.project.store
    assert isinstance(store, SqliteStore)
    for database in (store._rum, store._activity):
        database.connection.execute("PRAGMA secure_delete = OFF")


@pytest.mark.parametrize("others", [0, 3, 400])
def test_purging_leaves_no_byte_of_a_forgotten_memory(tmp_path: Path, others: int):
    place = make_place(tmp_path)
    words = random.Random(7)
    vocabulary = [f"w{number}" for number in range(500)]
    with place.open() as rum:
        do_not_wipe(rum)
        for _ in range(others // 2):
            rum.store(**make_draft(" ".join(words.sample(vocabulary, 30))))
        goal, summary, learning, path, tag, history = SECRET_WORDS
        edit = {"type": "file_edit", "file_path": f"src/{path}.py", "diff_summary": f"changed {path}"}
        outcome = make_outcome(f"It was a {summary}", learnings=[learning])
        kept = rum.store(intent=make_intent(f"A {goal}"), outcome=outcome, actions=[edit], tags=[tag])
        rum.update_memory(kept.memory_id, reasoning={"why_chosen": history})
        rum.update_memory(kept.memory_id, reasoning={"why_chosen": "something else"})
        for _ in range(others - others // 2):
            rum.store(**make_draft(" ".join(words.sample(vocabulary, 30))))
        rum.recall(query=goal)
        rum.settle()
        assert {word for _, word in traces(place.home)} == set(SECRET_WORDS)
        assert rum.forget(kept.memory_id, purge=True).purged is True
        assert traces(place.home) == []
        assert kept.memory_id.encode() not in b"".join(bytes_below(place.home).values())
        assert rum.doctor().problems == []
        assert rum.summary()["memories"] == others
    assert traces(place.home) == []


def test_purging_beside_an_open_reader_leaves_nothing_either(tmp_path: Path):
    place = make_place(tmp_path)
    with place.open() as rum, place.open() as reader:
        do_not_wipe(rum)
        kept = rum.store(**make_draft("A xylophonist"))
        assert reader.recall(query="xylophonist").memories
        assert rum.forget(kept.memory_id, purge=True).purged is True
        assert traces(place.home) == []
        assert reader.recall(query="xylophonist").memories == []


def test_a_purge_blocked_by_a_reader_is_reported_and_done_later(store: SqliteStore, folder: Path):
    add_memory(store, "mem_a", "A xylophonist")
    with closing(sqlite3.connect(folder / "rum.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        store.memories.delete("mem_a")
        store._rum.connection.execute("PRAGMA busy_timeout = 20")
        assert store.local_upkeep.shrink()
        assert traces(folder)
        reader.execute("COMMIT")
        assert store.local_upkeep.shrink() is None
        assert traces(folder) == []


def test_a_backup_taken_while_others_write_is_whole(store: SqliteStore, folder: Path, tmp_path: Path):
    over = threading.Event()
    written: list[str] = []

    def write() -> None:
        with closing(SqliteStore(str(folder))) as writer:
            while not over.is_set():
                name = f"mem_{len(written)}"
                add_memory(writer, name, f"Goal {name}", files=[make_file("a.py")], tags=["t"])
                written.append(name)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            while len(written) < (number + 1) * 10:
                over.wait(0.01)
            before = len(written)
            copy = tmp_path / f"copy-{number}" / "rum.db"
            copy.parent.mkdir()
            store.local_upkeep.backup(str(copy))
            assert [path.name for path in copy.parent.iterdir()] == ["rum.db"]
            with closing(SqliteStore(str(copy.parent))) as restored:
                names = written[: restored.memories.count()]
                assert len(names) >= before
                assert [memory.id for memory in restored.memories.get(names)] == names
                assert restored.upkeep.problems() == []
    finally:
        over.set()
        writer.join()


def test_vectors_of_a_restored_backup_are_compared_although_others_had_their_numbers(tmp_path: Path):
    folder, copy = tmp_path / "p", tmp_path / "copy.db"
    with closing(SqliteStore(str(folder))) as store:
        store.vectors.adopt("m", NOON)
        store.local_upkeep.backup(str(copy))
        add_memory(store, "mem_a")
        store.vectors.put("m", [("mem_a", 1, data("a"))])
        [(_, cosine)] = store.vectors.nearest("m", vector("a"), 9, 9).live
        restore_backup(str(folder), str(copy))
        add_memory(store, "mem_b")
        store.vectors.put("m", [("mem_b", 1, data("b"))])
        [(_, cosine_of_b)] = store.vectors.nearest("m", vector("b"), 9, 9).live
        assert cosine_of_b == pytest.approx(cosine, abs=0.01)
