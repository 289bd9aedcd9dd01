"""Chapters and wisdom beside the memories of a recall, and in a brief."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from rum import Rum
from support.builders import make_outcome
from support.projects import Shop, keep
from support.stories import BILLING, tell


@pytest.fixture
def ids(shop: Shop, rum: Rum) -> list[str]:
    tell(shop, rum, BILLING)
    return tell(shop, rum)


def kinds(rum: Rum, **question: Any) -> list[str]:
    return [f"{one.kind} {one.id}" for one in rum.recall(**question).knowledge or ()]


def test_without_chapters_an_answer_has_no_such_list(rum: Rum, ids: list[str]) -> None:
    assert rum.recall(query="refresh token").knowledge is UNSET
    assert "knowledge" not in msgspec.to_builtins(rum.recall(query="refresh token"))


def test_a_chapter_that_holds_the_words_comes_beside_the_memories(rum: Rum, ids: list[str]) -> None:
    before = rum.recall(query="refresh token expiry")
    made = rum.chapters.create(memory_ids=ids, title="Refreshing tokens").chapter_id
    after = rum.recall(query="refresh token expiry")
    assert after.memories == before.memories
    assert after.total_matches == before.total_matches
    assert after.knowledge
    [known] = after.knowledge
    assert (known.kind, known.id, known.stale) == ("chapter", made, False)
    assert known.text.startswith("Refreshing tokens: ")
    assert 0 < known.confidence <= 1
    assert after.token_estimate > before.token_estimate


def test_a_claim_that_starts_with_the_title_is_shown_once(rum: Rum, ids: list[str]) -> None:
    rum.chapters.create(memory_ids=ids, title="Key caches")
    [known] = list(rum.recall(query="key caches before rotation").knowledge or ())
    assert known.text == "Key caches must be flushed before rotation (1)"


def test_a_chapter_that_only_repeats_the_memory_above_it_is_left_out(shop: Shop, rum: Rum) -> None:
    ids = [keep(rum, "Sort the shelf by colour", "The shelf is sorted by colour now") for _ in range(3)]
    rum.chapters.create(memory_ids=ids)
    assert rum.recall(query="sort the shelf by colour").knowledge is UNSET
    rum.update_memory(
        ids[0], outcome={"learnings": ["Sort the shelf by colour only after dusting every board"]}
    )
    rum.chapters.refresh()
    query = "sort the shelf by colour"
    assert "dusting" in str(rum.recall(query=query).knowledge)
    assert rum.recall(query=query, depth="outcome").knowledge is UNSET


def test_an_unsupported_claim_is_not_returned(rum: Rum, ids: list[str]) -> None:
    said, invented = "Always handle refresh token expiry too", "Refresh tokens were invented by unicorns"
    made = rum.chapters.create(memory_ids=ids, title="Refresh token expiry", learnings=[invented, said])
    assert [one.supporting > 0 for one in made.evidence] == [False, True]
    answer = rum.recall(query="refresh token expiry")
    assert answer.knowledge
    [known] = answer.knowledge
    assert said in known.text
    assert "unicorns" not in known.text


def test_nothing_is_found_by_a_claim_that_no_memory_makes(rum: Rum, ids: list[str]) -> None:
    rum.chapters.create(memory_ids=ids, learnings=["Zebras are striped"])
    answer = rum.recall(query="zebra")
    assert (answer.memories, answer.knowledge, answer.confidence) == ([], UNSET, 0.0)
    assert answer.code == "NO_RESULTS"


def test_knowledge_that_does_not_match_the_query_is_not_returned(rum: Rum, ids: list[str]) -> None:
    rum.chapters.create(memory_ids=ids, title="Auth")
    [known] = list(rum.recall(query="key caches before rotation").knowledge or ())
    assert known.text == "Auth: Key caches must be flushed before rotation (1)"
    assert kinds(rum, query="flush the race of interceptors") == []


def test_a_word_that_many_memories_hold_makes_no_claim_a_sure_answer(shop: Shop, rum: Rum) -> None:
    ids = [keep(rum, f"Deprecate part {number}") for number in range(60)]
    rare = keep(rum, "Replace gevent", outcome=make_outcome(learnings=["gevent.wsgi is deprecated"]))
    rum.chapters.create(memory_ids=[*ids[:2], rare], title="Cleaning up")
    common, telling = (
        rum.recall(query=words, min_confidence=0.01) for words in ("deprecated", "gevent wsgi")
    )
    assert common.knowledge
    assert telling.knowledge
    assert common.knowledge[0].confidence < 0.3 < telling.knowledge[0].confidence
    assert common.confidence == common.memories[0].confidence


def test_returned_knowledge_is_short(rum: Rum, ids: list[str]) -> None:
    summary = f"{'Tokens were refreshed again and again, '.rstrip() * 20}. Unicorns."
    rum.chapters.create(memory_ids=ids, title="Refresh token expiry", summary=summary)
    [known] = list(rum.recall(query="refresh token expiry").knowledge or ())
    assert len(known.text) <= 240
    assert "Unicorns" not in known.text


def test_only_the_chapter_and_wisdom_with_the_highest_confidence_are_returned(
    rum: Rum, ids: list[str]
) -> None:
    chapters = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[1:], ids)]
    best = rum.chapters.create(memory_ids=ids[:1], title="Refresh token expiry").chapter_id
    wisdom = rum.wisdom.synthesize(chapter_ids=chapters).wisdom_id
    assert kinds(rum, query="refresh token expiry") == [f"chapter {best}", f"wisdom {wisdom}"]
    assert kinds(rum, query="refresh token expiry", tags=["auth"])


def test_a_question_without_words_gets_memories_alone(rum: Rum, ids: list[str]) -> None:
    rum.chapters.create(memory_ids=ids, title="The interceptor", summary="About src/auth/interceptor.ts")
    assert kinds(rum, file="src/auth/interceptor.ts") == []
    assert kinds(rum, tags=["auth"]) == []
    assert kinds(rum, query="the interceptor", file="src/auth/interceptor.ts")


def test_a_question_for_particular_memories_gets_none(rum: Rum, ids: list[str]) -> None:
    made = rum.chapters.create(memory_ids=ids).chapter_id
    assert kinds(rum, query="refresh token") == [f"chapter {made}"]
    for more in (
        {"success_only": True},
        {"failures_only": True},
        {"task_type": "bug_fix"},
        {"strategy": "exact"},
        {"session_id": rum.call("recall", {"memory_id": ids[0], "depth": "complete"}).memories[0].session_id},  # type: ignore[attr-defined]
        {"tags": ["billing"]},
        {"before": 5},
    ):
        assert kinds(rum, query="refresh token", **more) == [], more
    assert kinds(rum, memory_id=ids[0]) == []
    assert kinds(rum, query="zebra crossing") == []
    assert kinds(rum, query="token zebra crossing lion gnu") == []


def test_a_matching_chapter_is_an_answer_even_without_a_matching_memory(rum: Rum, ids: list[str]) -> None:
    made = rum.chapters.create(memory_ids=ids, title="Zebra migration").chapter_id
    answer = rum.recall(query="zebra migration")
    assert answer.memories == []
    assert answer.code is answer.hint is UNSET
    assert answer.knowledge
    assert (answer.knowledge[0].id, answer.confidence) == (made, answer.knowledge[0].confidence)


def test_knowledge_never_replaces_a_memory(rum: Rum, ids: list[str]) -> None:
    plain = rum.recall(query="refresh token", max_tokens=150)
    rum.chapters.create(memory_ids=ids, title="Refreshing tokens")
    for tokens in (60, 100, 150, 200, 300, 1000):
        answer = rum.recall(query="refresh token", max_tokens=tokens)
        assert answer.token_estimate <= tokens or not answer.memories
    assert rum.recall(query="refresh token", max_tokens=150).memories == plain.memories
    assert rum.recall(query="refresh token", max_tokens=1000).knowledge


def test_a_stale_one_says_so(rum: Rum, ids: list[str]) -> None:
    rum.chapters.create(memory_ids=ids)
    rum.update_memory(ids[0], importance=0.9)
    assert [one.stale for one in rum.recall(query="refresh token").knowledge or ()] == [True]


class TestBrief:
    TASK = "Handle the expiry of refresh tokens"

    def test_claims_and_stories_that_speak_of_the_task_take_part(self, rum: Rum, ids: list[str]) -> None:
        chapters = [
            rum.chapters.create(memory_ids=one, title=title).chapter_id
            for one, title in ((ids[:2], "Expiry of refresh tokens: handle it"), (ids[1:], "Keys"))
        ]
        wisdom = rum.wisdom.synthesize(chapter_ids=chapters).wisdom_id
        brief = rum.brief(task=self.TASK)
        assert "### What This Project Has Learned\n- " in brief.text
        assert f"refresh token expiry too (2 memories) [{wisdom[-8:]}]" in brief.text
        assert "### Stories of Earlier Work\n- Expiry of refresh tokens: handle it: " in brief.text
        taken = {(one.kind, one.id.partition("#")[0]) for one in brief.taken or ()}
        assert {("wisdom", wisdom), ("chapter", chapters[0])} <= taken
        assert rum.brief(task=self.TASK).text == brief.text
        assert brief.tokens <= 600

    def test_other_tasks_and_claims_that_no_memory_says_are_left_out(self, rum: Rum, ids: list[str]) -> None:
        chapters = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[1:])]
        rum.wisdom.synthesize(chapter_ids=chapters, insights=["Refresh tokens by moonlight"])
        assert "Has Learned" not in rum.brief(task="Paint the zebra").text
        assert "moonlight" not in rum.brief(task="refresh tokens by moonlight").text

    def test_a_stale_claim_is_worth_less(self, rum: Rum, ids: list[str]) -> None:
        chapters = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[1:])]
        rum.wisdom.synthesize(chapter_ids=chapters)

        def points() -> float:
            return max(one.points for one in rum.brief(task=self.TASK).taken or () if one.kind == "wisdom")

        before = points()
        rum.update_memory(ids[0], importance=0.9)
        assert points() == before - 10


def test_a_chapter_whose_title_and_claim_are_those_of_two_memories_shown_is_left_out(
    shop: Shop, rum: Rum
) -> None:
    claim = "Always close the cursor before the next export starts"
    goals = ("Invoice exports die for big tenants", "Speed up invoice exports")
    ids = [keep(rum, goal, outcome=make_outcome(learnings=[claim])) for goal in goals]
    rum.chapters.create(memory_ids=ids, title=goals[0])
    query = "close the cursor before the next export"
    assert claim in str(rum.recall(query=query).knowledge)
    assert rum.recall(query=query, depth="outcome").knowledge is UNSET
