"""Chapters and wisdom in and out, as lines of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.chapters.cut_forgotten import Without
from rum.app.chapters.reverify_evidence import contradictions_here, evidence_here
from rum.app.chapters.sanitise_words import CLAIMS, TEXTS, presentable
from rum.app.exchange.agents import take_author
from rum.app.project import Project
from rum.capture.tombstones import chapter_marks, wisdom_marks
from rum.model.chapters import Chapter, Member, Wisdom
from rum.model.memory import Memory
from rum.text.invisible import without_unseen

T = TypeVar("T", Chapter, Wisdom)


class ChapterLine(Struct, frozen=True, tag="chapter", tag_field="kind"):
    """A chapter."""

    chapter: Chapter

    def __post_init__(self) -> None:
        _shows_something(self.chapter)


class WisdomLine(Struct, frozen=True, tag="wisdom", tag_field="kind"):
    """Wisdom."""

    wisdom: Wisdom

    def __post_init__(self) -> None:
        _shows_something(self.wisdom)


GroupLine = ChapterLine | WisdomLine


def _shows_something(one: Chapter | Wisdom) -> None:
    """Refuse a text in which nobody sees anything."""
    texts = [getattr(one, name) for name in TEXTS if hasattr(one, name)]
    if not all(without_unseen(text).strip() for text in (*texts, *one.claims)):
        raise ValueError("a text shows nothing")


class ChapterImport(Struct, frozen=True, kw_only=True):
    """What became of chapters and wisdom: added, there already, different (kept as it was), forgotten.

    Forgotten is also what was made only of memories that are not here.
    """

    added: int = 0
    unchanged: int = 0
    different: int = 0
    forgotten: int = 0


def chapter_lines(project: Project) -> Iterator[bytes]:
    """Every chapter, then all wisdom."""
    for batch in project.store.chapters.all():
        yield from (msgspec.json.encode({"kind": "chapter", "chapter": one}) for one in batch)
    for batch in project.store.wisdom.all():
        yield from (msgspec.json.encode({"kind": "wisdom", "wisdom": one}) for one in batch)


class ChaptersTaken:
    """An import under way: what came of its chapters and wisdom so far.

    `alike` are the memories that are here as the export has them.
    """

    def __init__(self, project: Project, alike: Mapping[str, int]) -> None:
        self._project = project
        self._alike = alike
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
        """What comes from outside as this project would keep it: without secrets, within limits, its own."""
        clean = msgspec.convert(presentable(self._project, msgspec.to_builtins(one)), type(one))
        return replace(
            clean,
            project_id=self._project.location.id,
            given=tuple(name for name in (*TEXTS, *CLAIMS) if name in clean.given and hasattr(clean, name)),
            members=tuple({member.memory_id: member for member in clean.members}.values()),
            imported_at=None,
            stale=(),
        )

    def _chapter(self, chapter: Chapter) -> str:
        """Keep a chapter that is neither here nor forgotten; without memories that are not here."""
        kept, memories = self._project.store.chapters, self._project.store.memories
        left = memories.get(chapter.memory_ids)
        if known := kept.get([chapter.id]):
            if _is(known[0], chapter, self._traced(chapter, left)):
                return "unchanged"
            self._other.add(chapter.id)
            return "different"
        marks = chapter_marks(chapter.memory_ids, self._project.tombstone_key, chapter.id)
        if memories.buried(marks) or not left:
            return "forgotten"
        take_author(self._project, chapter.agent_id, chapter.created_at)
        chapter = self._traced(chapter, left)
        if missing := self._missing(chapter):
            self._other.add(chapter.id)
            chapter = Without(self._project, missing, None).chapter(chapter) or chapter
        kept.put(replace(chapter, imported_at=self._project.now()))
        return "added"

    def _wisdom(self, wisdom: Wisdom) -> str:
        """Keep wisdom that is neither here nor forgotten; without what its chapters do not say here."""
        kept = self._project.store.wisdom
        left = self._project.store.chapters.get(wisdom.chapter_ids)
        wisdom = replace(wisdom, members=self._underneath(wisdom, left))
        memories = self._project.store.memories.get(wisdom.memory_ids)
        if known := kept.get([wisdom.id]):
            return "unchanged" if _is(known[0], wisdom, self._traced(wisdom, memories)) else "different"
        marks = wisdom_marks(wisdom.chapter_ids, self._project.tombstone_key, wisdom.id)
        if self._project.store.memories.buried(marks) or not left:
            return "forgotten"
        take_author(self._project, wisdom.agent_id, wisdom.created_at)
        wisdom = self._traced(wisdom, memories)
        missing = self._missing(wisdom)
        if missing or len(left) < len(wisdom.sources) or not self._other.isdisjoint(wisdom.chapter_ids):
            wisdom = Without(self._project, missing, None).wisdom(wisdom) or wisdom
        kept.put(replace(wisdom, imported_at=self._project.now()))
        return "added"

    def _underneath(self, wisdom: Wisdom, chapters: list[Chapter]) -> tuple[Member, ...]:
        """The memories of wisdom, sorted; an earlier RUM did not say how they were, nor which."""
        said = wisdom.members or [Member(one, 0) for chapter in chapters for one in chapter.memory_ids]
        return tuple(sorted(dict.fromkeys(said), key=lambda member: member.memory_id))

    def _traced(self, one: T, memories: list[Memory]) -> T:
        """The same with evidence that the memories here bear out; those that are other here are marked."""
        alike = all(member.memory_id in self._alike for member in one.members)
        members = (
            member if member.memory_id in self._alike else replace(member, version=0)
            for member in one.members
        )
        known = {memory.id: memory for memory in memories}
        new = replace(one, members=tuple(members), evidence=evidence_here(one, known, trusted=alike))
        if isinstance(new, Wisdom):
            return replace(new, contradictions=contradictions_here(new, known))
        return new

    def _missing(self, one: Chapter | Wisdom) -> list[str]:
        """Memories that it was made of, or some words of it, and that are not here."""
        ids = [*one.memory_ids, *one.former]
        known = self._project.store.memories.states(ids)
        return [memory_id for memory_id in ids if memory_id not in known]


def _is(known: T, *others: T) -> bool:
    return replace(known, imported_at=None) in others
