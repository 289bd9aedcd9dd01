"""The scale of another embedder is measured once and stored with its vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from rum.embed.calibration import DISSIMILAR, TEXTS, UNCHANGED
from rum.store.base import Store
from support.builders import HandClock
from support.embedders import WordEmbedder
from unit.recall.semantic_search import keep, near, nearest, semantic_search, similarities


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
