"""Cosines belong to the current texts of memories; the scale of another embedder is measured once."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rum.embed.calibration import DISSIMILAR, TEXTS, UNCHANGED
from rum.recall.semantic import SemanticSearch
from rum.store.base import Store
from rum.store.packed_vectors import cosines
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, HandClock, add_memory, make_memory
from support.embedders import WordEmbedder
from unit.recall.semantic_search import keep, near, nearest, semantic_search, similarities

ANIMALS = ("ant", "bee", "cow", "odd")  # Words of goals; a text with the last of them is refused


class Elsewhere:
    """Another process at the same store, with an embedder of the same model."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        embedder = WordEmbedder()
        embedder.spoils = lambda text: "odd" in text
        self.semantic = semantic_search(store, embedder, HandClock())

    def does(self, what: str, memory_id: str, word: str) -> None:
        """Change the store, as far as that can be done now."""
        present = self.store.memories.get([memory_id])
        if what == "add" and not present:
            add_memory(self.store, memory_id, f"Count the {word}")
        if what == "reword" and present:
            version = present[0].version + 1
            self.store.memories.replace(make_memory(memory_id, f"Count the {word}", version=version))
        if what == "delete" and present:
            self.store.memories.delete(memory_id)
        if what == "archive":
            self.store.archive.put([memory_id], NOON)
        if what == "take back":
            self.store.archive.take_back([memory_id])
        if what == "embed":
            self.semantic.embed_pending(math.inf)
        if what == "drop":
            self.store.vectors.drop_unused("another model", 2**40)


@contextmanager
def two_at_a_store() -> Iterator[tuple[SemanticSearch, SqliteStore, Elsewhere]]:
    """Who asks, and who changes things."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = SqliteStore(folder), SqliteStore(folder)
        try:
            yield semantic_search(here, WordEmbedder(), HandClock()), here, Elsewhere(there)
        finally:
            here.close()
            there.close()


def _data_kept(store: SqliteStore, keys: range) -> dict[int, bytes]:
    tables = ("memory_vectors", "archived_vectors")
    kept = [f"SELECT memory, data FROM {table}" for table in tables]
    rows = store._rum.connection.execute(" UNION ALL ".join(kept))
    return {memory: data for memory, data in rows if memory in keys}


def as_kept(store: SqliteStore, question: str, numbers: range) -> dict[int, float]:
    embedder = WordEmbedder()
    return cosines(embedder.embed([question])[0], _data_kept(store, numbers))


FIRST = [("add", 0, "ant"), ("add", 1, "bee"), ("embed", 0, "ant")]

CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "reword", "delete", "archive", "take back", "embed", "embed", "drop"]),
        st.integers(0, 3),
        st.sampled_from(ANIMALS),
    ),
    max_size=14,
)


@settings(max_examples=60)
@given(CHANGES)
@example([("reword", 1, "odd"), ("embed", 0, "ant")])
@example([("reword", 1, "cow"), ("archive", 1, "cow"), ("embed", 0, "ant")])
@example([("delete", 1, "bee"), ("add", 1, "cow"), ("embed", 0, "ant"), ("archive", 1, "cow")])
@example([("drop", 0, "ant"), ("reword", 1, "cow")])
def test_likeness_is_that_of_the_vectors_kept_whatever_others_do(changes: list[tuple[str, int, str]]):
    with two_at_a_store() as (semantic, store, elsewhere):
        for what, number, word in FIRST + changes:
            elsewhere.does(what, f"mem_{number}", word)
            told = semantic.similarities("count the bee", set(range(1, 9)))
            assert told == pytest.approx(as_kept(store, "count the bee", range(1, 9))), what


def test_a_memory_with_a_number_beyond_all_bounds_is_like_others():
    with two_at_a_store() as (semantic, store, elsewhere):
        add_memory(store, "mem_ant", "Count the ant")
        connection = store._rum.connection  # no door lets numbers be chosen
        connection.execute("UPDATE memories SET seq = 1 << 60")
        connection.commit()
        add_memory(store, "mem_bee", "Count the bee")
        elsewhere.does("embed", "", "")
        near = similarities(semantic, "the bee", "mem_ant", "mem_bee")
        assert near["mem_bee"] > near["mem_ant"] > 0


class OtherEmbedder(WordEmbedder):
    """One that recall was not fitted with."""

    fitted = False


@pytest.fixture
def other() -> OtherEmbedder:
    return OtherEmbedder()


class BlindEmbedder(OtherEmbedder):
    """One to which all texts are the same."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().embed(["the same"] * len(texts))


