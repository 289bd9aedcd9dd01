"""The text index is derived: damage is noticed, and it can be rebuilt."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from rum import Rum
from rum.store.filters import Filters
from rum.store.sqlite.store import SqliteStore
from support.builders import add_memory, make_draft, make_memory
from support.finding import holders, newest_with
from support.processes import Place, make_place

QUESTIONS = ("word7", "goal", "sum 3 word3", "wrd12", "nothing")

HARM = {
    "some rows are gone": "DELETE FROM memory_text WHERE rowid < 20",
    "all rows are gone": "DELETE FROM memory_text",
    "a row is left over": "INSERT INTO memory_text(rowid, goal) VALUES (999, 'goal ghost')",
    "the texts are gone": "DELETE FROM memory_text_content",
    "the sizes are gone": "DELETE FROM memory_text_docsize",
    "the terms are garbage": "UPDATE memory_text_data SET block = randomblob(50) WHERE id > 10",
    "the structure is garbage": "UPDATE memory_text_data SET block = randomblob(20) WHERE id = 10",
    "the structure tells of something huge": (
        "UPDATE memory_text_data SET block = x'7942bdf22106f0847762f0f3cb4d764dc7072051' WHERE id = 10"
    ),
    "the structure is gone": "DELETE FROM memory_text_data",
    "the format is unknown": "DELETE FROM memory_text_config",
    "another tokeniser made it": "UPDATE derived SET value = '0' WHERE name = 'tokeniser'",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A memory that is asked by its words alone, so that nothing but the index answers."""
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    place = make_place(tmp_path)
    with place.open() as rum:
        for number in range(30):
            rum.store(**make_draft(f"Goal {number} word{number}", f"Sum {number}"))
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
    harm(place, HARM[case])
    with place.open() as rum:
        problems = rum.doctor().problems
        assert any("rum reindex" in problem.advice for problem in problems)
        assert rum.reindex() == 30
        assert rum.doctor().problems == []
        assert found(rum) == before
    with place.open() as again:
        assert found(again) == before


def test_memories_can_be_read_by_id_and_file_whatever_the_index_is_like(place: Place):
    with place.open() as rum:
        kept = rum.store(**make_draft(actions=[{"type": "file_edit", "file_path": "a.py"}]))
    harm(place, HARM["the structure is gone"])
    with place.open() as rum:
        assert rum.show(kept.memory_id).intent.goal == "Fix the login"
        assert [memory.id for memory in rum.recall(file="a.py").memories] == [kept.memory_id]


def test_an_index_that_another_is_writing_to_is_not_called_damaged(store: SqliteStore, folder: Path):
    add_memory(store, "mem_a")
    held = threading.Event()

    def hold() -> None:
        with closing(SqliteStore(str(folder))) as other, other.transaction():
            held.set()
            threading.Event().wait(0.6)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(5)
    try:
        assert store.upkeep.problems() == []
    finally:
        holder.join()


def test_reindexing_beside_a_writer_takes_the_newest_words(place: Place):
    with place.open(owner=True) as rum, place.open(owner=True) as other:
        store = rum._caller.project.store
        ((memory_id, *_, number),) = newest_with(store, ["word7"], True, Filters(), 9)

        def change(done: int) -> None:
            other.update_memory(memory_id, intent={"goal": f"zebra {done}"})

        rum.reindex(change)
        assert holders(store, "zebra", 9) == [number]
        assert holders(store, "word7", 9) == []
        assert rum.doctor().problems == []


def ids_by_word(store: SqliteStore, word: str) -> list[str]:
    return [row.id for row in newest_with(store, [word], False, Filters(superseded=True), 100)]


def test_reindexing_takes_the_memory_as_it_is_stored_now(store: SqliteStore):
    stale = add_memory(store, "mem_a", "Old words")
    store.memories.replace(make_memory("mem_a", "New words"))
    store.memories.reindex(stale)
    assert ids_by_word(store, "new") == ["mem_a"]
    assert ids_by_word(store, "old") == []


def test_reindexing_a_memory_that_is_gone_does_nothing(store: SqliteStore):
    gone = add_memory(store, "mem_a")
    store.memories.delete("mem_a")
    store.memories.reindex(gone)
    assert ids_by_word(store, "login") == []
    assert store.upkeep.problems() == []


def test_an_index_of_many_parts_is_merged_and_loses_nothing(store: SqliteStore):
    assert not store.upkeep.merge_index()
    number = merged = 0
    while not merged and number < 5000:
        with store.transaction():
            for _ in range(3):
                number += 1
                add_memory(store, f"mem_{number}", f"Refresh the token {number}")
        merged = store.upkeep.merge_index()
    assert merged
    assert not store.upkeep.merge_index()
    assert len(holders(store, "token", 9999)) == number
    assert store.upkeep.problems() == []
