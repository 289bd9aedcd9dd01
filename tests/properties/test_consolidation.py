"""For any memories, chapters and wisdom add no claims, are the same in any order, and stay small."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.evidence import EvidenceFinder, evidence_problems
from rum.consolidate.chapters.titles import LONGEST_TITLE, MOST_TOPICS
from rum.model.chapters import Evidence
from rum.model.memory import Memory
from rum.model.memory_layers import FailureCategory, TaskType
from rum.text.sentences import prose_sentences
from support.builders import make_file, make_intent, make_memory, make_outcome
from support.chapter_memories import DAY, by_id, make_chapter, make_work

often = settings(max_examples=40)
seldom = settings(max_examples=2)

LONGEST_CLAIM = 600
PIECES = """the|lock|must|not|be|held|because|parser|`f()`|fails|works|Test|30|60|minutes|timeout|cache
|session|never|use|avoid|pool.|otherwise|it|crashes:|src/a.py|4.2|—|e.g.|Größe|缓存|失效|тест|ignore
|- `x_y`|\n\n|"""
WORDS = PIECES.replace("\n|", "|").split("|")
spoken = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
odd = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
texts = spoken | odd
goals = texts.filter(lambda text: text.strip() != "")


@st.composite
def memories(draw: st.DrawFn, number: int) -> Memory:
    worked = draw(st.booleans())
    failed = (
        {}
        if worked
        else {"failure_reason": draw(texts), "failure_category": draw(st.sampled_from(FailureCategory))}
    )
    paths = draw(st.lists(st.sampled_from(["src/a.py", "b.c", "docs/c.md"]), unique=True, max_size=3))
    return make_memory(
        f"mem_{number}",
        created_at=draw(st.integers(0, 10**15)),
        intent=make_intent(draw(goals), context=draw(texts)) | {"task_type": draw(st.sampled_from(TaskType))},
        outcome=make_outcome(draw(goals), worked, learnings=draw(st.lists(texts, max_size=3)), **failed),
        perception={"patterns_noticed": draw(st.lists(texts, max_size=2))},
        reasoning={"approach_chosen": draw(texts), "why_chosen": draw(texts)},
        tags=draw(st.lists(odd, max_size=2)),
        files=[make_file(path, draw(st.sampled_from(["read", "edit", "create"]))) for path in paths],
        superseded_by=draw(st.sampled_from([[], [], [], ["mem_0"]])),
    )


groups = st.integers(0, 6).flatmap(lambda count: st.tuples(*map(memories, range(count))))


def hold(claims: Sequence[str], evidence: Sequence[Evidence], members: Sequence[Memory]) -> None:
    assert evidence_problems(claims, evidence, by_id(*members)) == []
    assert all(claim.strip() == claim != "" and "\n" not in claim for claim in claims)
    assert max(map(len, claims), default=0) <= LONGEST_CLAIM


@often
@given(groups)
def test_a_chapter_contains_only_text_of_its_memories(members: tuple[Memory, ...]):
    words = chapter_words.draw_chapter(members)
    hold(words.learnings, words.evidence, members)
    assert len(words.title) <= LONGEST_TITLE
    assert len(words.topics) <= MOST_TOPICS
    assert bool(words.title) == bool(members)
    superseded = {memory.id for memory in members if memory.superseded_by}
    assert superseded.isdisjoint(
        one for found in words.evidence for one in (*found.memory_ids, *found.against_ids)
    )


@often
@given(groups, st.randoms(use_true_random=False))
def test_the_order_of_memories_and_chapters_does_not_matter(
    members: tuple[Memory, ...], chance: random.Random
):
    shuffled = chance.sample(members, len(members))
    said = msgspec.json.encode(chapter_words.draw_chapter(members))
    assert msgspec.json.encode(chapter_words.draw_chapter(shuffled)) == said
    chapters = [make_chapter(1, members[:3]), make_chapter(2, members[2:]), make_chapter(3, members[::2])]
    wisdom = msgspec.json.encode(wisdom_words.draw_wisdom(chapters, by_id(*members)))
    again = wisdom_words.draw_wisdom(chance.sample(chapters, 3), by_id(*shuffled))
    assert msgspec.json.encode(again) == wisdom


@often
@given(groups)
def test_wisdom_contains_only_text_of_the_memories_and_both_sides_of_a_contradiction(
    members: tuple[Memory, ...],
):
    chapters = [make_chapter(1, members[:3]), make_chapter(2, members[3:])]
    words = wisdom_words.draw_wisdom(chapters, by_id(*members))
    hold((*words.insights, *words.patterns, *words.best_practices), words.evidence, members)
    ids = set(by_id(*members))
    for one in words.contradictions:
        assert one.memory_ids
        assert one.against_ids
        assert one.claim != one.against
        assert set(one.memory_ids) | set(one.against_ids) <= ids


@often
@given(groups, texts)
def test_the_evidence_of_a_claim_are_its_memories_only(members: tuple[Memory, ...], claim: str):
    found = EvidenceFinder(members).evidence(claim)
    assert set(found.memory_ids) | set(found.against_ids) <= set(by_id(*members))
    assert found.supporting >= len(found.memory_ids)
    assert set(found.memory_ids).isdisjoint(found.against_ids)


@often
@given(odd | st.text(max_size=300))
def test_sentences_have_the_words_of_their_text_and_no_line_ends(text: str):
    found = prose_sentences(text)
    assert all("\n" not in sentence for sentence in found)
    assert sum(map(len, found)) <= len(text) + len(found)


@pytest.mark.slow
@seldom
@given(st.integers(0, 2**32), st.sampled_from([120, 20_000]))
def test_a_thousand_memories_or_huge_ones_stay_within_limits(seed: int, size: int):
    chance = random.Random(seed)
    count = 1000 if size < 1000 else 30

    def story() -> str:
        return " ".join(chance.choices(WORDS, k=size // 6))

    members = [
        make_work(n, story()[:200], story(), story(), context=story(), files=[f"{n % 9}.c"])
        for n in range(count)
    ]
    words = chapter_words.draw_chapter(members)
    assert len(msgspec.json.encode(words)) < 40_000
    assert all(found.supporting >= 1 for found in words.evidence)
    wisdom = wisdom_words.draw_wisdom([make_chapter(1, members, title="One", summary="S")], by_id(*members))
    assert len(msgspec.json.encode(wisdom)) < 80_000
    assert wisdom.summary.startswith(f"1 chapter with {count} memories")
    assert members[-1].created_at - members[0].created_at == (count - 1) * DAY
