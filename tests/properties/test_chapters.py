"""For any memories and callers, chapters and wisdom are consistent and follow what is forgotten."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rum import Rum, RumError
from support.projects import open_shop

Json = dict[str, Any]
often = settings(max_examples=20)

words = st.sampled_from(
    ("token", "refresh", "cache", "never", "not", "30", "60", "minutes", "must", "é", "钥匙")
)
phrases = st.lists(words, min_size=1, max_size=8).map(" ".join)
anything = st.text(max_size=60)
texts = phrases | anything.filter(str.strip)
memories = st.fixed_dictionaries(
    {
        "goal": texts,
        "summary": texts,
        "success": st.booleans(),
        "learnings": st.lists(texts, max_size=3),
        "tags": st.lists(st.sampled_from(["auth", "jwt", "keys"]), max_size=2),
    }
)
stories = st.lists(memories, min_size=2, max_size=5)
handed_in = st.fixed_dictionaries(
    {}, optional={"title": texts, "summary": texts, "learnings": st.lists(texts, max_size=3)}
)


def told(rum: Rum, story: list[Json]) -> list[str]:
    return [
        rum.store(
            intent={"goal": one["goal"], "task_type": "bug_fix"},
            outcome={name: one[name] for name in ("summary", "success", "learnings")},
            tags=one["tags"],
        ).memory_id
        for one in story
    ]


def holds_together(rum: Rum) -> None:
    known = {one.id for one in rum.list(limit=100).memories}
    for chapter in rum.chapters.list(limit=100).chapters:
        assert len(chapter.learnings) == len(chapter.evidence)
        assert chapter.start_ts <= chapter.end_ts
        assert known.issuperset(one for evidence in chapter.evidence for one in evidence.memory_ids)
        if chapter.words == "drawn":
            assert chapter.summary.strip()
            assert all(evidence.supporting for evidence in chapter.evidence)
    for wisdom in rum.wisdom.recall(limit=100).wisdom:
        claims = (*wisdom.insights, *wisdom.patterns, *wisdom.best_practices)
        assert len(claims) == len(wisdom.evidence)
        assert known.issuperset(one for evidence in wisdom.evidence for one in evidence.memory_ids)
        if wisdom.words == "drawn":
            assert all(evidence.supporting for evidence in wisdom.evidence)
    assert rum.doctor().problems == []


@often
@given(stories, handed_in, st.integers(0, 4))
def test_chapters_of_any_memories_can_be_created_refreshed_exported_and_forgotten(
    story: list[Json], given: Json, which: int
):
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        rum = shop.open(owner=True)
        ids = told(rum, story)
        try:
            first = rum.chapters.create(memory_ids=ids, **given)
        except RumError:
            assert rum.chapters.list().total == 0
            first = rum.chapters.create(memory_ids=ids)
        second = rum.chapters.create(memory_ids=ids[:1])
        rum.wisdom.synthesize(chapter_ids=[first.chapter_id, second.chapter_id])
        holds_together(rum)
        rum.brief(task=story[0]["goal"])
        rum.recall(query=f"{story[0]['goal']} x")
        lines = list(rum.export())
        other = shop.open(home=Path(folder) / "elsewhere", owner=True)
        assert other.import_lines(lines).chapters.added == 3
        assert other.chapters.list().chapters == rum.chapters.list().chapters
        rum.forget(ids[which % len(ids)])
        holds_together(rum)
        rum.refresh()
        assert rum.refresh().refreshed == []
        for one in ids:
            if one != ids[which % len(ids)]:
                rum.forget(one)
        assert (rum.chapters.list().total, rum.wisdom.recall().total) == (0, 0)
        assert rum.doctor().problems == []


@often
@given(stories)
def test_the_same_memories_in_any_order_give_the_same_text(story: list[Json]):
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        rum = shop.open()
        ids = told(rum, story)
        one = rum.chapters.create(memory_ids=ids)
        other = rum.chapters.create(memory_ids=list(reversed(ids)))
        assert (one.title, one.summary, one.learnings) == (other.title, other.summary, other.learnings)
        assert one.evidence == other.evidence
