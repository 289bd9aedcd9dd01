"""An embedder that failed, or was too slow, is left alone for a while, wherever it was asked."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rum.embed.base import OutOfTime
from rum.recall.semantic import LONGEST_REST, REST, Meaning
from rum.store.base import Store
from support.builders import HandClock
from support.embedders import WordEmbedder
from unit.recall.meanings import keep, likeness, made, near


@pytest.mark.parametrize("fault", [None, ImportError("No module named 'numpy'")])
def test_an_embedder_that_fails_gives_no_results_and_says_why(
    store: Store, meaning: Meaning, embedder: WordEmbedder, fault: Exception | None
):
    keep(store, "login fails")
    meaning.catch_up(math.inf)
    embedder.fail("the endpoint is down")
    embedder.fault = fault or embedder.fault
    assert (meaning.nearest("login", 5).live, likeness(meaning, "login", "mem_login")) == ([], {})
    assert meaning.trouble == str(embedder.fault)


def test_after_a_failure_it_is_left_alone_for_a_while_then_asked_again(
    store: Store, meaning: Meaning, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    embedder.fail()
    assert meaning.catch_up(math.inf) == 1
    assert not meaning.has_work()
    clock.forward(REST - 1)
    assert meaning.catch_up(math.inf) == 1
    assert len(embedder.asked) == 1
    embedder.fault = None
    clock.forward(2)
    assert meaning.has_work()
    assert meaning.catch_up(math.inf) == 0
    assert meaning.trouble is None
    assert near(meaning, "login") == ["mem_login"]


def test_asked_again_on_request_it_is_asked_at_once(store: Store, meaning: Meaning, embedder: WordEmbedder):
    keep(store, "login fails")
    embedder.fail()
    meaning.catch_up(math.inf)
    embedder.fault = None
    meaning.ask_again()
    assert meaning.catch_up(math.inf) == 0


def test_as_long_as_it_fails_it_is_left_alone_for_longer_and_longer(
    store: Store, meaning: Meaning, embedder: WordEmbedder, clock: HandClock
):
    def waits() -> list[int]:
        waited = []
        for _ in range(5):
            meaning.catch_up(math.inf)
            waited.append(0)
            while not meaning.has_work():
                clock.forward(1)
                waited[-1] += 1
        return waited

    keep(store, "login fails")
    embedder.fail()
    assert waits() == [REST, 2 * REST, 4 * REST, LONGEST_REST, LONGEST_REST]
    embedder.fault = None
    assert not meaning.catch_up(math.inf)
    keep(store, "build is slow")
    embedder.fail()
    assert waits()[0] == REST


def test_a_process_that_starts_after_a_failure_leaves_it_alone_too(
    store: Store, meaning: Meaning, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    embedder.fail("the endpoint is down")
    meaning.catch_up(math.inf)
    fresh = WordEmbedder()
    later = made(store, fresh, clock)
    assert (later.catch_up(math.inf), later.trouble, fresh.asked) == (1, "the endpoint is down", [])
    assert made(store, WordEmbedder("other/1"), clock).trouble is None
    clock.forward(REST + 1)
    assert later.catch_up(math.inf) == 0
    assert made(store, fresh, clock).trouble is None


def test_a_failure_met_elsewhere_can_be_heeded_and_so_can_its_end(
    store: Store, meaning: Meaning, clock: HandClock
):
    keep(store, "login fails")
    elsewhere = made(store, broken := WordEmbedder(), clock)
    broken.fail("the endpoint is down")
    elsewhere.catch_up(math.inf)
    assert meaning.has_work()
    meaning.heed_failures()
    assert (meaning.has_work(), meaning.trouble) == (False, "the endpoint is down")
    clock.forward(REST + 1)
    assert meaning.has_work()
    broken.fault = None
    elsewhere.catch_up(0)
    keep(store, "build is slow")
    meaning.heed_failures()
    assert (meaning.has_work(), meaning.trouble) == (True, None)


def test_a_failure_noted_by_a_clock_that_went_wrong_does_not_last(
    store: Store, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    store.activity.set_failure(embedder.model, "down", int(clock()) + 10**6)
    meaning = made(store, embedder, clock)
    clock.forward(REST + 1)
    assert meaning.catch_up(math.inf) == 0


def test_an_embedder_that_is_too_slow_for_a_question_is_left_to_others_for_a_while(
    store: Store, meaning: Meaning, embedder: WordEmbedder, clock: HandClock
):
    keep(store, "login fails")
    meaning.catch_up(math.inf)
    keep(store, "build is slow")
    embedder.fault = OutOfTime("not yet")
    embedder.asked.clear()
    for _ in range(3):
        assert meaning.catch_up(0.1)
    assert (len(embedder.asked), meaning.trouble, meaning.behind) == (1, None, True)
    assert meaning.has_work()
    embedder.fault = None
    assert near(meaning, "login") == ["mem_login"]
    assert meaning.catch_up(0.1)
    clock.forward(REST + 1)
    assert not meaning.catch_up(9)


def test_a_failure_that_nobody_could_note_is_not_forgotten(
    store: Store, folder: Path, meaning: Meaning, embedder: WordEmbedder
):
    keep(store, "login fails")
    embedder.fail()
    with closing(sqlite3.connect(folder / "activity.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        meaning.catch_up(1)
        meaning.heed_failures()
        assert (meaning.trouble, meaning.has_work()) == ("out of order", False)
