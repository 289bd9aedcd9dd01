"""Changes during a language model's request are not lost."""

from __future__ import annotations

from typing import Any

import pytest

from rum import Rum
from support.language_models import ModelServer, Request
from support.projects import Shop
from support.stories import CHAPTER, WISDOM, tell

Json = dict[str, Any]


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    server.script = [CHAPTER]
    return server


@pytest.fixture
def ids(shop: Shop) -> list[str]:
    return tell(shop, shop.open(agent="ann"))


def ann(shop: Shop) -> Rum:
    return shop.open(agent="ann")


def test_text_passed_during_the_models_request_is_kept(
    shop: Shop, ids: list[str], server: ModelServer
) -> None:
    made = ann(shop).chapters.create(memory_ids=ids).chapter_id

    def hand_in_meanwhile(_: Request) -> Json:
        ann(shop).chapters.create(memory_ids=ids, title="By hand", summary="Mine.", learnings=["My own view"])
        return CHAPTER

    server.answer = hand_in_meanwhile
    answer = ann(shop).chapters.create(memory_ids=ids, title="Mine now")
    assert answer.chapter_id == made
    assert (answer.title, answer.summary, answer.learnings) == ("Mine now", "Mine.", ("My own view",))
    assert (answer.words, answer.evidence[0].supporting) == ("given", 0)
    assert ann(shop).chapters.show(made).learnings == ("My own view",)


def test_wisdom_text_passed_during_the_models_request_is_kept(
    shop: Shop, ids: list[str], server: ModelServer
) -> None:
    chapters = [ann(shop).chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids)]

    def hand_in_meanwhile(_: Request) -> Json:
        given = {"summary": "Mine.", "insights": ["My own view"], "patterns": [], "best_practices": ["Pray"]}
        ann(shop).wisdom.synthesize(chapter_ids=chapters, **given)  # type: ignore[arg-type]
        return WISDOM

    server.answer = hand_in_meanwhile
    answer = ann(shop).wisdom.synthesize(chapter_ids=chapters)
    assert (answer.words, answer.summary, answer.insights) == ("given", "Mine.", ("My own view",))
    assert answer.best_practices == ("Pray",)


def test_a_chapter_forgotten_during_the_request_leaves_none_of_its_text(
    shop: Shop, ids: list[str], server: ModelServer
) -> None:
    rum = ann(shop)
    made = rum.chapters.create(memory_ids=ids, title="Mine", summary="Of a xylophone").chapter_id

    def forget_meanwhile(_: Request) -> Json:
        ann(shop).forget(made)
        return CHAPTER

    server.answer = forget_meanwhile
    answer = rum.chapters.create(memory_ids=ids)
    assert answer.created
    assert "xylophone" not in repr(answer)
    assert answer.title == CHAPTER["title"]


def test_passed_text_is_marked_as_given_even_if_a_memory_changes_during_the_request(
    shop: Shop, ids: list[str], server: ModelServer
) -> None:
    def change_meanwhile(_: Request) -> Json:
        ann(shop).update_memory(ids[0], importance=0.9)
        return CHAPTER

    server.answer = change_meanwhile
    answer = ann(shop).chapters.create(memory_ids=ids, learnings=["Handle refresh token expiry"])
    assert (answer.words, answer.learnings) == ("given", ("Handle refresh token expiry",))
    assert "changed while" in str(answer.note)
    assert not ann(shop).chapters.show(answer.chapter_id).stale
