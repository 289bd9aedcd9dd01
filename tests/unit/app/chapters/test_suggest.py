"""Groups of memories that look like one story: shown, or made into chapters where that is set."""

from __future__ import annotations

import msgspec
import pytest

from rum import InvalidQuery, Rum
from support.projects import Shop, edited, keep
from support.stories import tell_of_webhooks


def test_groups_are_shown_and_nothing_is_made(shop: Shop, rum: Rum) -> None:
    ids = tell_of_webhooks(shop, rum)
    [story] = rum.chapters.suggest()
    assert set(story.memory_ids) == set(ids)
    assert "src/hooks/send.py" in story.reason
    assert story.goals == tuple(rum.show(one).intent.goal for one in story.memory_ids)
    assert rum.chapters.suggest(limit=1) == [story]
    assert rum.chapters.list().total == 0
    with pytest.raises(InvalidQuery, match="limit"):
        rum.chapters.suggest(0)


def test_a_chapter_is_called_what_the_group_was_called(shop: Shop, rum: Rum) -> None:
    tell_of_webhooks(shop, rum)
    [story] = rum.chapters.suggest()
    assert rum.chapters.create(memory_ids=story.memory_ids).title == story.title


def test_existing_and_forgotten_chapters_are_not_suggested(shop: Shop, rum: Rum) -> None:
    made = rum.chapters.create(memory_ids=tell_of_webhooks(shop, rum)).chapter_id
    assert rum.chapters.suggest() == []
    rum.forget(made)
    assert rum.chapters.suggest() == []


def test_tidying_makes_chapters_only_if_that_is_set(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    rum = shop.open(owner=True)
    ids = tell_of_webhooks(shop, rum)
    assert rum.tidy(0).chapters is msgspec.UNSET
    assert rum.chapters.list().total == 0
    monkeypatch.setenv("RUM_AUTO_CHAPTERS", "on")
    tidy = shop.open(owner=True)
    assert tidy.tidy(0).chapters == 1
    [chapter] = tidy.chapters.list().chapters
    assert (chapter.origin, chapter.words) == ("auto", "drawn")
    assert tidy.chapters.show(chapter.id).memory_ids == tuple(ids)
    assert tidy.tidy(0).chapters == 0
    tidy.forget(chapter.id)
    assert tidy.tidy(0).chapters == 0


def one_more(shop: Shop, rum: Rum, ids: list[str]) -> str:
    """One more memory of the story of webhooks."""
    shop.clock.forward(60)
    goal = "Sign the payloads of webhooks again when they are retried"
    files = edited("src/hooks/send.py", "src/hooks/sign.py")
    return keep(rum, goal, actions=files, links={"caused_by": ids[-1:]}, tags=["hooks"])


def test_a_forgotten_one_does_not_come_back_with_one_more_memory(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUM_AUTO_CHAPTERS", "on")
    rum = shop.open(owner=True)
    ids = tell_of_webhooks(shop, rum)
    rum.tidy(0)
    [chapter] = rum.chapters.list().chapters
    rum.forget(chapter.id)
    new = one_more(shop, rum, ids)
    assert rum.chapters.suggest() == []
    assert rum.tidy(0).chapters == 0
    made = rum.chapters.create(memory_ids=[*ids, new])
    assert made.created
    assert made.note is msgspec.UNSET


def test_the_same_memories_are_suggested_again_where_no_chapter_was_forgotten(shop: Shop, rum: Rum) -> None:
    ids = tell_of_webhooks(shop, rum)
    new = one_more(shop, rum, ids)
    [story] = rum.chapters.suggest()
    assert set(story.memory_ids) == {*ids, new}


@pytest.mark.parametrize("most", [0, -1, "x", 2.5, None])
def test_what_is_no_number_of_groups_is_refused(rum: Rum, most: object) -> None:
    with pytest.raises(InvalidQuery, match="limit"):
        rum.chapters.suggest(most)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_the_surest_group_becomes_a_chapter_on_request(shop: Shop, rum: Rum) -> None:
    ids = tell_of_webhooks(shop, rum)
    [story] = rum.chapters.suggest()
    made = rum.chapters.create(auto=True)
    assert (made.title, made.origin, made.note) == (story.title, "auto", story.reason)
    assert rum.chapters.show(made.chapter_id).memory_ids == tuple(ids)
    with pytest.raises(InvalidQuery, match="in no chapter yet"):
        rum.chapters.create(auto=True)


def test_only_memories_with_the_tags_and_of_the_time_are_looked_at(shop: Shop, rum: Rum) -> None:
    tell_of_webhooks(shop, rum)
    for way in ({"tags": ["nosuchtag"]}, {"since": shop.clock.at + 1}, {"min_memories": 400}):
        with pytest.raises(InvalidQuery, match="in no chapter yet"):
            rum.chapters.create(auto=True, **way)
    assert rum.chapters.create(auto=True, since=0).created
