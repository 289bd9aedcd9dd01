"""Semantic search keeps up with the store, and finds nothing while the embedder fails."""

from __future__ import annotations

import math
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rum.recall.semantic import (
    MAX_BATCH_SIZE,
    RETRY_DELAY,
    USE_RECORD_INTERVAL,
    SemanticSearch,
)
from rum.store.packed_vectors import pack
from rum.store.sqlite.store import SqliteStore
from support.builders import HandClock, add_memory, make_memory
from support.embedders import WordEmbedder
from support.processes import make_place
from unit.recall.semantic_search import keep, near, nearest, semantic_search, similarities


def test_the_nearest_memories_come_first_with_their_cosine(store: SqliteStore, semantic: SemanticSearch):
    keep(store, "login fails after reset", "build is slow at night", "certificate expires")
    assert semantic.embed_pending(math.inf) == 0
    assert semantic.counts()[:2] == (3, 0)
    found = nearest(semantic, "the build at night is slow", 2)
    assert [next(iter(found)), len(found)] == ["mem_build", 2]
    first, second = found.values()
    assert 1 >= first > second > 0


def test_cosines_are_returned_for_requested_memories_with_a_vector(
    store: SqliteStore, semantic: SemanticSearch
):
    keep(store, "login fails", "build is slow")
    semantic.embed_pending(math.inf)
    keep(store, "cache is cold")
    alike = similarities(semantic, "the build", "mem_build", "mem_login", "mem_cache")
    assert set(alike) == {"mem_build", "mem_login"}
    assert alike["mem_build"] == nearest(semantic, "the build", 9)["mem_build"]
    assert alike["mem_build"] > alike["mem_login"]
    assert semantic.similarities("the build", {7, 10**9}) == semantic.similarities("the build", set()) == {}


def test_without_an_embedder_there_is_nothing_and_nothing_is_pending(store: SqliteStore, clock: HandClock):
    semantic = semantic_search(store, None, clock)
    keep(store, "login fails")
    assert (semantic.model, semantic.trouble, semantic.has_work()) == (None, None, False)
    assert (
        semantic.embed_pending(9),
        semantic.nearest("login", 5).live,
        similarities(semantic, "login", "mem_login"),
    ) == (
        0,
        [],
        {},
    )


def test_nothing_is_embedded_when_there_is_nothing_to_compare_with(
    store: SqliteStore, semantic: SemanticSearch, embedder: WordEmbedder
):
    keep(store, "login fails")
    assert (semantic.nearest("login", 5).live, similarities(semantic, "login", "mem_login")) == ([], {})
    assert semantic.embed_pending(math.inf) == 0
    assert semantic.nearest("login", 0).live == []
    assert len(embedder.asked) == 1


