"""Chapters and wisdom in and out, as lines of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.context import Context
from rum.app.exchange_agents import take_author
from rum.app.rewording import chapter_of, wisdom_of
from rum.capture.tombstones import chapter_marks, wisdom_marks
from rum.model.chapter import Chapter
from rum.model.wisdom import Wisdom

T = TypeVar("T", Chapter, Wisdom)


class ChapterLine(Struct, frozen=True, tag="chapter", tag_field="kind"):
    """A chapter."""

    chapter: Chapter


class WisdomLine(Struct, frozen=True, tag="wisdom", tag_field="kind"):
    """Wisdom."""

    wisdom: Wisdom


GroupLine = ChapterLine | WisdomLine


class ChapterImport(Struct, frozen=True, kw_only=True):
    """What became of chapters and wisdom: added, there already, different (kept as it was), forgotten.

    Forgotten is also what was made only of memories that are not here.
    """

    added: int = 0
    unchanged: int = 0
    different: int = 0
    forgotten: int = 0


def chapter_lines(context: Context) -> Iterator[bytes]:
    """Every chapter, then all wisdom."""
    for batch in context.store.chapters.all():
        yield from (msgspec.json.encode(ChapterLine(one)) for one in batch)
    for batch in context.store.wisdom.all():
        yield from (msgspec.json.encode(WisdomLine(one)) for one in batch)


class ChaptersTaken:
    """An import under way: what came of its chapters and wisdom so far."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._counts: Counter[str] = Counter()
        self._other: set[str] = set()
        """Chapters that are not here as the export has them."""

    def result(self) -> ChapterImport | None:
        """What came of it; None if it was about nothing."""
        return ChapterImport(**self._counts) if self._counts else None

    def take(self, line: GroupLine) -> None:
        """Keep what a line says, in a transaction of the caller's."""
        if isinstance(line, ChapterLine):
            self._counts[self._chapter(self._here(line.chapter))] += 1
        else:
            self._counts[self._wisdom(self._here(line.wisdom))] += 1

    def _here(self, one: T) -> T:
        """What comes from outside as this project would keep it: without secrets, and its own."""
        clean = msgspec.convert(self._context.clean(msgspec.to_builtins(one)), type(one))
        return replace(clean, project_id=self._context.project.id, imported_at=None, stale=())

    def _chapter(self, chapter: Chapter) -> str:
        """Keep a chapter that is neither here nor forgotten; without memories that are not here."""
        kept, memories = self._context.store.chapters, self._context.store.memories
        if known := kept.get([chapter.id]):
            if replace(known[0], imported_at=None) == chapter:
                return "unchanged"
            self._other.add(chapter.id)
            return "different"
        marks = chapter_marks(chapter.memory_ids, self._context.tombstone_key, chapter.id)
        left = memories.get(chapter.memory_ids)
        if memories.buried(marks) or not left:
            return "forgotten"
        take_author(self._context, chapter.agent_id, chapter.created_at)
        if len(left) < len(chapter.members):
            self._other.add(chapter.id)
            chapter = chapter_of(self._context, chapter, left)
        kept.put(replace(chapter, imported_at=self._context.now()))
        return "added"

    def _wisdom(self, wisdom: Wisdom) -> str:
        """Keep wisdom that is neither here nor forgotten; without what its chapters do not say here."""
        kept = self._context.store.wisdom
        if known := kept.get([wisdom.id]):
            return "unchanged" if replace(known[0], imported_at=None) == wisdom else "different"
        marks = wisdom_marks(wisdom.chapter_ids, self._context.tombstone_key, wisdom.id)
        left = self._context.store.chapters.get(wisdom.chapter_ids)
        if self._context.store.memories.buried(marks) or not left:
            return "forgotten"
        take_author(self._context, wisdom.agent_id, wisdom.created_at)
        if len(left) < len(wisdom.sources) or not self._other.isdisjoint(wisdom.chapter_ids):
            wisdom = wisdom_of(self._context, wisdom, left)
        kept.put(replace(wisdom, imported_at=self._context.now()))
        return "added"
