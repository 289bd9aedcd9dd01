"""The archive's index, number and blobs: damage is noticed, and repaired if possible."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rum import Rum, StorageError
from rum.store.sqlite.store import SqliteStore
from rum.text import terms
from support.builders import NOON, add_memory, make_draft, make_intent, make_memory
from support.finding import archived_among, archived_existing
from support.processes import Place, make_place
from support.vectors import vector

QUESTIONS = ("word7", "goal", "sum 3 word3", "wrd12", "nothing", "live")
HARM = {
    "all rows are gone": "INSERT INTO archived_text(archived_text) VALUES ('delete-all')",
    "a row is left over": "INSERT INTO archived_text(rowid, terms) VALUES (999, 'goal ghost')",
    "the sizes are gone": "DELETE FROM archived_text_docsize",
    "the terms are garbage": "UPDATE archived_text_data SET block = randomblob(50) WHERE id > 10",
    "the structure is gone": "DELETE FROM archived_text_data",
    "the format is unknown": "DELETE FROM archived_text_config",
    "another tokeniser made it": "UPDATE archived SET terms = 999",
    "a row has terms that nobody noted": "UPDATE archived SET terms = 0 WHERE memory = 3",
    "the number is wrong": "UPDATE derived SET value = '0' WHERE name = 'archived'",
    "an archived one is in the live index": "INSERT INTO memory_text(rowid, goal) VALUES (1, 'goal')",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Twenty archived memories and one live one, asked by their words alone."""
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    place = make_place(tmp_path)
    with place.open(clock=lambda: NOON) as rum:
        for number in range(20):
            rum.store(**make_draft(f"Goal {number} word{number}", f"Sum {number}"))
    with place.open(clock=lambda: NOON + 400 * 86400) as rum:
        rum.store(**make_draft("Live goal"))
        assert rum.archive().archived == 20
    return place


def found(rum: Rum) -> list[list[tuple[str, float]]]:
    answers = (rum.recall(query=question, limit=20) for question in QUESTIONS)
    return [[(memory.id, memory.confidence) for memory in answer.memories] for answer in answers]


def harm(place: Place, statement: str) -> None:
    with closing(sqlite3.connect(place.project() / "rum.db", isolation_level=None)) as db:
        db.execute(statement)


@pytest.mark.parametrize("case", HARM)
def test_a_damaged_index_is_noticed_and_reindexing_finds_the_same_again(place: Place, case: str):
    with place.open() as rum:
        before = found(rum)
        assert any(before)
    harm(place, HARM[case])
    with place.open() as rum:
        assert any("rum reindex" in problem.advice for problem in rum.doctor().problems)
        assert rum.reindex() == 21
        assert rum.doctor().problems == []
        assert found(rum) == before


def test_an_unreadable_blob_is_reported_when_it_is_read(place: Place):
    with place.open() as rum:
        first = rum.recall(query="word0", limit=1).memories[0].id
    harm(place, "UPDATE archived SET data = zeroblob(20) WHERE memory = 1")
    with place.open() as rum:
        assert [one.what for one in rum.doctor().problems] == [
            f"1 archived memories cannot be read: {first}."
        ]
        with pytest.raises(StorageError, match=f"{first} cannot be read from the archive"):
            rum.show(first)


@pytest.mark.parametrize("change", ["forgotten", "changed", "restored"])
def test_terms_of_another_tokeniser_go_with_their_memory(store: SqliteStore, change: str):
    for one in ("a", "b"):
        add_memory(store, f"mem_{one}", f"goal {one}{one}")
    store.archive.put(["mem_a", "mem_b"], NOON)
    store._rum.connection.execute("UPDATE archived SET terms = 999")
    {
        "forgotten": lambda: store.memories.delete("mem_a"),
        "changed": lambda: store.memories.replace(make_memory("mem_a", "new", version=2)),
        "restored": lambda: store.archive.take_back(["mem_a"]),
    }[change]()
    assert archived_existing(store, ["goal", "aa", "bb"]) == ["goal", "bb"]
    assert [what for what, _ in store.upkeep.problems()] == [
        "The archive's index does not agree: 1 memories, 0 indexed, 1 rows."
    ]
    assert store.memories.get(["mem_b"])[0].intent.goal == "goal bb"


def test_what_cannot_be_packed_without_loss_stays_as_it_is(store: SqliteStore):
    add_memory(store, "mem_a")
    edited = '{\n"goal": "Edited by another program", "task_type": "bug_fix"}'
    store._rum.connection.execute("UPDATE memories SET intent = ?", (edited,))
    assert store.archive.put(["mem_a"], NOON) == 0
    assert store.memories.get(["mem_a"])[0].intent.goal == "Edited by another program"


