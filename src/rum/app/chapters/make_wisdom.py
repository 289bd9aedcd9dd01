"""How wisdom is made of chapters: what was handed in stays, the rest is worded anew, all with evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.given_words import Given
from rum.app.chapters.grouping import Craft, Pick, all_tags, as_members
from rum.app.chapters.sanitise_words import kept_words
from rum.app.chapters.word_source import Made
from rum.capture.tombstones import wisdom_marks
from rum.consolidate.chapters.by_model import ModelWords, ask_for_wisdom
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.evidence import EvidenceFinder
from rum.consolidate.chapters.wisdom_words import draw_wisdom
from rum.llm.base import LanguageModel
from rum.model.chapter_answers import LEAST_CHAPTERS
from rum.model.chapters import Chapter, Evidence, Source, Wisdom, WisdomWords
from rum.model.memory import Memory
from rum.store.chapters import Grouped

WisdomPick = Pick[Wisdom, Chapter]
CLAIMS = ("insights", "patterns", "best_practices")
"""What wisdom claims, in the order of its evidence."""


class WisdomCraft(Craft[Wisdom, Chapter, WisdomWords]):
    """Wisdom, of chapters."""

    kind = "wisdom"
    part_called = "chapter"
    parts_called = "chapters"
    named_by = "chapter_ids"
    least = LEAST_CHAPTERS
    asked_for = frozenset(("summary", *CLAIMS))

    def kept(self, caller: Caller) -> Grouped[Wisdom]:
        """Where it is kept."""
        return caller.project.store.wisdom

    def parts(self, caller: Caller, ids: Sequence[str]) -> list[Chapter]:
        """Those of its chapters that are there, as they are now."""
        return caller.project.store.chapters.get(list(ids))

    def members(self, caller: Caller, parts: Sequence[Chapter]) -> dict[str, Memory]:
        """All memories of some chapters that are there, by id."""
        ids = sorted({one for chapter in parts for one in chapter.memory_ids})
        return {memory.id: memory for memory in caller.project.store.memories.get(ids)}

    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        """The hashes by which a forgotten one is known again."""
        return wisdom_marks(ids, key, one)

    def asked(self, model: LanguageModel, pick: WisdomPick) -> ModelWords[WisdomWords]:
        """The words of a language model."""
        return ask_for_wisdom(model, pick.parts, pick.members)

    def drawn(self, pick: WisdomPick, similarity: Similarity | None) -> WisdomWords:
        """The words that the members themselves have."""
        return draw_wisdom(pick.parts, pick.members, similarity, pick.tagged.found_by)

    def composed(self, words: WisdomWords, given: Given, tracing: EvidenceFinder) -> WisdomWords:
        """Words with the parts that were handed in; the members that say a claim are looked for."""
        evidence: list[Evidence] = []
        for name, rests_on in zip(CLAIMS, split(words), strict=True):
            evidence += map(tracing.evidence, given.claims[name]) if name in given.claims else rests_on
        return replace(words, **given.texts, **given.claims, evidence=tuple(evidence))

    def blank(self, one: str, caller: Caller, agent_id: str) -> Wisdom:
        """A new one that says nothing yet."""
        now = caller.project.now()
        return Wisdom(
            id=one,
            project_id=caller.project.location.id,
            agent_id=agent_id,
            created_at=now,
            updated_at=now,
            summary="",
        )

    def saying(self, caller: Caller, one: Wisdom, made: Made[WisdomWords], pick: WisdomPick) -> Wisdom:
        """One that says these words of what was picked."""
        clean = kept_words(caller.project, made.words)
        return replace(
            one,
            summary=clean.summary,
            insights=clean.insights,
            patterns=clean.patterns,
            best_practices=clean.best_practices,
            evidence=clean.evidence,
            contradictions=clean.contradictions,
            words=made.by,
            tags=all_tags((*one.found_by, *one.own_tags), (chapter.tags for chapter in pick.parts)),
            start_ts=min(chapter.start_ts for chapter in pick.parts),
            end_ts=max(chapter.end_ts for chapter in pick.parts),
            sources=tuple(Source(chapter.id, chapter.version) for chapter in pick.parts),
            members=as_members(pick.members[one] for one in sorted(pick.members)),
            former=pick.former,
            forgotten=0,
        )


def split(words: WisdomWords | Wisdom) -> list[tuple[Evidence, ...]]:
    """The evidence of insights, of patterns, and of best practices."""
    parts: list[tuple[Evidence, ...]] = []
    start = 0
    for name in CLAIMS:
        end = start + len(getattr(words, name))
        parts.append(words.evidence[start:end])
        start = end
    return parts


WISDOM = WisdomCraft()
