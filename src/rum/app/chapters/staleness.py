"""Whether chapters and wisdom need a refresh, found by looking at their members.

Each group stores the versions of its parts, so that storing or changing a memory costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from rum.app.project import Project
from rum.model.chapters import Chapter, Group, Wisdom
from rum.model.memory import Memory
from rum.store.base import ReadMode

MAX_REASONS = 5  # Reasons that are listed; the others are only counted

G = TypeVar("G", bound=Group)


def with_staleness(
    project: Project, groups: Sequence[G], refreshed: Mapping[str, Chapter] | None = None
) -> list[G]:
    """Groups, each with the reasons why it needs a refresh; wisdom also has those of its chapters.

    `refreshed` are chapters as they would be after a refresh, by id.
    """
    ids = sorted({one for group in groups if isinstance(group, Wisdom) for one in group.chapter_ids})
    chapters = [(refreshed or {}).get(one.id, one) for one in project.store.chapters.get(ids)]
    memory_ids = {one for group in (*chapters, *groups) for one in group.memory_ids}
    headlines = project.store.memories.get(sorted(memory_ids), ReadMode.HEADLINE)
    memories = {memory.id: memory for memory in headlines}
    stale = {one.id: replace(one, stale=_limited(_reasons(one, {}, memories))) for one in chapters}
    return [replace(one, stale=_limited(_reasons(one, stale, memories))) for one in groups]


def _reasons(group: Group, chapters: Mapping[str, Chapter], memories: Mapping[str, Memory]) -> Iterable[str]:
    """The reasons for a refresh; those of a memory only if none of its chapters has one."""
    covered: set[str] = set()
    is_wisdom = isinstance(group, Wisdom)
    if group.forgotten:
        one, several = ("memory or chapter", "memories or chapters") if is_wisdom else ("memory", "memories")
        count = group.forgotten
        yield f"1 {one} was forgotten" if count == 1 else f"{count} {several} were forgotten"
    for source in group.sources if is_wisdom else ():
        chapter = chapters.get(source.chapter_id)
        if chapter is None:
            yield f"{source.chapter_id} is gone"
        elif chapter.version != source.version:
            yield f"{chapter.id} was refreshed"
            covered.update(chapter.memory_ids)
        elif chapter.stale:
            yield f"{chapter.id} is stale: {chapter.stale[0]}"
            covered.update(chapter.memory_ids)
    for member in group.members:
        memory = memories.get(member.memory_id)
        if member.memory_id in covered:
            continue
        if memory is None:
            yield f"{member.memory_id} is gone"
            continue
        if not member.version:
            yield f"{member.memory_id} may say something else here"
        elif memory.version != member.version:
            yield f"{member.memory_id} was changed"
        if memory.superseded_by and not member.superseded:
            yield f"{member.memory_id} was superseded by {', '.join(memory.superseded_by)}"
        if member.superseded and not memory.superseded_by:
            yield f"{member.memory_id} is no longer superseded"


def _limited(reasons: Iterable[str]) -> tuple[str, ...]:
    found = list(reasons)
    more = len(found) - MAX_REASONS
    return (*found[:MAX_REASONS], f"and {more} more") if more > 0 else tuple(found)
