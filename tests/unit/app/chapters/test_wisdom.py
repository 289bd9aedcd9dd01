"""Wisdom: made of named or tagged chapters, the same again the same, and found by id, tags and questions."""

from __future__ import annotations

import msgspec
import pytest

from rum import InvalidQuery, NotFound, PermissionDenied, Rum
from support.builders import NOON
from support.projects import Shop, keep
from support.stories import AUTH, BILLING, tell

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


def two_chapters(shop: Shop, rum: Rum) -> list[str]:
    first, second, third = tell(shop, rum, AUTH)
    return [
        rum.chapters.create(memory_ids=[first, second], title="Refreshing tokens").chapter_id,
        rum.chapters.create(memory_ids=[second, third]).chapter_id,
    ]


def test_the_same_chapters_again_are_the_same_wisdom(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    first = rum.wisdom.synthesize(chapter_ids=ids)
    again = rum.wisdom.synthesize(chapter_ids=[*reversed(ids), ids[0]])
    assert (first.wisdom_id, first.created, again.created) == (again.wisdom_id, True, False)
    assert rum.wisdom.recall().total == 1


def test_the_same_tags_again_take_in_new_chapters(shop: Shop, rum: Rum) -> None:
    two_chapters(shop, rum)
    first = rum.wisdom.synthesize(tags=["auth"])
    new = keep(rum, "Log refreshes", tags=["auth"])
    rum.chapters.create(memory_ids=[new])
    again = rum.wisdom.synthesize(tags=["auth"])
    assert (again.wisdom_id, again.chapter_count) == (first.wisdom_id, 3)


def test_drawn_words_are_the_same_to_the_byte(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    first = rum.wisdom.synthesize(chapter_ids=ids)
    rum.forget(first.wisdom_id)
    again = rum.wisdom.synthesize(chapter_ids=ids)
    told = msgspec.structs.replace(again, wisdom_id=first.wisdom_id, note=msgspec.UNSET)
    assert msgspec.json.encode(told) == msgspec.json.encode(first)


def test_every_claim_names_the_memories_that_say_it(shop: Shop, rum: Rum) -> None:
    made = rum.wisdom.synthesize(chapter_ids=two_chapters(shop, rum))
    claims = (*made.insights, *made.patterns, *made.best_practices)
    assert claims
    for claim, evidence in zip(claims, made.evidence, strict=True):
        assert evidence.supporting == len(evidence.memory_ids) > 0, claim
        assert all(rum.show(one) for one in evidence.memory_ids)
        assert evidence.last_confirmed >= NOON


def test_passed_text_is_combined_with_drawn_text(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    drawn = rum.wisdom.synthesize(chapter_ids=ids)
    made = rum.wisdom.synthesize(
        chapter_ids=ids,
        summary="Tokens are hard.",
        best_practices=["Flush key caches before rotation", "Pray"],
    )
    assert (made.words, made.summary, made.insights) == ("given", "Tokens are hard.", drawn.insights)
    *_, said, unsupported = made.evidence
    assert (said.supporting, unsupported.supporting) == (1, 0)
    assert rum.wisdom.synthesize(chapter_ids=ids).best_practices == made.best_practices


def test_contradictions_are_shown_with_both_sides_until_one_supersedes_the_other(
    shop: Shop, rum: Rum
) -> None:
    def learned(text: str, **more: object) -> str:
        shop.clock.forward(60)
        return rum.store(
            intent={"goal": f"Look at sessions: {text}", "task_type": "investigation"},
            outcome={"success": True, "summary": "Looked", "learnings": [text]},
            tags=["sessions"],
            **more,  # type: ignore[arg-type]
        ).memory_id

    one = learned("Sessions expire after 30 minutes of silence")
    other = learned("Sessions expire after 60 minutes of silence")
    ids = [rum.chapters.create(memory_ids=[each]).chapter_id for each in (one, other)]
    made = rum.wisdom.synthesize(chapter_ids=ids)
    assert made.contradictions
    [two] = made.contradictions
    assert {two.claim, two.against} == {
        "Sessions expire after 30 minutes of silence",
        "Sessions expire after 60 minutes of silence",
    }
    assert {*two.memory_ids, *two.against_ids} == {one, other}
    assert any(evidence.against for evidence in made.evidence)
    rum.link(other, one, "supersedes")
    assert rum.wisdom.show(made.wisdom_id).stale
    rum.refresh()
    assert rum.wisdom.show(made.wisdom_id).contradictions is msgspec.UNSET


def test_it_is_found_by_its_words_by_tags_and_by_those_of_its_chapters(shop: Shop, rum: Rum) -> None:
    auth = rum.wisdom.synthesize(chapter_ids=two_chapters(shop, rum)).wisdom_id
    first, second, third = tell(shop, rum, BILLING)
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in ([first, second], [second, third])]
    billing = rum.wisdom.synthesize(chapter_ids=made).wisdom_id

    def found(**asked: object) -> list[str]:
        return [one.id for one in rum.wisdom.recall(**asked).wisdom]  # type: ignore[arg-type]

    assert found() == [billing, auth]
    assert found(limit=1) == [billing]
    assert found(query="refresh token expiry") == [auth]
    assert found(query="how are invoice totals rounded?") == [billing]
    assert found(tags=["auth"]) == [auth]
    assert found(tags=["auth"], query="invoice totals") == []
    assert found(query="Refreshing tokens") == [auth]
    assert found(wisdom_id=auth[-10:]) == [auth]
    assert found(query="zebra crossing") == []


def test_how_sure_an_answer_is_falls_with_the_words_it_does_not_hold(shop: Shop, rum: Rum) -> None:
    rum.wisdom.synthesize(chapter_ids=two_chapters(shop, rum))

    def sure(query: str) -> float:
        return float(rum.wisdom.recall(query=query).wisdom[0].confidence or 0)

    assert 0 < sure("token expiry zebra") < sure("token expiry") < 1


def test_nothing_found_is_no_error_and_comes_with_a_hint(shop: Shop, rum: Rum) -> None:
    nothing = rum.wisdom.recall(query="anything")
    assert (nothing.wisdom, nothing.total, nothing.code) == ([], 0, "NO_RESULTS")
    assert "synthesize" in str(nothing.hint)
    with pytest.raises(NotFound, match="wisdom_unknown00"):
        rum.wisdom.recall(wisdom_id="wisdom_unknown00")


def test_unknown_and_ill_formed_questions_are_refused(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    with pytest.raises(NotFound, match="chapter_unknown00"):
        rum.wisdom.synthesize(chapter_ids=[*ids, "chapter_unknown00"])
    for given in (
        {"insights": [""]},
        {"patterns": "x"},
        {"min_chapters": 0},
        {"summary": ""},
        {"tag": ["x"]},
    ):
        with pytest.raises(InvalidQuery):
            rum.call("synthesize", {"chapter_ids": ids, **given})
    assert rum.wisdom.recall().total == 0


def test_secrets_are_cut_out_of_everything(shop: Shop, rum: Rum) -> None:
    rum.wisdom.synthesize(
        chapter_ids=two_chapters(shop, rum),
        summary=SECRET,
        insights=[f"Use {SECRET}"],
        patterns=[SECRET],
        best_practices=[SECRET],
        tags=[SECRET],
    )
    assert SECRET.encode() not in b"".join(rum.export())


def test_permission_is_as_for_memories(shop: Shop) -> None:
    ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
    ids = two_chapters(shop, ann)
    made = ann.wisdom.synthesize(chapter_ids=ids).wisdom_id
    assert bob.wisdom.synthesize(chapter_ids=ids).wisdom_id == made
    with pytest.raises(PermissionDenied):
        bob.wisdom.synthesize(chapter_ids=ids, summary="Bob's")
    with pytest.raises(PermissionDenied):
        bob.wisdom.forget(made)
    assert ann.wisdom.forget(made).removed == {"wisdom": 1, "sources": 2}


def test_forgotten_it_comes_back_only_if_its_chapters_are_named(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    rum.forget(rum.wisdom.synthesize(tags=["auth"]).wisdom_id)
    with pytest.raises(InvalidQuery, match="forgotten"):
        rum.wisdom.synthesize(tags=["auth"])
    again = rum.wisdom.synthesize(chapter_ids=ids)
    assert again.created
    assert "forgotten" in str(again.note)
    assert rum.chapters.list().total == 2


def test_stale_chapters_are_reported(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    member, *_ = rum.chapters.show(ids[0]).memory_ids or ("",)
    rum.update_memory(member, importance=0.9)
    made = rum.wisdom.synthesize(chapter_ids=ids)
    assert ids[0] in str(made.note)
    assert rum.wisdom.show(made.wisdom_id).stale


def test_only_matching_claims_answer_the_query_and_come_first(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    rum.wisdom.synthesize(
        chapter_ids=ids,
        summary="Tokens are hard",
        insights=["Refresh tokens expire", "A request queue prevents race conditions"],
        patterns=["Queues of requests grow at night"],
        best_practices=["Handle refresh token expiry", "Key caches must be flushed before rotation"],
    )
    [found] = rum.wisdom.recall(query="how are key caches flushed?").wisdom
    assert found.best_practices[0] == "Key caches must be flushed before rotation"
    assert (found.matching, found.confidence) == ((3,), 0.95)
    [found] = rum.wisdom.recall(query="request queue").wisdom
    assert found.insights[0] == "A request queue prevents race conditions"
    assert found.matching == (0, 2)
    for evidence, claim in zip(found.evidence, (*found.insights, *found.patterns), strict=False):
        said = [memory for one in evidence.memory_ids for memory in rum.show(one).outcome.learnings]
        assert not said or claim in said or claim == "Refresh tokens expire", claim
    nothing = rum.wisdom.recall(query="flush the disk buffers of the printer")
    assert (nothing.wisdom, nothing.code) == ([], "NO_RESULTS")
    assert "nothing about this" in str(nothing.hint)


def test_words_that_stand_in_different_claims_are_no_answer(shop: Shop, rum: Rum) -> None:
    ids = two_chapters(shop, rum)
    claims = {"insights": ["Examples are tested"], "patterns": [], "best_practices": ["Write documentation"]}
    rum.wisdom.synthesize(chapter_ids=ids, summary="Tokens are hard", **claims)
    assert rum.wisdom.recall(query="documentation examples").wisdom == []
    assert rum.wisdom.recall(query="tested examples").total == 1


def test_forgotten_wisdom_is_made_again_from_tags_on_request(shop: Shop, rum: Rum) -> None:
    two_chapters(shop, rum)
    rum.forget(rum.wisdom.synthesize(tags=["auth"]).wisdom_id)
    again = rum.wisdom.synthesize(tags=["auth"], again=True)
    assert again.created
    assert "forgotten" in str(again.note)


def test_answers_have_the_fields_of_wisdom_and_a_range_of_time_holds(shop: Shop, rum: Rum) -> None:
    start = shop.clock.at
    for _ in range(2):
        rum.chapters.create(memory_ids=tell(shop, rum))
    later = shop.clock.at
    for _ in range(2):
        rum.chapters.create(memory_ids=tell(shop, rum, BILLING))
    early = rum.wisdom.synthesize(before=later)
    late = rum.wisdom.synthesize(tags=["billing"], since=later)
    assert (early.chapter_count, late.chapter_count) == (2, 2)
    assert early.project_id == rum.wisdom.show(late.wisdom_id).project_id
    assert early.created_at == early.updated_at == shop.clock.at
    assert set(early.tags) == {"auth", "jwt", "queue", "keys"}
    for words in ({}, {"query": "refresh token expiry"}):
        assert [one.id for one in rum.wisdom.recall(before=later, **words).wisdom] == [early.wisdom_id]
        assert rum.wisdom.recall(before=start, **words).code == "NO_RESULTS"
    assert [one.id for one in rum.wisdom.recall(since=later).wisdom] == [late.wisdom_id]
    with pytest.raises(InvalidQuery, match="There are no chapters of that time"):
        rum.wisdom.synthesize(since=later + 10**6)
