"""An embedder that failed is left alone for a while, wherever it was asked."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rum.recall.semantic import MAX_RETRY_DELAY, RETRY_DELAY, SemanticSearch
from rum.store.base import Store
from support.builders import HandClock
from support.embedders import WordEmbedder
from unit.recall.semantic_search import keep, near, semantic_search, similarities


@pytest.mark.parametrize("fault", [None, ImportError("No module named 'numpy'")])
def test_an_embedder_that_fails_gives_no_results_and_says_why(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder, fault: Exception | None
):
    keep(store, "login fails")
    semantic.embed_pending(math.inf)
    embedder.fail("the endpoint is down")
    embedder.fault = fault or embedder.fault
    assert (semantic.nearest("login", 5).live, similarities(semantic, "login", "mem_login")) == ([], {})
    assert semantic.trouble == str(embedder.fault)


def test_after_a_failure_it_is_left_alone_for_a_while_then_asked_again(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    embedder.fail()
    assert semantic.embed_pending(math.inf) == 1
    assert not semantic.has_work()
    clock.forward(RETRY_DELAY - 1)
    assert semantic.embed_pending(math.inf) == 1
    assert len(embedder.asked) == 1
    embedder.fault = None
    clock.forward(2)
    assert semantic.has_work()
    assert semantic.embed_pending(math.inf) == 0
    assert semantic.trouble is None
    assert near(semantic, "login") == ["mem_login"]


def test_asked_again_on_request_it_is_asked_at_once(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder
):
    keep(store, "login fails")
    embedder.fail()
    semantic.embed_pending(math.inf)
    embedder.fault = None
    semantic.end_pause()
    assert semantic.embed_pending(math.inf) == 0


def test_as_long_as_it_fails_it_is_left_alone_for_longer_and_longer(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder, clock: HandClock
):
    def waits() -> list[int]:
        waited = []
        for _ in range(5):
            semantic.embed_pending(math.inf)
            waited.append(0)
            while not semantic.has_work():
                clock.forward(1)
                waited[-1] += 1
        return waited

    keep(store, "login fails")
    embedder.fail()
    assert waits() == [RETRY_DELAY, 2 * RETRY_DELAY, 4 * RETRY_DELAY, MAX_RETRY_DELAY, MAX_RETRY_DELAY]
    embedder.fault = None
    assert not semantic.embed_pending(math.inf)
    keep(store, "build is slow")
    embedder.fail()
    assert waits()[0] == RETRY_DELAY


def test_a_process_that_starts_after_a_failure_leaves_it_alone_too(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    embedder.fail("the endpoint is down")
    semantic.embed_pending(math.inf)
    fresh = WordEmbedder()
    later = semantic_search(store, fresh, clock)
    assert (later.embed_pending(math.inf), later.trouble, fresh.asked) == (1, "the endpoint is down", [])
    assert semantic_search(store, WordEmbedder("other/1"), clock).trouble is None
    clock.forward(RETRY_DELAY + 1)
    assert later.embed_pending(math.inf) == 0
    assert semantic_search(store, fresh, clock).trouble is None


def test_a_failure_met_elsewhere_can_be_heeded_and_so_can_its_end(
    store: Store, semantic: SemanticSearch, clock: HandClock
):
    keep(store, "login fails")
    elsewhere = semantic_search(store, broken := WordEmbedder(), clock)
    broken.fail("the endpoint is down")
    elsewhere.embed_pending(math.inf)
    assert semantic.has_work()
    semantic.sync_failures()
    assert (semantic.has_work(), semantic.trouble) == (False, "the endpoint is down")
    clock.forward(RETRY_DELAY + 1)
    assert semantic.has_work()
    broken.fault = None
    elsewhere.embed_pending(0)
    keep(store, "build is slow")
    semantic.sync_failures()
    assert (semantic.has_work(), semantic.trouble) == (True, None)


def test_a_failure_noted_by_a_clock_that_went_wrong_does_not_last(
    store: Store, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    store.activity.set_failure(embedder.model, "down", int(clock()) + 10**6)
    semantic = semantic_search(store, embedder, clock)
    clock.forward(RETRY_DELAY + 1)
    assert semantic.embed_pending(math.inf) == 0


def test_a_failure_that_nobody_could_note_is_not_forgotten(
    store: Store, folder: Path, semantic: SemanticSearch, embedder: WordEmbedder
):
    keep(store, "login fails")
    embedder.fail()
    with closing(sqlite3.connect(folder / "activity.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        semantic.embed_pending(1)
        semantic.sync_failures()
        assert (semantic.trouble, semantic.has_work()) == ("out of order", False)
