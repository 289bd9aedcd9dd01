"""Chapters by a language model: good, bad, slow and secret answers, and changes during its request."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from rum import Rum
from support.language_models import KINDS, STUCK, ModelServer, Request, Trouble
from support.projects import Shop, keep
from support.stories import CHAPTER, LEARNING, WISDOM, tell

Json = dict[str, Any]
TOKEN = "ghp_" + "a1B2" * 9
MADE_UP = {"text": "Kangaroos steal tokens at midnight in Melbourne", "sources": [1]}


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    server.script = [CHAPTER]
    return server


@pytest.fixture
def ids(shop: Shop) -> list[str]:
    return tell(shop, shop.open(agent="ann"))


def ann(shop: Shop) -> Rum:
    return shop.open(agent="ann")


def files_hold(shop: Shop, word: str) -> bool:
    return any(
        word.encode() in Path(folder, file).read_bytes()
        for folder, _, files in os.walk(shop.folder.parent)
        for file in files
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_answer_of_the_model_becomes_the_text(
    shop: Shop, ids: list[str], server: ModelServer, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUM_LLM", kind)
    rum = ann(shop)
    made = rum.chapters.create(memory_ids=ids)
    assert (made.words, made.title, made.learnings) == ("model", CHAPTER["title"], (LEARNING,))
    assert made.summary == CHAPTER["summary"]
    assert set(made.evidence[0].memory_ids) == set(ids[:2])
    assert made.note is UNSET
    assert rum.tokens().today == 110
    assert "Fix JWT token expiry" in server.requests[0].said[0]


def test_the_model_writes_wisdom_too(shop: Shop, ids: list[str], server: ModelServer) -> None:
    rum = ann(shop)
    chapters = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids)]
    server.script = [WISDOM]
    made = rum.wisdom.synthesize(chapter_ids=chapters)
    assert (made.words, made.insights) == ("model", (LEARNING,))
    assert made.best_practices == ("Flush key caches before rotation of keys",)
    assert [one.supporting for one in made.evidence] == [2, 1]
    assert rum.tokens().today == 330


def test_text_passed_by_the_caller_needs_no_model(shop: Shop, ids: list[str], server: ModelServer) -> None:
    rum = ann(shop)
    rum.chapters.create(memory_ids=ids, summary="Mine.", learnings=["Mine too"])
    assert server.requests == []
    made = rum.chapters.create(memory_ids=ids[:2], title="Mine")
    assert (made.title, made.words, made.learnings) == ("Mine", "model", (LEARNING,))


def test_an_unsupported_claim_is_dropped_and_reported(
    shop: Shop, ids: list[str], server: ModelServer
) -> None:
    server.script = [{**CHAPTER, "learnings": [MADE_UP, *CHAPTER["learnings"]]}]
    made = ann(shop).chapters.create(memory_ids=ids)
    assert (made.words, made.learnings) == ("model", (LEARNING,))
    assert "1 claim" in str(made.note)
    assert not files_hold(shop, "Kangaroos")


@pytest.mark.parametrize(
    ("script", "spent"),
    [
        (["nonsense", "more nonsense"], 220),
        ([{"title": "half"}], 220),
        ([{**CHAPTER, "learnings": [MADE_UP]}], 110),
        ([{**CHAPTER, "learnings": [{"text": LEARNING, "sources": [99]}]}], 110),
        ([Trouble(401)], 0),
        ([Trouble(500, "kangaroo")], 0),
    ],
    ids=["nonsense", "half an answer", "made up", "no such sources", "refused", "broken"],
)
def test_without_a_usable_answer_text_is_drawn_from_memories_and_that_is_reported(
    shop: Shop, ids: list[str], server: ModelServer, script: list[Any], spent: int
) -> None:
    rum = ann(shop)
    server.script = script
    made = rum.chapters.create(memory_ids=ids)
    assert made.words == "drawn"
    assert "drawn from the memories" in str(made.note)
    assert "Always handle refresh token expiry too" in made.learnings
    assert all(evidence.supporting for evidence in made.evidence)
    for word in ("nonsense", "Kangaroos", "Refreshing tokens on 401", "kangaroo"):
        assert not files_hold(shop, word)
    assert rum.tokens().today == spent


def test_drawn_text_is_the_same_as_without_a_model(
    shop: Shop, ids: list[str], server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script = ["nonsense"]
    with_model = ann(shop).chapters.create(memory_ids=ids)
    monkeypatch.setenv("RUM_LLM", "none")
    without = ann(shop).chapters.create(memory_ids=ids)
    assert (with_model.title, with_model.summary) == (without.title, without.summary)
    assert (with_model.learnings, with_model.evidence) == (without.learnings, without.evidence)


def test_a_model_that_does_not_answer_is_given_up_after_the_timeout(
    shop: Shop, ids: list[str], server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUM_LLM_TIMEOUT", "0.3")
    server.script = [STUCK]
    made = ann(shop).chapters.create(memory_ids=ids)
    assert made.words == "drawn"
    assert "did not answer within" in str(made.note)


def test_above_the_daily_token_limit_no_request_is_sent(
    shop: Shop, ids: list[str], server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUM_LLM_DAILY_TOKENS", "100")
    made = ann(shop).chapters.create(memory_ids=ids)
    assert (made.words, server.requests) == ("drawn", [])
    assert "llm_daily_tokens" in str(made.note)


def test_no_secret_is_sent_or_stored(shop: Shop, ids: list[str], server: ModelServer) -> None:
    server.script = [
        {**CHAPTER, "title": f"Token {TOKEN}", "summary": f"{CHAPTER['summary']} Use {TOKEN} for it."}
    ]
    rum = ann(shop)
    rum.chapters.create(memory_ids=ids)
    assert TOKEN not in json.dumps([request.body for request in server.requests])
    rum.close()
    assert not files_hold(shop, TOKEN)


def test_a_claim_with_a_secret_is_dropped(shop: Shop, ids: list[str], server: ModelServer) -> None:
    leaking = {"text": f"Always handle refresh token expiry too {TOKEN}", "sources": [1]}
    server.script = [{**CHAPTER, "learnings": [*CHAPTER["learnings"], leaking]}]
    made = ann(shop).chapters.create(memory_ids=ids)
    assert (made.words, made.learnings) == ("model", (LEARNING,))
    assert "REDACTED" not in made.title + made.summary


def test_a_memory_forgotten_during_the_request_leaves_no_text(
    shop: Shop, ids: list[str], server: ModelServer
) -> None:
    odd = (
        ann(shop)
        .store(
            intent={"goal": "Tune the xylophone", "task_type": "other"},
            outcome={"success": True, "summary": "Tuned", "learnings": ["Never tune a xylophone twice"]},
        )
        .memory_id
    )

    def forget_meanwhile(_: Request) -> Json:
        with shop.open(owner=True) as owner:
            owner.forget(odd)
        xylophone = {"text": "Never tune a xylophone twice", "sources": [4]}
        return {**CHAPTER, "title": "Tune the xylophone", "learnings": [xylophone]}

    server.answer = forget_meanwhile
    made = ann(shop).chapters.create(memory_ids=[*ids, odd])
    assert (made.memory_count, made.words) == (3, "drawn")
    assert "changed while" in str(made.note)
    assert "xylophone" not in repr((made, ann(shop).chapters.list()))


def test_other_calls_do_not_wait_for_the_model(shop: Shop, ids: list[str], server: ModelServer) -> None:
    rum = ann(shop)
    stored: list[str] = []

    def store_meanwhile(_: Request) -> Json:
        # From another thread of the same process, and through another opening of the same project.
        worker = threading.Thread(target=lambda: stored.append(keep(rum, "Stored meanwhile")))
        worker.start()
        worker.join(10)
        with shop.open(agent="bob") as bob:
            stored.append(keep(bob, "By somebody else"))
        return CHAPTER

    server.answer = store_meanwhile
    assert rum.call("create_chapter", {"memory_ids": ids}).words == "model"
    assert len(stored) == 2


def test_refresh_asks_the_model_again(shop: Shop, ids: list[str], server: ModelServer) -> None:
    rum = ann(shop)
    learning = "Handle the expiry of the refresh token"
    server.script = [{**CHAPTER, "learnings": [{"text": learning, "sources": [1, 2]}]}]
    made = rum.chapters.create(memory_ids=ids).chapter_id
    evidence = rum.chapters.show(made).evidence
    rum.forget(ids[2])
    shown = rum.chapters.show(made)
    assert (shown.words, shown.learnings, shown.evidence) == ("model", (learning,), evidence)
    assert shown.summary != CHAPTER["summary"]  # it may be of the one that is gone
    [one] = rum.refresh().refreshed
    assert (one.words, rum.chapters.show(made).summary) == ("model", CHAPTER["summary"])
    rum.forget(ids[1])
    assert rum.chapters.show(made).words == "drawn"  # the model was asked about both


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
