"""The two kinds of groups: chapters of memories, and wisdom of chapters; and what differs between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec

from rum.app.chapters.words import GivenWords, given_before
from rum.app.project import Project
from rum.capture.tombstones import chapter_marks, wisdom_marks
from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.by_model import ModelWords, ask_for_chapter, ask_for_wisdom
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.members import by_time
from rum.llm.base import LanguageModel
from rum.model.chapters import (
    LEAST_CHAPTERS,
    LEAST_MEMORIES,
    MOST_MEMBERS,
    Chapter,
    ChapterWords,
    Origin,
    Source,
    Wisdom,
    WisdomWords,
)
from rum.model.memory import Memory
from rum.store.chapters import Grouped, Range
from rum.store.filters import Filters

G = TypeVar("G", Chapter, Wisdom)
P = TypeVar("P", Memory, Chapter)
W = TypeVar("W", ChapterWords, WisdomWords)
Renewed = Mapping[str, Chapter]
"""Chapters as they would be after a refresh, by id; they count instead of the stored ones."""
NOT_RENEWED: Renewed = MappingProxyType({})


class Choice(NamedTuple):
    """How parts were chosen: by tags, or by ids with tags beside them; and a note about it."""

    found_by: tuple[str, ...] = ()
    own_tags: tuple[str, ...] = ()
    note: str | None = None


class Pick(NamedTuple, Generic[G, P]):
    """What a group is to be made of.

    `members` are all memories its words are made of; for a chapter these are its parts. `old` is the group
    that will be replaced.
    """

    parts: Sequence[P]
    members: Mapping[str, Memory]
    choice: Choice = Choice()
    new_words: GivenWords = GivenWords()
    old: G | None = None
    origin: Origin | None = None
    """None leaves the origin of a chapter as it is."""

    @property
    def given(self) -> GivenWords:
        """The words that are given now, over those that were given before."""
        return self.new_words.over(given_before(self.old))

    @property
    def former(self) -> tuple[str, ...]:
        """Memories that are not picked, but may be quoted in words that were given before."""
        if self.old is None or set(self.old.given) <= set(self.new_words.names):
            return ()
        return tuple(sorted({*self.old.former, *self.old.memory_ids} - self.members.keys()))


class GroupKind(ABC, Generic[G, P, W]):
    """What differs between chapters, whose parts are memories, and wisdom, whose parts are chapters."""

    name: ClassVar[str]
    part: ClassVar[str]
    parts: ClassVar[str]
    ids_field: ClassVar[str]
    """The field of a question that names parts."""
    minimum_field: ClassVar[str]
    minimum: ClassVar[int]
    """Fewer parts found by the same tags would make it another group."""
    group_type: type[G]

    @abstractmethod
    def store(self, project: Project) -> Grouped[G]:
        """The stored groups."""

    @abstractmethod
    def ids_named(self, project: Project, name: str) -> list[str]:
        """The ids of parts that a full id or the end of one can mean."""

    @abstractmethod
    def get_parts(self, project: Project, ids: Sequence[str], renewed: Renewed = NOT_RENEWED) -> list[P]:
        """The parts with these ids, as far as they exist."""

    @abstractmethod
    def tagged_parts(
        self, project: Project, tags: tuple[str, ...], renewed: Renewed = NOT_RENEWED
    ) -> tuple[list[P], int]:
        """The newest `MOST_MEMBERS` parts with all the tags, oldest first, and how many there are."""

    @abstractmethod
    def members(self, project: Project, parts: Sequence[P]) -> dict[str, Memory]:
        """All memories of some parts, in the order in which a group lists them."""

    @abstractmethod
    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        """The tombstone hashes of a group of these parts."""

    @abstractmethod
    def ask_model(self, model: LanguageModel, pick: Pick[G, P]) -> ModelWords[W]:
        """The words of a language model."""

    @abstractmethod
    def draw(self, pick: Pick[G, P], similarity: Similarity | None) -> W:
        """The words drawn from the members."""

    @abstractmethod
    def span(self, part: P) -> tuple[int, int]:
        """When a part began and ended."""

    @abstractmethod
    def own_fields(self, pick: Pick[G, P]) -> dict[str, Any]:
        """Fields that only this kind of group has, besides its words."""

    @abstractmethod
    def left(
        self, project: Project, group: G, forgotten: frozenset[str]
    ) -> tuple[Sequence[P], Sequence[Memory]]:
        """The parts and the memories of a group that are left without forgotten memories.

        A damaged memory is left out: it must not keep another from being forgotten.
        """

    @abstractmethod
    def headline(self, parts: Sequence[P], memories: int) -> dict[str, Any]:
        """The texts that are quickly drawn from parts with so many memories."""


class _Chapters(GroupKind[Chapter, Memory, ChapterWords]):
    name = "chapter"
    part = "memory"
    parts = "memories"
    ids_field = "memory_ids"
    minimum_field = "min_memories"
    minimum = LEAST_MEMORIES
    group_type = Chapter

    def store(self, project: Project) -> Grouped[Chapter]:
        return project.store.chapters

    def ids_named(self, project: Project, name: str) -> list[str]:
        return project.store.memories.named(name)

    def get_parts(self, project: Project, ids: Sequence[str], renewed: Renewed = NOT_RENEWED) -> list[Memory]:  # noqa: ARG002
        return project.store.memories.get(list(ids))

    def tagged_parts(
        self,
        project: Project,
        tags: tuple[str, ...],
        renewed: Renewed = NOT_RENEWED,  # noqa: ARG002
    ) -> tuple[list[Memory], int]:
        rows, total = project.store.search.by_filters(Filters(tags=tags), MOST_MEMBERS)
        return by_time(project.store.memories.get([row[0] for row in rows])), total

    def members(self, project: Project, parts: Sequence[Memory]) -> dict[str, Memory]:  # noqa: ARG002
        return {memory.id: memory for memory in parts}

    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        return chapter_marks(ids, key, one)

    def ask_model(self, model: LanguageModel, pick: Pick[Chapter, Memory]) -> ModelWords[ChapterWords]:
        return ask_for_chapter(model, pick.parts)

    def draw(self, pick: Pick[Chapter, Memory], similarity: Similarity | None) -> ChapterWords:
        return chapter_words.draw_chapter(pick.parts, similarity)

    def span(self, part: Memory) -> tuple[int, int]:
        return part.created_at, part.created_at

    def own_fields(self, pick: Pick[Chapter, Memory]) -> dict[str, Any]:
        return {"origin": pick.origin} if pick.origin else {}

    def left(
        self, project: Project, group: Chapter, forgotten: frozenset[str]
    ) -> tuple[Sequence[Memory], Sequence[Memory]]:
        ids = [one for one in group.memory_ids if one not in forgotten]
        memories = by_time(project.store.memories.best(ids))
        return memories, memories

    def headline(self, parts: Sequence[Memory], memories: int) -> dict[str, Any]:  # noqa: ARG002
        words = msgspec.to_builtins(chapter_words.draw_headline(parts))
        return {name: words[name] for name in ("title", "summary", "topics")}


class _Wisdom(GroupKind[Wisdom, Chapter, WisdomWords]):
    name = "wisdom"
    part = "chapter"
    parts = "chapters"
    ids_field = "chapter_ids"
    minimum_field = "min_chapters"
    minimum = LEAST_CHAPTERS
    group_type = Wisdom

    def store(self, project: Project) -> Grouped[Wisdom]:
        return project.store.wisdom

    def ids_named(self, project: Project, name: str) -> list[str]:
        return project.store.chapters.named(name)

    def get_parts(
        self, project: Project, ids: Sequence[str], renewed: Renewed = NOT_RENEWED
    ) -> list[Chapter]:
        return [renewed.get(one.id, one) for one in project.store.chapters.get(list(ids))]

    def tagged_parts(
        self, project: Project, tags: tuple[str, ...], renewed: Renewed = NOT_RENEWED
    ) -> tuple[list[Chapter], int]:
        ids, total = project.store.chapters.matching(tags, Range(), MOST_MEMBERS)
        found = {one.id: one for one in project.store.chapters.get(ids)} | dict(renewed)
        fitting = (one for one in found.values() if set(tags) <= set(one.tags))
        return sorted(fitting, key=lambda one: (one.end_ts, one.id))[-MOST_MEMBERS:], total

    def members(self, project: Project, parts: Sequence[Chapter]) -> dict[str, Memory]:
        ids = sorted({one for chapter in parts for one in chapter.memory_ids})
        return {memory.id: memory for memory in project.store.memories.get(ids)}

    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        return wisdom_marks(ids, key, one)

    def ask_model(self, model: LanguageModel, pick: Pick[Wisdom, Chapter]) -> ModelWords[WisdomWords]:
        return ask_for_wisdom(model, pick.parts, pick.members)

    def draw(self, pick: Pick[Wisdom, Chapter], similarity: Similarity | None) -> WisdomWords:
        return wisdom_words.draw_wisdom(pick.parts, pick.members, similarity, pick.choice.found_by)

    def span(self, part: Chapter) -> tuple[int, int]:
        return part.start_ts, part.end_ts

    def own_fields(self, pick: Pick[Wisdom, Chapter]) -> dict[str, Any]:
        return {"sources": tuple(Source(chapter.id, chapter.version) for chapter in pick.parts)}

    def left(
        self, project: Project, group: Wisdom, forgotten: frozenset[str]
    ) -> tuple[Sequence[Chapter], Sequence[Memory]]:
        chapters = project.store.chapters.get(group.chapter_ids)
        ids = {*group.memory_ids, *(one for chapter in chapters for one in chapter.memory_ids)} - forgotten
        return chapters, project.store.memories.best(sorted(ids))

    def headline(self, parts: Sequence[Chapter], memories: int) -> dict[str, Any]:
        return {"summary": wisdom_words.draw_headline(parts, memories)}


CHAPTERS = _Chapters()
WISDOM = _Wisdom()