def test_no_byte_of_a_forgotten_memory_is_left_after_a_purge(store: SqliteStore, folder: Path):
    for number in range(30):
        add_memory(store, f"mem_{number}", f"Goal {number}")
    secret = make_intent("Guard the xylophone", context="quintessence")
    add_memory(store, "mem_secret", intent=secret, tags=["zymurgy"])
    store.archive.put([f"mem_{number}" for number in range(20)] + ["mem_secret"], NOON)
    store.memories.delete("mem_secret")
    assert store.local_upkeep.shrink() is None
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert re.findall(b"xylophon|quintess|zymurg|mem_secret", everything) == []
    assert store.upkeep.problems() == []


def test_no_word_of_a_memory_is_kept_for_packing_others(store: SqliteStore, folder: Path):
    add_memory(store, "mem_one", intent=make_intent("Guard it", context="the quintessential xylophone " * 50))
    store.archive.put(["mem_one"], NOON)
    store.archive.take_back(["mem_one"])
    store.memories.delete("mem_one")
    store.local_upkeep.shrink()
    assert b"xylophon" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_file_gets_smaller_where_nobody_has_to_wait_too_long(store: SqliteStore):
    for number in range(300):
        context = " ".join(f"word{one}" for one in range(300))
        add_memory(store, f"mem_{number}", intent=make_intent("Goal", context=context))
    store._rum.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = store.local_upkeep.size().bytes
    assert store.local_upkeep.size().unused < 0.1
    store.archive.put([f"mem_{number}" for number in range(290)], NOON)
    assert "rum purge" in (store.local_upkeep.shrink(0.00001) or "")
    assert store.local_upkeep.shrink(30) is None
    assert store.local_upkeep.size().bytes < before / 3
    assert store.upkeep.problems() == []


def test_a_reader_keeps_nobody_from_archiving_and_its_file_gets_smaller_later(
    store: SqliteStore, folder: Path
):
    context = " ".join(f"word{one}" for one in range(300))
    for number in range(100):
        add_memory(store, f"mem_{number}", intent=make_intent("Goal", context=context))
    with closing(sqlite3.connect(folder / "rum.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        assert store.archive.put([f"mem_{number}" for number in range(90)], NOON) == 90
        store._rum.connection.execute("PRAGMA busy_timeout = 20")
        assert (
            store.local_upkeep.shrink(30)
            == "another process is reading; the file gets smaller when that is done"
        )
        assert reader.execute("SELECT count(*) FROM archived").fetchone() == (0,)
    assert store.local_upkeep.shrink() is None
    assert store.memories.count(archived=True) == 90


@pytest.mark.parametrize("statement", ["vectors", "archived vectors", "weigh", "among"])
def test_it_is_asked_by_its_indexes(store: SqliteStore, statement: str):
    add_memory(store, "mem_a")
    store.vectors.adopt("m", NOON)
    asked: list[str] = []
    db = store._rum.connection
    db.set_trace_callback(asked.append)
    {
        "vectors": lambda: store.vectors.cosines("m", vector("x"), [1]),
        "archived vectors": lambda: store.vectors.nearest("m", vector("x"), 0, 9),
        "weigh": lambda: list(store.archive.weigh(NOON + 1, 0.7)),
        "among": lambda: archived_among(store, [1, 2]),
    }[statement]()
    db.set_trace_callback(None)
    selects = [one for one in asked if one.lstrip("-").strip().startswith(("SELECT", "What", "WITH"))]
    steps = [row[3] for one in selects for row in db.execute(f"EXPLAIN QUERY PLAN {_without_comment(one)}")]
    assert selects
    long = [
        step
        for step in steps
        if re.match(r"SCAN (?!wanted|chosen|\(subquery|CONSTANT|[a-z] VIRTUAL|c$|s$|e$|json_each)", step)
        and "INDEX" not in step
    ]
    assert [step for step in long if "SUBQUERY" not in step] == []


def _without_comment(statement: str) -> str:
    return "\n".join(line for line in statement.splitlines() if not line.startswith("--"))


def test_the_terms_in_the_index_are_those_of_the_present_tokeniser(store: SqliteStore):
    add_memory(store, "mem_a")
    store.archive.put(["mem_a"], NOON)
    assert store._rum.connection.execute("SELECT terms FROM archived").fetchone() == (terms.VERSION,)
