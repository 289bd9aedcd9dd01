"""How a chapter is made of memories: what was handed in stays, the rest is worded anew, all with evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.given_words import Given
from rum.app.chapters.grouping import Craft, Pick, all_tags, as_members
from rum.app.chapters.sanitise_words import kept_words
from rum.app.chapters.word_source import Made
from rum.capture.tombstones import chapter_marks
from rum.consolidate.chapters.by_model import ModelWords, ask_for_chapter
from rum.consolidate.chapters.chapter_words import draw_chapter
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.evidence import EvidenceFinder
from rum.llm.base import LanguageModel
from rum.model.chapter_answers import LEAST_MEMORIES
from rum.model.chapters import Chapter, ChapterWords
from rum.model.memory import Memory
from rum.store.chapters import Grouped

ChapterPick = Pick[Chapter, Memory]


class ChapterCraft(Craft[Chapter, Memory, ChapterWords]):
    """Chapters, of memories."""

    kind = "chapter"
    part_called = "memory"
    parts_called = "memories"
    named_by = "memory_ids"
    least = LEAST_MEMORIES
    asked_for = frozenset(("summary", "learnings"))

    def kept(self, caller: Caller) -> Grouped[Chapter]:
        """Where it is kept."""
        return caller.project.store.chapters

    def parts(self, caller: Caller, ids: Sequence[str]) -> list[Memory]:
        """Those of its memories that are there, as they are now."""
        return caller.project.store.memories.get(list(ids))

    def members(self, caller: Caller, parts: Sequence[Memory]) -> dict[str, Memory]:  # noqa: ARG002
        """Its parts, by id."""
        return {memory.id: memory for memory in parts}

    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        """The hashes by which a forgotten one is known again."""
        return chapter_marks(ids, key, one)

    def asked(self, model: LanguageModel, pick: ChapterPick) -> ModelWords[ChapterWords]:
        """The words of a language model."""
        return ask_for_chapter(model, pick.parts)

    def drawn(self, pick: ChapterPick, similarity: Similarity | None) -> ChapterWords:
        """The words that the members themselves have."""
        return draw_chapter(pick.parts, similarity)

    def composed(self, words: ChapterWords, given: Given, tracing: EvidenceFinder) -> ChapterWords:
        """Words with the parts that were handed in; the members that say a claim are looked for."""
        said = replace(words, **given.texts)
        claims = given.claims.get("learnings")
        if claims is None:
            return said
        return replace(said, learnings=claims, evidence=tuple(map(tracing.evidence, claims)))

    def blank(self, one: str, caller: Caller, agent_id: str) -> Chapter:
        """A new one that says nothing yet."""
        now = caller.project.now()
        return Chapter(
            id=one,
            project_id=caller.project.location.id,
            agent_id=agent_id,
            created_at=now,
            updated_at=now,
            title="",
            summary="",
        )

    def saying(self, caller: Caller, one: Chapter, made: Made[ChapterWords], pick: ChapterPick) -> Chapter:
        """One that says these words of what was picked."""
        clean = kept_words(caller.project, made.words)
        times = [memory.created_at for memory in pick.parts]
        return replace(
            one,
            title=clean.title,
            summary=clean.summary,
            learnings=clean.learnings,
            evidence=clean.evidence,
            topics=clean.topics,
            words=made.by,
            tags=all_tags((*one.found_by, *one.own_tags), (memory.tags for memory in pick.parts)),
            start_ts=min(times),
            end_ts=max(times),
            members=as_members(pick.parts),
            former=pick.former,
            forgotten=0,
        )


CHAPTERS = ChapterCraft()