def test_a_question_is_embedded_once_and_without_its_secrets(
    store: SqliteStore, semantic: SemanticSearch, embedder: WordEmbedder
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    embedder.asked.clear()
    for _ in range(3):
        semantic.nearest("login with hunter2", 5)
        similarities(semantic, "login with hunter2", "mem_login")
    assert embedder.asked == ["login with ***"]


def test_the_number_of_cached_queries_is_limited(
    store: SqliteStore, semantic: SemanticSearch, embedder: WordEmbedder
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    for number in range(100):
        semantic.nearest(f"question {number}", 1)
    embedder.asked.clear()
    semantic.nearest("question 99", 1)
    semantic.nearest("question 0", 1)
    assert embedder.asked == ["question 0"]


def test_vectors_added_changed_or_forgotten_by_another_process_are_noticed(
    store: SqliteStore, folder: Path, semantic: SemanticSearch, clock: HandClock
):
    with closing(SqliteStore(str(folder))) as elsewhere:
        theirs = semantic_search(elsewhere, WordEmbedder(), clock)
        keep(store, "login fails", "build is slow")
        semantic.embed_pending(math.inf)
        assert near(semantic, "login") == ["mem_login"]
        keep(elsewhere, "cache is cold")
        theirs.embed_pending(math.inf)
        assert near(semantic, "cold cache") == ["mem_cache"]
        elsewhere.memories.replace(make_memory("mem_cache", "disk is full", version=2))
        assert "mem_cache" not in near(semantic, "cold cache", 9)
        theirs.embed_pending(math.inf)
        assert near(semantic, "full disk") == ["mem_cache"]
        elsewhere.memories.delete("mem_login")
        assert "mem_login" not in near(semantic, "login", 9)


def test_when_most_of_what_was_known_is_gone_the_rest_is_found(
    store: SqliteStore, folder: Path, semantic: SemanticSearch, clock: HandClock
):
    for number in range(120):
        add_memory(store, f"mem_{number}", f"login fails {number}")
    semantic.embed_pending(math.inf)
    assert len(near(semantic, "login fails", 50)) == 50
    for number in range(100):
        store.memories.delete(f"mem_{number}")
    assert sorted(near(semantic, "login fails", 50)) == sorted(f"mem_{number}" for number in range(100, 120))


@pytest.mark.slow
def test_vectors_that_were_replaced_do_not_pile_up_in_memory(
    store: SqliteStore, semantic: SemanticSearch, embedder: WordEmbedder
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    largest = 0
    with store.transaction():  # only because it is quicker so
        for version in range(2, 1300):
            store.memories.replace(make_memory("mem_login", f"login fails {version}", version=version))
            vector = pack(embedder.embed([f"login fails {version}"])[0])
            assert store.vectors.put(embedder.model, [("mem_login", version, vector)])
            assert near(semantic, "login") == ["mem_login"]
            largest = max(largest, len(store.vectors._live))  # nothing else shows it
    assert 900 < largest < 1100


def test_a_restored_backup_is_read_again(
    store: SqliteStore, folder: Path, semantic: SemanticSearch, tmp_path: Path
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    store.local_upkeep.backup(str(tmp_path / "copy.db"))
    keep(store, "build is slow")
    semantic.embed_pending(math.inf)
    assert near(semantic, "slow build") == ["mem_build"]
    for side in ("-wal", "-shm"):
        (folder / f"rum.db{side}").unlink(missing_ok=True)
    os.replace(tmp_path / "copy.db", folder / "rum.db")
    store.refresh()
    keep(store, "cache is cold")
    semantic.embed_pending(math.inf)
    assert set(near(semantic, "slow build", 9)) == {"mem_cache", "mem_login"}
    assert near(semantic, "cold cache") == ["mem_cache"]


def test_vectors_of_another_model_are_never_compared(
    store: SqliteStore, semantic: SemanticSearch, clock: HandClock
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    other = semantic_search(store, WordEmbedder("other/1", 64), clock)
    assert (other.nearest("login", 5).live, similarities(other, "login", "mem_login")) == ([], {})
    assert other.counts()[:2] == (0, 1)
    assert other.embed_pending(math.inf) == 0
    assert near(other, "login") == near(semantic, "login") == ["mem_login"]


def test_a_model_whose_vectors_got_another_length_is_no_error(
    store: SqliteStore, semantic: SemanticSearch, clock: HandClock
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    assert near(semantic, "login") == ["mem_login"]
    changed = semantic_search(store, WordEmbedder(dimensions=32), clock)
    assert (changed.nearest("login", 5).live, similarities(changed, "login", "mem_login")) == ([], {})


def test_catching_up_takes_the_newest_first_and_ends_with_its_time(
    store: SqliteStore, semantic: SemanticSearch, embedder: WordEmbedder
):
    for number in range(10):
        add_memory(store, f"mem_{number}", f"goal number{number}")
    assert semantic.embed_pending(0)
    assert semantic.counts()[:2] == (1, 9)
    assert [text.splitlines()[0] for text in embedder.asked] == ["goal number9"]
    told: list[int] = []
    assert semantic.embed_pending(math.inf, told.append) == 0
    assert told[-1] == 9
    assert told == sorted(told)


def test_many_are_embedded_a_few_at_a_time(store: SqliteStore, semantic: SemanticSearch):
    for number in range(3 * MAX_BATCH_SIZE):
        add_memory(store, f"mem_{number}", f"goal number{number}")
    told: list[int] = []
    assert semantic.embed_pending(math.inf, told.append) == 0
    steps = [after - before for before, after in zip([0, *told], told, strict=False)]
    assert (sum(steps), max(steps) <= MAX_BATCH_SIZE) == (3 * MAX_BATCH_SIZE, True)


def test_what_was_done_before_a_failure_stays(
    store: SqliteStore, semantic: SemanticSearch, embedder: WordEmbedder
):
    for number in range(20):
        add_memory(store, f"mem_{number}", f"goal number{number}")

    def stop(done: int) -> None:
        if done > 5:
            embedder.fail()

    assert semantic.embed_pending(math.inf, stop)
    done, pending = semantic.counts()[:2]
    assert (done + pending, 5 < done < 20) == (20, True)


@pytest.mark.parametrize("factor", [np.nan, np.inf, 0])
@pytest.mark.parametrize("count", [1, 3])
def test_an_embedder_whose_vectors_all_point_nowhere_has_failed_and_leaves_no_trace(
    store: SqliteStore, embedder: WordEmbedder, semantic: SemanticSearch, factor: float, count: int
):
    keep(store, *["login fails", "build is slow", "cache is cold"][:count])
    embedder.spoils, embedder.factor = (lambda _: True), factor
    assert semantic.embed_pending(math.inf)
    assert (semantic.counts()[:2], store.vectors.counts(embedder.model).refused) == ((0, count), 0)
    assert "test sentence" in (semantic.trouble or "")


@pytest.mark.parametrize("factor", [np.nan, np.inf, 0])
@pytest.mark.parametrize("others", [[], ["build is slow"], ["build is slow", "cache is cold"]])
def test_a_text_whose_vector_points_nowhere_is_refused_and_stops_no_other(
    store: SqliteStore, embedder: WordEmbedder, semantic: SemanticSearch, factor: float, others: list[str]
):
    keep(store, *others, "odd login")
    embedder.spoils, embedder.factor = (lambda text: "odd" in text), factor
    assert not semantic.embed_pending(math.inf)
    assert (semantic.counts()[:2], semantic.trouble) == ((1 + len(others), 0), None)
    assert store.vectors.counts(embedder.model).refused == 1
    assert len(near(semantic, "the build is slow and the cache is cold", 9)) == len(others)
    assert similarities(semantic, "login", "mem_odd") == {}


@pytest.mark.parametrize("factor", [np.nan, np.inf, 0])
def test_a_refused_text_is_not_asked_for_again(
    store: SqliteStore, embedder: WordEmbedder, semantic: SemanticSearch, factor: float
):
    keep(store, "odd login")
    embedder.spoils, embedder.factor = (lambda text: "odd" in text), factor
    semantic.embed_pending(math.inf)
    keep(store, "build is slow")
    embedder.asked.clear()
    semantic.embed_pending(math.inf)
    assert [text for text in embedder.asked if "odd" in text] == []


@pytest.mark.parametrize("factor", [np.nan, np.inf, 0])
def test_a_question_whose_vector_points_nowhere_has_no_answer_and_is_put_once(
    store: SqliteStore, embedder: WordEmbedder, semantic: SemanticSearch, factor: float
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    embedder.asked.clear()
    embedder.spoils, embedder.factor = (lambda text: "odd" in text), factor
    for _ in range(2):
        assert (semantic.nearest("odd login", 5).live, similarities(semantic, "odd login", "mem_login")) == (
            [],
            {},
        )
    assert (embedder.asked, semantic.trouble) == (["odd login"], None)


def used_at(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "rum.db")) as db:
        return db.execute("SELECT used_at FROM vector_models").fetchone()[0]


def test_the_use_of_vectors_is_recorded_once_a_day(
    store: SqliteStore, folder: Path, semantic: SemanticSearch, clock: HandClock
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    first = used_at(folder)
    clock.forward(USE_RECORD_INTERVAL + 1)
    semantic.record_use()
    assert used_at(folder) == first
    semantic.nearest("login", 1)
    assert used_at(folder) == first
    semantic.record_use()
    assert used_at(folder) == clock()
    second = used_at(folder)
    clock.forward(60)
    for one in (semantic, semantic_search(store, WordEmbedder(), clock)):
        similarities(one, "login", "mem_login")
        one.record_use()
    assert used_at(folder) == second


def test_the_use_of_vectors_is_recorded_later_if_it_is_not_possible_now(
    store: SqliteStore, folder: Path, semantic: SemanticSearch, clock: HandClock
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    clock.forward(USE_RECORD_INTERVAL + 1)
    semantic.nearest("login", 1)
    with closing(sqlite3.connect(folder / "rum.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        semantic.record_use()
        writer.execute("ROLLBACK")
    assert used_at(folder) < clock()
    clock.forward(RETRY_DELAY + 1)
    semantic.record_use()
    assert used_at(folder) == clock()


PROGRAM = """
import sys
from support.builders import make_draft
from rum import Rum

with Rum.open(owner=True) as rum:
    rum.store(**make_draft(actions=[{"type": "file_edit", "file_path": "a.py"}]))
    assert rum.recall(file="a.py").memories
    assert (rum.pending, rum.doctor().healthy) == (1, True)
print(*({"numpy", "rum.embed.minilm", "rum.store.packed_vectors"} & set(sys.modules)))
"""


def test_numpy_is_not_loaded_before_meaning_is_asked_for(tmp_path: Path):
    assert make_place(tmp_path).run(PROGRAM, RUM_EMBEDDER="builtin") == [""]
