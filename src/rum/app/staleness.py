"""Whether chapters and wisdom still say what their members say: found out when they are looked at.

Each remembers the versions of what it was made of, so that storing or changing a memory costs nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from rum.app.context import Context
from rum.model.chapter import Chapter, Member
from rum.model.wisdom import Wisdom
from rum.store.base import State


def judged(context: Context, chapters: Sequence[Chapter]) -> list[Chapter]:
    """Chapters, each with the reasons why it needs renewal."""
    states = context.store.memories.states(
        sorted({one for chapter in chapters for one in chapter.memory_ids})
    )
    return [replace(chapter, stale=tuple(_of_chapter(chapter, states))) for chapter in chapters]


def _of_chapter(chapter: Chapter, states: dict[str, State]) -> Iterable[str]:
    if chapter.forgotten:
        yield _lost(chapter.forgotten, "memory", "memories")
    for member in chapter.members:
        yield from _of_member(member, states.get(member.memory_id))


def _of_member(member: Member, state: State | None) -> Iterable[str]:
    if state is None:
        yield f"{member.memory_id} is gone"
        return
    if state.version != member.version:
        yield f"{member.memory_id} was changed"
    if state.superseded_by and not member.superseded:
        yield f"{member.memory_id} was superseded by {', '.join(state.superseded_by)}"
    if member.superseded and not state.superseded_by:
        yield f"{member.memory_id} is no longer superseded"


def judged_wisdom(context: Context, wisdom: Sequence[Wisdom]) -> list[Wisdom]:
    """Wisdom, each with the reasons why it needs renewal, those of its chapters among them."""
    ids = sorted({one for each in wisdom for one in each.chapter_ids})
    chapters = {one.id: one for one in judged(context, context.store.chapters.get(ids))}
    return [replace(one, stale=tuple(_of_wisdom(one, chapters))) for one in wisdom]


def _of_wisdom(wisdom: Wisdom, chapters: dict[str, Chapter]) -> Iterable[str]:
    if wisdom.forgotten:
        yield _lost(wisdom.forgotten, "memory or chapter", "memories or chapters")
    for source in wisdom.sources:
        chapter = chapters.get(source.chapter_id)
        if chapter is None:
            yield f"{source.chapter_id} is gone"
        elif chapter.version != source.version:
            yield f"{chapter.id} was renewed"
        elif chapter.stale:
            yield f"{chapter.id} is stale: {chapter.stale[0]}"


def _lost(count: int, one: str, several: str) -> str:
    return f"1 {one} was forgotten" if count == 1 else f"{count} {several} were forgotten"
