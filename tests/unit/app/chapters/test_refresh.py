"""Chapters and wisdom become stale when their memories change, and are refreshed with a diff."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from rum import NotFound, PermissionDenied, Rum
from rum.model.chapters import Change
from support.projects import Shop, keep
from support.stories import tell


def stale(rum: Rum, chapter_id: str) -> tuple[str, ...]:
    return rum.chapters.show(chapter_id).stale or ()


def test_a_fresh_one_is_not_stale_and_reading_or_storing_does_not_make_it_so(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids).chapter_id
    rum.recall(query="token")
    rum.show(ids[0])
    keep(rum, "Something else", links={"caused_by": [ids[0]]})
    assert rum.chapters.show(made).stale is UNSET
    assert rum.refresh().refreshed == []


def test_a_changed_a_superseded_and_a_forgotten_member_are_the_reasons(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids).chapter_id
    rum.update_memory(ids[0], importance=0.9)
    assert stale(rum, made) == (f"{ids[0]} was changed",)
    newer = keep(rum, "Do it better", links={"supersedes": ids[1]})
    assert stale(rum, made) == (f"{ids[0]} was changed", f"{ids[1]} was superseded by {newer}")
    assert rum.chapters.list().chapters[0].stale == stale(rum, made)
    rum.forget(ids[2])
    assert stale(rum, made) == (
        "1 memory was forgotten",
        f"{ids[0]} was changed",
        f"{ids[1]} was superseded by {newer}",
    )
    rum.refresh()
    assert stale(rum, made) == ()
    rum.forget(newer)
    assert stale(rum, made) == (f"{ids[1]} is no longer superseded",)


def test_refreshing_says_what_went_and_what_came_and_leaves_a_fresh_one(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids).chapter_id
    rum.update_memory(ids[2], outcome={"learnings": ["Caches forget keys only on restart"]})
    would = rum.refresh(dry_run=True)
    assert would.dry_run
    assert stale(rum, made)
    assert "Key caches must be flushed before rotation" in rum.chapters.show(made).learnings
    done = rum.refresh()
    assert done.refreshed == would.refreshed
    [one] = done.refreshed
    assert (one.id, one.kind, one.stale) == (made, "chapter", (f"{ids[2]} was changed",))
    assert (
        Change(
            "learnings",
            ("Key caches must be flushed before rotation",),
            ("Caches forget keys only on restart",),
        )
        in one.changes
    )
    assert "Caches forget keys only on restart" in rum.chapters.show(made).learnings
    assert rum.refresh().refreshed == []


def test_wisdom_follows_its_chapters(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    chapters = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[1:])]
    wisdom = rum.wisdom.synthesize(chapter_ids=chapters).wisdom_id
    rum.update_memory(ids[2], outcome={"learnings": ["Caches forget keys only on restart"]})
    assert rum.wisdom.show(wisdom).stale == (f"{chapters[1]} is stale: {ids[2]} was changed",)
    assert rum.wisdom.recall().wisdom[0].stale == rum.wisdom.show(wisdom).stale
    rum.chapters.refresh()
    assert rum.wisdom.show(wisdom).stale == (f"{chapters[1]} was refreshed",)
    [one] = rum.refresh().refreshed
    assert (one.id, one.kind) == (wisdom, "wisdom")
    assert "Caches forget keys only on restart" in repr(rum.wisdom.show(wisdom))
    assert rum.wisdom.show(wisdom).stale is UNSET


def test_wisdom_is_stale_though_its_chapter_says_the_same_after_its_memory_changed(
    shop: Shop, rum: Rum
) -> None:
    ids = tell(shop, rum)
    given = {"title": "Mine", "summary": "My words.", "learnings": ["Key caches must be flushed"]}
    mine = rum.chapters.create(memory_ids=ids[:1], **given).chapter_id  # type: ignore[arg-type]
    other = rum.chapters.create(memory_ids=ids[1:]).chapter_id
    wisdom = rum.wisdom.synthesize(chapter_ids=[mine, other]).wisdom_id
    rum.update_memory(ids[0], outcome={"learnings": ["Refreshing was given up in March"]})
    would = rum.refresh(dry_run=True)
    [chapter, one] = rum.refresh().refreshed
    assert would.refreshed == [chapter, one]
    assert (chapter.changes, one.id) == ((), wisdom)
    assert "Refreshing was given up in March" in rum.wisdom.show(wisdom).insights
    assert rum.wisdom.show(wisdom).stale is UNSET
    rum.update_memory(ids[0], importance=0.9)
    assert [one.changes for one in rum.chapters.refresh().refreshed] == [()]
    assert rum.wisdom.show(wisdom).stale == (f"{ids[0]} was changed",)


def test_a_memory_that_was_superseded_leaves_wisdom_though_its_chapter_says_the_same(
    shop: Shop, rum: Rum
) -> None:
    ids = tell(shop, rum)
    given = {"title": "Mine", "summary": "My words.", "learnings": ["Handle refresh token expiry"]}
    made = [
        rum.chapters.create(memory_ids=[ids[1], ids[2]], **given).chapter_id,  # type: ignore[arg-type]
        rum.chapters.create(memory_ids=ids[:1]).chapter_id,
    ]
    wisdom = rum.wisdom.synthesize(chapter_ids=made).wisdom_id
    assert "Key caches" in repr(rum.wisdom.show(wisdom))
    keep(rum, "Do it better", links={"supersedes": ids[2]})
    rum.refresh()
    assert "Key caches" not in repr(rum.wisdom.show(wisdom))
    assert rum.refresh().refreshed == []


def test_a_dry_run_predicts_the_refresh_of_wisdom_found_by_tags(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    for one in (ids[:2], ids[1:]):
        rum.chapters.create(memory_ids=one)
    rum.wisdom.synthesize(tags=["auth"], min_chapters=1)
    rum.update_memory(ids[0], tags=["other"], intent={"goal": "Rename the interceptor"})
    rum.update_memory(ids[1], tags=["other"])
    rum.update_memory(ids[2], tags=["jwt", "auth"])
    would = rum.refresh(dry_run=True)
    assert [one.kind for one in would.refreshed] == ["chapter", "chapter", "wisdom"]
    assert rum.refresh().refreshed == would.refreshed


def test_the_first_of_many_reasons_are_listed_and_the_others_counted(shop: Shop, rum: Rum) -> None:
    ids = [keep(rum, f"Fix part {number}") for number in range(8)]
    made = rum.chapters.create(memory_ids=ids).chapter_id
    for one in ids:
        rum.update_memory(one, importance=0.9)
    assert stale(rum, made) == (*(f"{one} was changed" for one in ids[:5]), "and 3 more")
    [refreshed] = rum.refresh(dry_run=True).refreshed
    assert len(refreshed.stale) == 6


def test_a_chapter_keeps_its_memories_if_its_tags_now_find_too_few(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(tags=["auth"]).chapter_id
    keep(rum, "Something else", tags=["auth"])
    for one in ids:
        rum.update_memory(one, tags=["other"])
    [one] = rum.refresh().refreshed
    assert "only 1 memory with the tag auth" in str(one.note)
    assert rum.chapters.show(made).memory_ids == tuple(ids)
    assert stale(rum, made) == ()


def test_a_chapter_that_would_become_another_one_is_skipped(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    found = rum.chapters.create(tags=["auth"]).chapter_id
    new = keep(rum, "Log refreshes", tags=["auth"])
    named = rum.chapters.create(memory_ids=[*ids, new]).chapter_id
    rum.update_memory(ids[0], importance=0.9)
    would = rum.refresh(dry_run=True)
    answer = rum.refresh()
    assert [one.id for one in answer.refreshed] == [one.id for one in would.refreshed] == [named]
    assert answer.skipped == would.skipped
    assert found in answer.skipped[0]
    assert named in answer.skipped[0]
    assert rum.chapters.show(found).memory_ids == tuple(ids)


def test_two_chapters_that_became_equal_by_forgetting_are_both_refreshed(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids, ids[:2])]
    rum.forget(ids[2])
    rum.update_memory(ids[0], importance=0.9)
    assert [one.id for one in rum.refresh().refreshed] == made


def test_passed_text_stays_and_its_evidence_is_updated(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(
        memory_ids=ids, title="Mine", summary="My words.", learnings=["Handle refresh token expiry"]
    ).chapter_id
    rum.update_memory(ids[0], intent={"goal": "Nothing"}, outcome={"summary": "Nothing", "learnings": []})
    [one] = rum.refresh().refreshed
    assert one.words == "given"
    assert one.changes[-1] == Change(
        "evidence",
        ("Handle refresh token expiry [2 for, 0 against]",),
        ("Handle refresh token expiry [1 for, 0 against]",),
    )
    shown = rum.chapters.show(made)
    assert (shown.title, shown.summary) == ("Mine", "My words.")
    assert shown.learnings == ("Handle refresh token expiry",)


def test_a_chapter_found_by_tags_includes_what_they_find_now(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(tags=["auth"]).chapter_id
    newer = keep(rum, "Better", tags=["auth"], links={"supersedes": ids[0]})
    assert stale(rum, made)
    rum.refresh()
    assert rum.chapters.show(made).memory_ids == (ids[1], ids[2], newer)
    assert stale(rum, made) == ()


def test_named_chapters_are_refreshed_even_if_fresh_and_no_others(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    first, second = (rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[1:]))
    rum.update_memory(ids[1], importance=0.9)
    assert [one.id for one in rum.refresh(first[-10:]).refreshed] == [first]
    assert stale(rum, second)
    assert [one.id for one in rum.refresh(first).refreshed] == [first]
    for call in (rum.refresh, rum.chapters.refresh, rum.wisdom.refresh):
        with pytest.raises(NotFound, match="chapter_unknown00"):
            call("chapter_unknown00")
    with pytest.raises(NotFound):
        rum.wisdom.refresh(first)


def test_others_ones_are_left_as_they_are_and_refused_if_named(shop: Shop) -> None:
    ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
    ids = tell(shop, ann)
    made = ann.chapters.create(memory_ids=ids).chapter_id
    ann.update_memory(ids[0], importance=0.9)
    answer = bob.refresh()
    assert answer.refreshed == []
    assert made in answer.skipped[0]
    with pytest.raises(PermissionDenied):
        bob.refresh(made)
    assert [one.id for one in ann.refresh().refreshed] == [made]
