"""A forgotten memory takes its words along out of every chapter and all wisdom that was built on it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rum import NotFound, Rum
from support.builders import make_intent, make_outcome
from support.projects import Shop
from support.stories import tell

WORDS = ("xylophone", "quagmire", "zeppelin")  # Words of one memory that no other has


def odd_one(rum: Rum, **more: Any) -> str:
    """A memory with words that no other one has."""
    outcome = make_outcome("The xylophone was tuned", learnings=["Never tune a xylophone in a quagmire"])
    return rum.store(
        intent=make_intent("Tune the xylophone"), outcome=outcome, tags=["auth", "zeppelin"], **more
    ).memory_id


def everything(rum: Rum) -> str:
    return repr((rum.chapters.list(limit=100), rum.wisdom.recall(limit=100), list(rum.export())))


def nothing_is_left(rum: Rum, forgotten: str) -> bool:
    said = everything(rum)
    return not [word for word in (*WORDS, forgotten) if word in said]


def test_drawn_words_are_only_of_what_is_left(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids, ids[1:])]
    wisdom = rum.wisdom.synthesize(chapter_ids=made).wisdom_id
    assert "xylophone" in everything(rum)
    assert rum.forget(ids[3], dry_run=True).renew == [*made, wisdom]
    answer = rum.forget(ids[3])
    assert answer.renew == [*made, wisdom]
    assert nothing_is_left(rum, ids[3])
    shown = rum.chapters.show(made[0])
    assert shown.memory_ids == tuple(ids[:3])
    assert shown.stale == ("1 memory was forgotten",)
    assert "1 memory or chapter was forgotten" in (rum.wisdom.show(wisdom).stale or ())
    fresh = rum.chapters.create(memory_ids=ids[:3])
    assert (shown.summary, shown.learnings) == (fresh.summary, fresh.learnings)
    assert rum.doctor().problems == []


def test_passed_text_stays_unless_it_depends_on_the_memory_or_has_its_words(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = rum.chapters.create(
        memory_ids=ids,
        title="Tokens and a xylophone",
        summary="Tokens were refreshed.",
        learnings=[
            "Handle refresh token expiry",
            "Tuning in a quagmire is a bad idea",
            "A zeppelin said so",
            "My own view",
        ],
        tags=["zeppelin-2", "release"],
    ).chapter_id
    rum.forget(ids[3])
    assert nothing_is_left(rum, ids[3])
    shown = rum.chapters.show(made)
    assert shown.summary == "Tokens were refreshed."
    assert shown.learnings == ("Handle refresh token expiry", "My own view")
    assert (shown.words, "xylophone" in shown.title, "release" in shown.tags) == ("given", False, True)
    rum.refresh()
    assert rum.chapters.show(made).learnings == ("Handle refresh token expiry", "My own view")


def test_claims_that_others_support_stay_and_an_emptied_list_is_drawn_again(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [
        rum.chapters.create(memory_ids=ids[:3], learnings=["Handle refresh token expiry"]).chapter_id,
        rum.chapters.create(memory_ids=ids, learnings=["Never tune a xylophone in a quagmire"]).chapter_id,
    ]
    given = ["Handle refresh token expiry"]
    wisdom = rum.wisdom.synthesize(chapter_ids=made, insights=given, patterns=[]).wisdom_id
    assert rum.chapters.show(made[0]).evidence[0].supporting == 2
    rum.forget(ids[0])
    rum.forget(ids[3])
    kept, emptied = (rum.chapters.show(one) for one in made)
    assert (kept.learnings, kept.words, kept.evidence[0].memory_ids) == (tuple(given), "given", (ids[1],))
    assert kept.evidence[0].supporting == 1
    assert (emptied.learnings, emptied.words) == ((), "drawn")
    assert rum.wisdom.show(wisdom).insights == tuple(given)
    rum.refresh()
    assert rum.chapters.show(made[0]).learnings == tuple(given)
    assert rum.chapters.show(made[1]).learnings
    shown = rum.wisdom.show(wisdom)
    assert (shown.insights, shown.patterns) == (tuple(given), ())  # none were handed in, which stays
    rum.forget(ids[1])
    assert rum.chapters.show(made[0]).learnings == ()  # nobody who is left says so


def test_nothing_else_is_drawn_until_a_refresh(shop: Shop, rum: Rum) -> None:
    """Drawing takes its time, and others wait while something is forgotten."""
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids, ids[1:])]
    wisdom = rum.wisdom.synthesize(chapter_ids=made).wisdom_id
    rum.update_memory(ids[2], outcome={"learnings": ["Caches forget keys only on restart"]})
    rum.forget(ids[3])
    for one in (rum.chapters.show(made[0]), rum.chapters.show(made[1]), rum.wisdom.show(wisdom)):
        said = repr(one)
        assert "Key caches must be flushed before rotation" in said
        assert "only on restart" not in said
        assert one.stale
    assert f"{ids[2]} was changed" in (rum.chapters.show(made[0]).stale or ())
    rum.refresh()
    assert "only on restart" in repr(rum.wisdom.show(wisdom))


def test_words_go_out_of_wisdom_though_its_chapter_let_go_of_the_memory_before(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [rum.chapters.create(tags=["auth"]).chapter_id, rum.chapters.create(memory_ids=ids[:2]).chapter_id]
    wisdom = rum.wisdom.synthesize(chapter_ids=made).wisdom_id
    rum.update_memory(ids[3], tags=["other"])
    rum.chapters.refresh()
    assert ids[3] not in (rum.chapters.show(made[0]).memory_ids or ())
    assert rum.forget(ids[3], dry_run=True).renew == [wisdom]
    assert rum.forget(ids[3], purge=True).renew == [wisdom]
    assert nothing_is_left(rum, ids[3])
    assert not [word for word in WORDS if word in rum.brief(task="tune the xylophone").text]
    assert rum.doctor().problems == []


def test_passed_text_is_removed_with_a_memory_that_left_the_chapter_earlier(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = rum.chapters.create(tags=["auth"], summary="Of a xylophone", learnings=["My own view"]).chapter_id
    lone = rum.chapters.create(memory_ids=ids[:1]).chapter_id
    wisdom = rum.wisdom.synthesize(chapter_ids=[made, lone], insights=["A quagmire", "My own view"]).wisdom_id
    rum.update_memory(ids[3], tags=["other"])
    rum.refresh()
    assert rum.chapters.show(made).summary == "Of a xylophone"
    assert "A quagmire" in rum.wisdom.show(wisdom).insights
    rum.forget(ids[3])
    assert nothing_is_left(rum, ids[3])
    assert rum.chapters.show(made).learnings == ("My own view",)
    assert rum.wisdom.show(wisdom).insights == ("My own view",)
    rum.chapters.create(tags=["auth"], learnings=["Another view"])
    assert rum.refresh().refreshed
    assert rum.doctor().problems == []


def test_a_claim_of_others_stays_without_counting_the_one_that_is_gone(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids, learnings=["Handle refresh token expiry"]).chapter_id
    newest = rum.show(ids[0]).created_at
    rum.forget(ids[1])
    [evidence] = rum.chapters.show(made).evidence
    assert (evidence.memory_ids, evidence.supporting, evidence.last_confirmed) == ((ids[0],), 1, newest)


def test_words_that_an_earlier_version_had_go_too(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    rum.chapters.create(memory_ids=ids, title="Of a xylophone", learnings=["Mind the quagmire"])
    rum.update_memory(
        ids[3],
        intent={"goal": "Nothing"},
        outcome={"summary": "Nothing", "learnings": []},
        tags=["auth"],
    )
    rum.forget(ids[3])
    assert nothing_is_left(rum, ids[3])


def test_passed_wisdom_keeps_claims_that_do_not_depend_on_the_memory(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[2:])]
    wisdom = rum.wisdom.synthesize(
        chapter_ids=made,
        summary="Mind the xylophone.",
        insights=["Key caches must be flushed before rotation", "Never tune a xylophone in a quagmire"],
    ).wisdom_id
    rum.forget(ids[3])
    assert nothing_is_left(rum, ids[3])
    assert rum.wisdom.show(wisdom).insights == ("Key caches must be flushed before rotation",)


def test_a_chapter_is_deleted_with_its_last_memory(shop: Shop, rum: Rum) -> None:
    odd, other = odd_one(rum), tell(shop, rum)[0]
    lone = rum.chapters.create(memory_ids=[odd]).chapter_id
    kept = rum.chapters.create(memory_ids=[other]).chapter_id
    both = rum.wisdom.synthesize(chapter_ids=[lone, kept]).wisdom_id
    alone = rum.wisdom.synthesize(chapter_ids=[lone], min_chapters=1).wisdom_id
    assert rum.forget(odd).renew == [both]
    for show, gone in ((rum.chapters.show, lone), (rum.wisdom.show, alone)):
        with pytest.raises(NotFound):
            show(gone)
    assert rum.wisdom.show(both).chapter_ids == (kept,)
    assert nothing_is_left(rum, odd)
    assert rum.doctor().problems == []


def test_forgetting_a_chapter_takes_its_own_words_out_of_wisdom(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    odd = rum.chapters.create(memory_ids=ids[:2], title="The xylophone", learnings=["Mind the quagmire"])
    kept = rum.chapters.create(memory_ids=ids[1:]).chapter_id
    wisdom = rum.wisdom.synthesize(
        chapter_ids=[odd.chapter_id, kept], insights=["A xylophone", "Handle refresh token expiry"]
    ).wisdom_id
    assert rum.forget(odd.chapter_id).renew == [wisdom]
    assert nothing_is_left(rum, odd.chapter_id)
    shown = rum.wisdom.show(wisdom)
    assert (shown.chapter_ids, shown.insights) == ((kept,), ("Handle refresh token expiry",))
    assert shown.stale


def test_purging_leaves_its_words_in_no_file(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids, ids[1:])]
    rum.wisdom.synthesize(chapter_ids=made)
    rum.recall(query="xylophone")
    rum.brief(task="tune the xylophone")
    rum.settle()
    assert rum.forget(ids[3], purge=True).purged is True
    rum.close()
    for path in shop.home.rglob("*"):
        if path.is_file():
            assert not [word for word in (*WORDS, ids[3]) if word.encode() in path.read_bytes()], path


def test_forgetting_a_memory_without_chapters_reports_none(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    rum.chapters.create(memory_ids=ids[:2])
    assert rum.forget(ids[2]).renew is UNSET


@pytest.mark.parametrize("final", [0, 3])
def test_a_chapter_in_the_trash_outlives_one_of_its_memories(shop: Shop, rum: Rum, final: int) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    chapter = rum.chapters.create(memory_ids=ids).chapter_id
    rum.forget(chapter)
    for one in ids:  # all of them, so that none is left outside of the trash
        rum.forget(one)
    rum.forget(ids[final], purge=True)
    assert chapter in [item.id for item in rum.trash.list()]
    left = [one for one in ids if one != ids[final]]
    for one in left:
        rum.restore(one)
    rum.restore(chapter)
    shown = rum.chapters.show(chapter)
    assert sorted(shown.memory_ids) == sorted(left)
    if final == 3:
        assert nothing_is_left(rum, ids[3])


def test_wisdom_in_the_trash_outlives_one_of_its_chapters(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), odd_one(rum)]
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:3], ids[1:])]
    wisdom = rum.wisdom.synthesize(chapter_ids=made).wisdom_id
    for one in (wisdom, *made, *ids):
        rum.forget(one)
    rum.forget(ids[3], purge=True)
    for one in (*ids[:3], *made, wisdom):
        rum.restore(one)
    assert rum.wisdom.show(wisdom).chapter_ids == tuple(made)
    assert nothing_is_left(rum, ids[3])
