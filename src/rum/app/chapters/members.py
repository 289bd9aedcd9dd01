"""Which memories make a chapter, and which chapters make wisdom: by their ids, or by the tags they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rum.app.caller import Caller
from rum.app.memories.hints import unknown_tags
from rum.app.project import Project
from rum.model.chapter_answers import CreateChapterQuestion, SynthesizeQuestion
from rum.model.chapters import MOST_MEMBERS, Chapter
from rum.model.errors import InvalidQuery
from rum.model.memory import Memory
from rum.store.chapters import Range
from rum.store.filters import Filters


class Tagged(NamedTuple):
    """Tags that found something, tags that were handed in beside ids, and what to know about it."""

    found_by: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    note: str | None = None


def picked_memories(caller: Caller, question: CreateChapterQuestion) -> tuple[list[Memory], Tagged]:
    """The memories that are meant: as named, or those with all the tags in the order of time."""
    tags, spell = _tags(caller.project, question.tags), caller.spell
    if question.memory_ids:
        return _named_memories(caller.project, question.memory_ids), Tagged(own=tags)
    if not tags:
        by = f"`{spell('memory_ids')}`), or the tags that all of them have (`{spell('tags')}`"
        raise InvalidQuery(f"Name the memories ({by}).", field="memory_ids")
    members, total = tagged_memories(caller.project, tags)
    if total < question.min_memories:
        instead = "".join(f" Try {one}." for one in unknown_tags(caller.project.store.search, tags))
        raise InvalidQuery(
            f"{counted(total, 'memory', 'memories')} with {all_of(tags)}; a chapter needs "
            f"{question.min_memories}. Take fewer or other tags, or a lower "
            f"`{spell('min_memories')}`.{instead}",
            field="tags",
            count=total,
            min_memories=question.min_memories,
        )
    left = f"Of {total} memories the newest {MOST_MEMBERS} were taken." if total > MOST_MEMBERS else None
    return members, Tagged(found_by=tags, note=left)


def _named_memories(project: Project, names: Sequence[str]) -> list[Memory]:
    ids = [project.one("memory", name, project.store.memories.named(name)) for name in names]
    return project.store.memories.get(list(dict.fromkeys(ids)))


def tagged_memories(project: Project, tags: tuple[str, ...]) -> tuple[list[Memory], int]:
    """The memories with all the tags, the newest if there are very many, in the order of time; how many."""
    rows, total = project.store.search.by_filters(Filters(tags=tags), MOST_MEMBERS)
    memories = project.store.memories.get([row[0] for row in rows])
    return sorted(memories, key=lambda memory: (memory.created_at, memory.id)), total


def picked_chapters(caller: Caller, question: SynthesizeQuestion) -> tuple[list[Chapter], Tagged]:
    """The chapters that are meant: as named, or those with all the tags in the order of time."""
    tags, spell = _tags(caller.project, question.tags), caller.spell
    if not question.chapter_ids and not tags:
        by = f"`{spell('chapter_ids')}`), or the tags that all of them have (`{spell('tags')}`"
        raise InvalidQuery(f"Name the chapters ({by}).", field="chapter_ids")
    if question.chapter_ids:
        kept = caller.project.store.chapters
        ids = [caller.project.one("chapter", name, kept.named(name)) for name in question.chapter_ids]
        chapters, total = kept.get(list(dict.fromkeys(ids))), len(set(ids))
        what = "named"
    else:
        chapters, total = tagged_chapters(caller.project, tags)
        what = f"with {all_of(tags)}"
    if total < question.min_chapters:
        raise InvalidQuery(
            f"{counted(total, 'chapter', 'chapters')} {what}; wisdom needs {question.min_chapters}. "
            f"Make more, or give a lower `{spell('min_chapters')}`.",
            field="chapter_ids" if question.chapter_ids else "tags",
            count=total,
            min_chapters=question.min_chapters,
        )
    return chapters, Tagged(own=tags) if question.chapter_ids else Tagged(found_by=tags)


def tagged_chapters(
    project: Project, tags: tuple[str, ...], renewed: Mapping[str, Chapter] | None = None
) -> tuple[list[Chapter], int]:
    """The chapters with all the tags, oldest first, and how many there are.

    `renewed` are chapters as they would be after a renewal, by id.
    """
    ids, total = project.store.chapters.matching(tags, Range(), MOST_MEMBERS)
    found = {one.id: one for one in project.store.chapters.get(ids)} | dict(renewed or {})
    fitting = (one for one in found.values() if set(tags) <= set(one.tags))
    return sorted(fitting, key=lambda one: (one.end_ts, one.id))[-MOST_MEMBERS:], total


def _tags(project: Project, given: Sequence[str]) -> tuple[str, ...]:
    clean: list[str] = project.clean({"tags": list(given)})["tags"]
    return tuple(sorted({tag for tag in clean if tag.strip()}))


def all_of(tags: Sequence[str]) -> str:
    """What all of something have."""
    return f"the tag {tags[0]}" if len(tags) == 1 else f"all the tags {', '.join(tags)}"


def counted(number: int, one: str, several: str) -> str:
    """That there are so few."""
    if not number:
        return f"There are no {several}"
    return f"There is only 1 {one}" if number == 1 else f"There are only {number} {several}"
