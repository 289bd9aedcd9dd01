"""What a chapter says: what was handed in stays, the rest is worded anew; every claim has its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from rum.app.context import Context
from rum.app.handed_in import Given
from rum.app.wording import Made, made, told
from rum.consolidate import chapter_by_model, chapter_words
from rum.consolidate.clusters import Likeness
from rum.consolidate.evidence import Tracing
from rum.llm.base import LanguageModel
from rum.model.chapter import Chapter, ChapterWords, Member, Wording
from rum.model.chapter_answers import MOST_TAGS
from rum.model.memory import Memory
from rum.model.wisdom import Wisdom

T = TypeVar("T", Chapter, Wisdom)


def words_for(context: Context, members: Sequence[Memory], given: Given) -> Made[ChapterWords]:
    """The words of a chapter: no model is asked for what was handed in."""

    def asked(model: LanguageModel) -> Made[ChapterWords]:
        answer = chapter_by_model.asked(model, members)
        return told(composed(answer.words, given, Tracing(members)), answer.dropped)

    def drawn(likeness: Likeness | None) -> ChapterWords:
        return composed(chapter_words.draw(members, likeness), given, Tracing(members, likeness))

    said = made(context, asked if {"summary", "learnings"} - given.words else None, drawn)
    return said._replace(by=Wording.GIVEN) if given.words else said


def composed(words: ChapterWords, given: Given, tracing: Tracing) -> ChapterWords:
    """Words with the parts that were handed in; the members that say a claim are looked for."""
    said = replace(words, **given.texts)
    claims = given.claims.get("learnings")
    if claims is None:
        return said
    return replace(said, learnings=claims, evidence=tuple(map(tracing.evidence, claims)))


def said_by(
    context: Context, chapter: Chapter, made: Made[ChapterWords], members: Sequence[Memory]
) -> Chapter:
    """A chapter that says these words of these members."""
    clean = msgspec.convert(context.clean(msgspec.to_builtins(made.words)), ChapterWords)
    times = [memory.created_at for memory in members]
    return replace(
        chapter,
        title=clean.title,
        summary=clean.summary,
        learnings=clean.learnings,
        evidence=clean.evidence,
        topics=clean.topics,
        words=made.by,
        tags=all_tags((*chapter.found_by, *chapter.own_tags), (memory.tags for memory in members)),
        start_ts=min(times),
        end_ts=max(times),
        members=tuple(Member(one.id, one.version, bool(one.superseded_by)) for one in members),
        forgotten=0,
    )


def all_tags(first: Iterable[str], each: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Some tags, then those of the parts, the most common first."""
    counted = Counter(tag for tags in each for tag in dict.fromkeys(tags))
    common = sorted(counted, key=lambda tag: (-counted[tag], tag))
    return tuple(dict.fromkeys((*first, *common)))[:MOST_TAGS]


def settled(old: T, new: T, now: int) -> T:
    """The new state of a chapter or wisdom; its version grows if it comes to say something else."""
    version = old.version + (old.said != new.said)
    return replace(new, version=version, updated_at=max(now, old.updated_at), stale=())
