"""Whether chapters and wisdom still say what their members say: found out when they are looked at.

Each remembers the versions of what it was made of, so that storing or changing a memory costs nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from rum.app.project import Project
from rum.model.chapters import Chapter, Member, Wisdom
from rum.store.base import State

MOST_REASONS = 5
"""Reasons that are told; of the others only how many there are."""
States = Mapping[str, State]


def judged(project: Project, chapters: Sequence[Chapter]) -> list[Chapter]:
    """Chapters, each with the reasons why it needs renewal."""
    return _judged(chapters, _states(project, chapters))


def _judged(chapters: Sequence[Chapter], states: States) -> list[Chapter]:
    return [replace(chapter, stale=_told(_of_chapter(chapter, states))) for chapter in chapters]


def _states(project: Project, *built: Sequence[Chapter | Wisdom]) -> States:
    ids = {one for each in built for group in each for one in group.memory_ids}
    return project.store.memories.states(sorted(ids))


def _of_chapter(chapter: Chapter, states: States) -> Iterable[str]:
    if chapter.forgotten:
        yield _lost(chapter.forgotten, "memory", "memories")
    for member in chapter.members:
        yield from _of_member(member, states.get(member.memory_id))


def _of_member(member: Member, state: State | None) -> Iterable[str]:
    if state is None:
        yield f"{member.memory_id} is gone"
        return
    if not member.version:
        yield f"{member.memory_id} may say something else here"
    elif state.version != member.version:
        yield f"{member.memory_id} was changed"
    if state.superseded_by and not member.superseded:
        yield f"{member.memory_id} was superseded by {', '.join(state.superseded_by)}"
    if member.superseded and not state.superseded_by:
        yield f"{member.memory_id} is no longer superseded"


def judged_wisdom(
    project: Project, wisdom: Sequence[Wisdom], renewed: Mapping[str, Chapter] | None = None
) -> list[Wisdom]:
    """Wisdom, each with the reasons why it needs renewal, those of its chapters among them.

    `renewed` are chapters as they would be after a renewal, by id.
    """
    ids = sorted({one for each in wisdom for one in each.chapter_ids})
    chapters = [(renewed or {}).get(one.id, one) for one in project.store.chapters.get(ids)]
    states = _states(project, chapters, wisdom)
    known = {one.id: one for one in _judged(chapters, states)}
    return [replace(one, stale=_told(_of_wisdom(one, known, states))) for one in wisdom]


def _of_wisdom(wisdom: Wisdom, chapters: Mapping[str, Chapter], states: States) -> Iterable[str]:
    """The reasons; of a memory only where no chapter that it is in has told one."""
    if wisdom.forgotten:
        yield _lost(wisdom.forgotten, "memory or chapter", "memories or chapters")
    told: set[str] = set()
    for source in wisdom.sources:
        chapter = chapters.get(source.chapter_id)
        if chapter is None:
            yield f"{source.chapter_id} is gone"
        elif chapter.version != source.version:
            yield f"{chapter.id} was renewed"
            told.update(chapter.memory_ids)
        elif chapter.stale:
            yield f"{chapter.id} is stale: {chapter.stale[0]}"
            told.update(chapter.memory_ids)
    for member in wisdom.members:
        if member.memory_id not in told:
            yield from _of_member(member, states.get(member.memory_id))


def _told(reasons: Iterable[str]) -> tuple[str, ...]:
    found = list(reasons)
    more = len(found) - MOST_REASONS
    return (*found[:MOST_REASONS], f"and {more} more") if more > 0 else tuple(found)


def _lost(count: int, one: str, several: str) -> str:
    return f"1 {one} was forgotten" if count == 1 else f"{count} {several} were forgotten"