def measure_scale(embedder: WordEmbedder) -> int:
    """How often it was asked for the texts that tell."""
    return embedder.asked.count(TEXTS[0])


def test_the_scale_is_measured_once_for_many_queries(store: Store, other: OtherEmbedder, clock: HandClock):
    keep(store, "login fails", "build is slow")
    several = [semantic_search(store, other, clock) for _ in range(3)]
    for semantic in several:
        assert not semantic.embed_pending(math.inf)
        near(semantic, "the build is slow")
    assert measure_scale(other) == 1
    assert several[0].scale == several[2].scale != UNCHANGED


def test_cosines_are_given_on_the_scale_of_the_built_in_one(
    store: Store, other: OtherEmbedder, clock: HandClock
):
    keep(store, "login fails", "build is slow")
    plain = semantic_search(store, WordEmbedder("plain/1"), clock)
    semantic = semantic_search(store, other, clock)
    for one in (plain, semantic):
        one.embed_pending(math.inf)
    raw = nearest(plain, "the build", 9)
    scaled = {one: semantic.scale.of(cosine) for one, cosine in raw.items()}
    assert nearest(semantic, "the build", 9) == pytest.approx(scaled) != pytest.approx(raw)
    assert similarities(semantic, "the build", *raw) == pytest.approx(scaled)


def test_a_question_measures_once_no_memory_waits_for_a_vector(
    store: Store, other: OtherEmbedder, clock: HandClock
):
    keep(store, "login fails")
    semantic = semantic_search(store, other, clock)
    semantic.embed_pending(math.inf)
    assert (measure_scale(other), semantic.has_work()) == (1, False)
    assert TEXTS[0] in other.asked[1:]  # the memory came first


def test_vectors_of_which_nobody_knows_the_scale_are_work_to_do(
    store: Store, other: OtherEmbedder, clock: HandClock
):
    keep(store, "login fails")
    before = WordEmbedder(other.model)
    semantic_search(store, before, clock).embed_pending(math.inf)
    semantic = semantic_search(store, other, clock)
    assert semantic.scale == UNCHANGED
    assert semantic.has_work()
    assert not semantic.embed_pending(math.inf)
    assert (measure_scale(other), len(other.asked), semantic.has_work()) == (1, len(TEXTS), False)


def test_the_built_in_embedder_is_not_measured(store: Store, clock: HandClock):
    keep(store, "login fails")
    embedder = WordEmbedder()
    semantic = semantic_search(store, embedder, clock)
    semantic.embed_pending(math.inf)
    assert (measure_scale(embedder), semantic.scale) == (0, UNCHANGED)


def test_while_it_fails_it_is_left_alone_and_measured_later(
    store: Store, other: OtherEmbedder, clock: HandClock
):
    keep(store, "login fails")
    semantic = semantic_search(store, other, clock)
    other.fail()
    assert semantic.embed_pending(math.inf)
    assert (semantic.scale, semantic.counts()[:2]) == (UNCHANGED, (0, 1))
    other.fault = None
    semantic.end_pause()
    assert not semantic.embed_pending(math.inf)
    assert semantic.scale != UNCHANGED


def test_the_scale_is_deleted_with_its_vectors(store: Store, other: OtherEmbedder, clock: HandClock):
    keep(store, "login fails")
    semantic = semantic_search(store, other, clock)
    semantic.embed_pending(math.inf)
    store.upkeep.reindex(print, print, drop_vectors=True)
    assert semantic.scale == UNCHANGED
    semantic.embed_pending(math.inf)
    assert measure_scale(other) == 2
    store.vectors.drop_unused("", int(clock()) + 1)
    assert store.vectors.state(other.model).scale is None
    assert store.upkeep.problems() == []


def test_by_an_embedder_that_finds_all_alike_nothing_is_near(store: Store, clock: HandClock):
    keep(store, "login fails")
    semantic = semantic_search(store, BlindEmbedder(), clock)
    semantic.embed_pending(math.inf)
    assert list(nearest(semantic, "something else", 1).values()) == [DISSIMILAR]
