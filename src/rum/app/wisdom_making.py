"""What wisdom says: what was handed in stays, the rest is worded anew; every claim has its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from rum.app.chapter_making import all_tags
from rum.app.context import Context
from rum.app.handed_in import Given
from rum.app.wording import Made, made, told
from rum.consolidate import wisdom_by_model, wisdom_words
from rum.consolidate.clusters import Likeness
from rum.consolidate.evidence import Tracing
from rum.llm.base import LanguageModel
from rum.model.chapter import Chapter, Evidence, Wording
from rum.model.memory import Memory
from rum.model.wisdom import Source, Wisdom, WisdomWords

CLAIMS = ("insights", "patterns", "best_practices")
"""What wisdom claims, in the order of its evidence."""


def members_of(context: Context, chapters: Sequence[Chapter]) -> dict[str, Memory]:
    """All memories of some chapters that are there, by id."""
    ids = dict.fromkeys(one for chapter in chapters for one in chapter.memory_ids)
    return {memory.id: memory for memory in context.store.memories.get(list(ids))}


def words_for(
    context: Context, chapters: Sequence[Chapter], members: Mapping[str, Memory], given: Given
) -> Made[WisdomWords]:
    """The words of wisdom: no model is asked for what was handed in."""

    def asked(model: LanguageModel) -> Made[WisdomWords]:
        answer = wisdom_by_model.asked(model, chapters, members)
        return told(composed(answer.words, given, Tracing(members.values())), answer.dropped)

    def drawn(likeness: Likeness | None) -> WisdomWords:
        words = wisdom_words.draw(chapters, members, likeness)
        return composed(words, given, Tracing(members.values(), likeness))

    said = made(context, asked if {"summary", *CLAIMS} - given.words else None, drawn)
    return said._replace(by=Wording.GIVEN) if given.words else said


def composed(words: WisdomWords, given: Given, tracing: Tracing) -> WisdomWords:
    """Words with the parts that were handed in; the members that say a claim are looked for."""
    evidence: list[Evidence] = []
    for name, rests_on in zip(CLAIMS, split(words), strict=True):
        evidence += map(tracing.evidence, given.claims[name]) if name in given.claims else rests_on
    return replace(words, **given.texts, **given.claims, evidence=tuple(evidence))


def split(words: WisdomWords | Wisdom) -> list[tuple[Evidence, ...]]:
    """The evidence of insights, of patterns, and of best practices."""
    parts: list[tuple[Evidence, ...]] = []
    start = 0
    for name in CLAIMS:
        end = start + len(getattr(words, name))
        parts.append(words.evidence[start:end])
        start = end
    return parts


def said_by(context: Context, wisdom: Wisdom, made: Made[WisdomWords], chapters: Sequence[Chapter]) -> Wisdom:
    """Wisdom that says these words of these chapters."""
    clean = msgspec.convert(context.clean(msgspec.to_builtins(made.words)), WisdomWords)
    return replace(
        wisdom,
        summary=clean.summary,
        insights=clean.insights,
        patterns=clean.patterns,
        best_practices=clean.best_practices,
        evidence=clean.evidence,
        contradictions=clean.contradictions,
        words=made.by,
        tags=all_tags((*wisdom.found_by, *wisdom.own_tags), (chapter.tags for chapter in chapters)),
        start_ts=min(chapter.start_ts for chapter in chapters),
        end_ts=max(chapter.end_ts for chapter in chapters),
        sources=tuple(Source(chapter.id, chapter.version) for chapter in chapters),
        forgotten=0,
    )
