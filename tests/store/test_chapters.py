"""Chapters and wisdom are found by their memories, tags, time and words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from rum.model.chapters import Chapter, Wisdom
from rum.model.errors import StorageError
from rum.store.base import ReadMode, Store
from rum.store.chapters import Range
from support.builders import NOON, add_memory, make_agent


@pytest.fixture
def store(store: Store) -> Store:
    store.agents.add(make_agent())
    return store


def make_chapter(chapter_id: str = "chapter_a", *members: str, **more: Any) -> Chapter:
    fields: dict[str, Any] = {
        "project_id": "demo-00000000",
        "agent_id": "agent_ann",
        "created_at": NOON,
        "updated_at": NOON,
        "title": "Login",
        "summary": "It works",
        "members": [{"memory_id": one} for one in members],
    }
    return msgspec.convert({"id": chapter_id, **fields, **more}, Chapter)


def make_wisdom(wisdom_id: str = "wisdom_a", *chapters: str, **more: Any) -> Wisdom:
    fields: dict[str, Any] = {
        "project_id": "demo-00000000",
        "agent_id": "agent_ann",
        "created_at": NOON,
        "updated_at": NOON,
        "summary": "Tokens expire",
        "sources": [{"chapter_id": one} for one in chapters],
    }
    return msgspec.convert({"id": wisdom_id, **fields, **more}, Wisdom)


EVIDENCE = {
    "memory_ids": ["mem_a"],
    "supporting": 3,
    "against": 1,
    "against_ids": ["mem_b"],
    "last_confirmed": NOON,
}
FULL_CHAPTER = make_chapter(
    learnings=["Check é expiry"],
    evidence=[EVIDENCE],
    start_ts=5,
    end_ts=6,
    tags=["auth", 'odd "tag"'],
    topics=["jwt"],
    origin="auto",
    words="model",
    given=["title"],
    found_by=["auth"],
    own_tags=["mine"],
    members=[{"memory_id": "mem_b", "version": 3, "superseded": True}, {"memory_id": "mem_a"}],
    former=["mem_c"],
    forgotten=2,
    imported_at=NOON,
    version=7,
)
FULL_WISDOM = make_wisdom(
    insights=["a"],
    patterns=["b"],
    best_practices=["c"],
    evidence=[EVIDENCE, {}, {}],
    contradictions=[{"claim": "x", "memory_ids": ["mem_a"], "against": "not x", "against_ids": ["mem_b"]}],
    tags=["auth"],
    start_ts=1,
    end_ts=2,
    words="given",
    given=["insights"],
    found_by=["auth"],
    own_tags=["mine"],
    sources=[{"chapter_id": "chapter_b", "version": 4}, {"chapter_id": "chapter_a"}],
    members=[{"memory_id": "mem_a", "version": 0}, {"memory_id": "mem_b", "version": 2, "superseded": True}],
    former=["mem_d"],
    forgotten=1,
    imported_at=NOON,
    version=2,
)


def test_every_field_reads_back_and_parts_keep_their_order(store: Store, other: Store):
    store.chapters.put(FULL_CHAPTER)
    store.wisdom.put(FULL_WISDOM)
    assert other.chapters.get(["chapter_a"]) == [FULL_CHAPTER]
    assert other.wisdom.get(["wisdom_a"]) == [FULL_WISDOM]


def test_putting_again_replaces_and_keeps_the_place(store: Store):
    store.chapters.put(FULL_CHAPTER)
    store.chapters.put(make_chapter("chapter_b", "mem_a"))
    changed = replace(FULL_CHAPTER, title="New", members=FULL_CHAPTER.members[1:], version=8)
    store.chapters.put(changed)
    assert [one for batch in store.chapters.pages(1) for one in batch] == [
        changed,
        make_chapter("chapter_b", "mem_a"),
    ]
    assert store.chapters.count() == 2


def test_they_come_in_the_order_asked_for_and_unknown_ones_are_left_out(store: Store):
    for name in "abc":
        store.wisdom.put(make_wisdom(f"wisdom_{name}"))
    found = store.wisdom.get(["wisdom_c", "wisdom_unknown", "wisdom_a"])
    assert [one.id for one in found] == ["wisdom_c", "wisdom_a"]
    assert store.chapters.get([]) == store.chapters.get(["chapter_a"]) == []


def test_a_tail_names_one_and_a_short_one_none(store: Store):
    store.chapters.put(make_chapter("chapter_01jabcdefgh"))
    store.chapters.put(make_chapter("chapter_02jabcdefgh"))
    assert store.chapters.find_ids("chapter_01jabcdefgh") == ["chapter_01jabcdefgh"]
    assert store.chapters.find_ids("1jabcdefgh") == ["chapter_01jabcdefgh"]
    assert sorted(store.chapters.find_ids("jabcdefgh")) == ["chapter_01jabcdefgh", "chapter_02jabcdefgh"]
    assert store.chapters.find_ids("abcdefg") == store.chapters.find_ids("%" * 8) == []


def test_the_same_parts_are_recognised_in_any_order_and_no_others(store: Store):
    store.chapters.put(make_chapter("chapter_a", "mem_a", "mem_b"))
    store.chapters.put(make_chapter("chapter_b", "mem_a", "mem_b", "mem_c"))
    store.chapters.put(make_chapter("chapter_c", "mem_b", "mem_a"))
    assert store.chapters.same(["mem_b", "mem_a", "mem_b"]) == ["chapter_a", "chapter_c"]
    for parts in (["mem_a"], ["mem_a", "mem_d"], []):
        assert store.chapters.same(parts) == []


def test_groups_are_found_by_any_of_their_parts(store: Store):
    store.chapters.put(make_chapter("chapter_a", "mem_a", "mem_b"))
    store.chapters.put(make_chapter("chapter_b", "mem_c"))
    store.wisdom.put(make_wisdom("wisdom_a", "chapter_a", "chapter_b"))
    assert store.chapters.made_of(parts=["mem_b", "mem_a", "mem_c"]) == ["chapter_a", "chapter_b"]
    assert store.chapters.made_of(parts=["mem_d"]) == store.chapters.made_of(parts=[]) == []
    assert store.wisdom.made_of(parts=["chapter_b"]) == ["wisdom_a"]


def test_all_whose_words_were_made_of_a_memory_are_known_by_it(store: Store):
    store.chapters.put(make_chapter("chapter_a", "mem_a", former=["mem_b", 'odd"'], given=["title"]))
    store.chapters.put(make_chapter("chapter_b", "mem_b"))
    store.wisdom.put(make_wisdom("wisdom_a", "chapter_a", members=[{"memory_id": "mem_c"}], former=["mem_a"]))
    assert store.chapters.made_of(memories=["mem_b"]) == ["chapter_a", "chapter_b"]
    assert (
        store.chapters.made_of(memories=['odd"'])
        == store.chapters.made_of(memories=["mem_a"])
        == ["chapter_a"]
    )
    assert (
        store.wisdom.made_of(memories=["mem_c"])
        == store.wisdom.made_of(memories=["mem_a", "mem_x"])
        == ["wisdom_a"]
    )
    assert store.wisdom.made_of(memories=["mem_b"]) == store.wisdom.made_of(memories=[]) == []
    store.wisdom.put(make_wisdom("wisdom_a", "chapter_a"))
    assert store.wisdom.made_of(memories=["mem_a", "mem_c"]) == []


def test_memories_that_are_not_here_are_a_problem(store: Store):
    add_memory(store, "mem_a")
    store.chapters.put(make_chapter("chapter_a", "mem_a"))
    store.wisdom.put(make_wisdom("wisdom_a", "chapter_a", members=[{"memory_id": "mem_a"}]))
    assert store.upkeep.problems() == []
    store.wisdom.put(make_wisdom("wisdom_a", "chapter_a", members=[{"memory_id": "mem_gone"}]))
    store.chapters.put(make_chapter("chapter_a", "mem_a", former=["mem_lost"]))
    [(what, advice)] = store.upkeep.problems()
    assert "mem_gone" in what
    assert "mem_lost" in what
    assert "rum refresh" in advice


def test_those_found_by_tags_are_known_by_them(store: Store):
    store.chapters.put(make_chapter("chapter_a", found_by=["auth", "jwt"]))
    store.chapters.put(make_chapter("chapter_b"))
    assert store.chapters.same([], ["auth", "jwt"]) == ["chapter_a"]
    assert store.chapters.same([], ["auth"]) == []


def test_tags_and_times_exclude_and_the_last_to_end_comes_first(store: Store):
    store.chapters.put(make_chapter("chapter_a", tags=["x", "y"], start_ts=10, end_ts=20))
    store.chapters.put(make_chapter("chapter_b", tags=["x"], start_ts=15, end_ts=30))
    store.chapters.put(make_chapter("chapter_c", tags=["x"], start_ts=5, end_ts=30))
    assert store.chapters.matching(["x"], Range(), 2) == (["chapter_c", "chapter_b"], 3)
    assert store.chapters.matching(["y", "x"], Range(), 9) == (["chapter_a"], 1)
    assert store.chapters.matching([], Range(since=10), 9) == (["chapter_b", "chapter_a"], 2)
    assert store.chapters.matching([], Range(before=20), 9) == (["chapter_a"], 1)
    assert store.chapters.matching(["%", "x"], Range(), 9) == ([], 0)
    store.chapters.put(make_chapter("chapter_a", "mem_a", tags=["x", "y"], start_ts=10, end_ts=20))
    assert store.chapters.matching([], Range(), 2, "oldest") == (["chapter_c", "chapter_a"], 3)
    assert store.chapters.matching([], Range(), 9, "size") == (["chapter_a", "chapter_c", "chapter_b"], 3)


def test_deleting_takes_parts_and_words_with_it(store: Store):
    store.chapters.put(make_chapter("chapter_a", "mem_a", title="Zebra"))
    assert store.chapters.delete(["chapter_a"]) == 1
    assert store.chapters.delete(["chapter_a"]) == 0
    assert store.chapters.made_of(parts=["mem_a"]) == []
    assert store.find_groups(["zebra"], 9).matches == []
    assert not store.has_chapters()


def test_words_find_both_kinds_and_say_which_of_them_stand_in_a_title_or_tag(store: Store):
    assert not store.has_chapters()
    store.chapters.put(make_chapter("chapter_a", title="Zebra crossing", learnings=["token"], evidence=[{}]))
    store.wisdom.put(make_wisdom("wisdom_a", summary="A token", tags=["zebra"]))
    assert store.has_chapters()
    found = {one.id: one for one in store.find_groups(["zebra", "token", "zebra", "other"], 9).matches}
    assert {one: (found[one].kind, sorted(found[one].terms)) for one in found} == {
        "chapter_a": ("chapter", ["token", "zebra"]),
        "wisdom_a": ("wisdom", ["token", "zebra"]),
    }
    assert {one: sorted(found[one].title_terms) for one in found} == {
        "chapter_a": ["zebra"],
        "wisdom_a": ["zebra"],
    }
    store.chapters.put(make_chapter("chapter_a", title="Something else"))
    assert [one.id for one in store.find_groups(["zebra"], 9).matches] == ["wisdom_a"]


def test_the_best_holders_come_and_all_are_counted(store: Store):
    for number in range(5):
        store.chapters.put(
            make_chapter(f"chapter_{number}", summary="A zebra" if number else "A zebra token")
        )
    store.chapters.put(make_chapter("chapter_titled", title="Zebra"))
    found = store.find_groups(["zebra", "token", "gnu"], 2)
    assert {one.id for one in found.matches} == {"chapter_0", "chapter_titled"}
    assert (found.counts, found.total) == ({"zebra": 6, "token": 1, "gnu": 0}, 6)


@pytest.mark.parametrize(
    "term", ['a"b', "NOT token", "{title} : x", "*", "'; DROP TABLE chapters; --", "a:b"]
)
def test_a_term_is_taken_literally_whatever_it_holds(store: Store, term: str):
    store.chapters.put(make_chapter())
    assert store.find_groups([term], 9).matches == []
    assert store.find_groups([term, "login"], 9).counts.get(term, 0) == 0
    assert store.find_groups([], 9).matches == []


def test_reindexing_writes_the_same_words(store: Store):
    store.chapters.put(FULL_CHAPTER)
    store.wisdom.put(FULL_WISDOM)
    before = store.find_groups(["login", "token", "auth"], 9).matches
    store.upkeep.reindex(lambda _: None, lambda _: None)
    assert store.find_groups(["login", "token", "auth"], 9).matches == before


def test_an_author_must_exist_and_nothing_is_left_of_what_is_refused(store: Store):
    with pytest.raises(StorageError):
        store.chapters.put(make_chapter("chapter_a", "mem_a", agent_id="agent_unknown"))
    with pytest.raises(StorageError):
        store.wisdom.put(make_wisdom("wisdom_a", agent_id="agent_unknown"))
    assert store.chapters.count() == store.wisdom.count() == 0
    assert store.find_groups(["login", "token"], 9).matches == []


def broken_off(store: Store) -> None:
    with store.transaction():
        store.chapters.put(FULL_CHAPTER)
        raise RuntimeError


def test_a_broken_transaction_leaves_nothing(store: Store):
    with pytest.raises(RuntimeError):
        broken_off(store)
    assert store.chapters.count() == 0
    assert store.find_groups(["login"], 9).matches == []


def test_headlines_tell_the_version_of_memories_that_exist(store: Store):
    add_memory(store, "mem_a", version=3)
    [headline] = store.memories.get(["mem_a", "mem_gone"], ReadMode.HEADLINE)
    assert (headline.id, headline.version, headline.superseded_by) == ("mem_a", 3, ())
