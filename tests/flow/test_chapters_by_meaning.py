"""Vectors help to merge claims and to find wisdom; if they fail, words decide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.embedders import Endpoint
from support.projects import Shop, open_shop
from support.stories import tell


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        yield opened


@pytest.fixture
def endpoint(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(1024).serving() as running:  # so many dimensions that no two words share one
        for name, value in running.settings().items():
            monkeypatch.setenv(name, value)
        yield running


def test_wisdom_is_found_by_meaning_if_no_word_matches(shop: Shop, endpoint: Endpoint) -> None:
    rum = shop.open()
    ids = tell(shop, rum)
    chapters = [
        rum.chapters.create(memory_ids=one, title="A", summary="B", learnings=[], tags=["t"]).chapter_id
        for one in (ids[:2], ids[1:])
    ]
    claims = {"insights": ["Keys stay", "Add to the interceptor while it is"], "best_practices": []}
    made = rum.wisdom.synthesize(chapter_ids=chapters, summary="C", patterns=[], **claims).wisdom_id
    rum.tidy()
    question = "Add a retry queue to the interceptor Requests wait while the token is refreshed"
    [found] = rum.wisdom.recall(query=question).wisdom
    assert (found.id, found.match, found.matching) == (made, "fuzzy", (0,))
    assert found.insights[0] == "Add to the interceptor while it is"
    assert 0 < (found.confidence or 0) < 1
    assert rum.wisdom.recall(query="zebra crossing lion").wisdom == []


def test_with_a_failing_embedder_only_words_are_compared(
    shop: Shop, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = tell(shop, shop.open(agent="ann"))
    endpoint.status = 500
    failing = shop.open(agent="ann").chapters.create(memory_ids=ids)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    without = shop.open(agent="ann").chapters.create(memory_ids=ids)
    assert (failing.title, failing.summary, failing.learnings) == (
        without.title,
        without.summary,
        without.learnings,
    )
    assert failing.evidence == without.evidence


def test_with_vectors_the_same_memories_give_the_same_text(shop: Shop, endpoint: Endpoint) -> None:
    rum = shop.open(agent="ann")
    ids = tell(shop, rum)
    first = rum.chapters.create(memory_ids=ids)
    again = shop.open(agent="ann").chapters.create(memory_ids=list(reversed(ids)))
    assert (first.title, first.summary, first.learnings) == (again.title, again.summary, again.learnings)
    assert not again.created
