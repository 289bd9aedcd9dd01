"""Which memories make a chapter, and which chapters make wisdom: by their ids, or by the tags they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rum.app.context import Context
from rum.model.chapter import Chapter
from rum.model.chapter_answers import MOST_MEMBERS, CreateChapterQuestion
from rum.model.errors import InvalidQuery
from rum.model.memory import Memory
from rum.model.wisdom_answers import SynthesizeQuestion
from rum.store.chapters import Range
from rum.store.filters import Filters


class Tagged(NamedTuple):
    """Tags that found something, tags that were handed in beside ids, and what to know about it."""

    found_by: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    note: str | None = None


def picked_memories(context: Context, question: CreateChapterQuestion) -> tuple[list[Memory], Tagged]:
    """The memories that are meant: as named, or those with all the tags in the order of time."""
    tags = _tags(context, question.tags)
    if question.memory_ids:
        return _named_memories(context, question.memory_ids), Tagged(own=tags)
    if not tags:
        raise InvalidQuery(
            "create_chapter: name the memories (`memory_ids`), or the tags that all of them have (`tags`).",
            field="memory_ids",
        )
    members, total = tagged_memories(context, tags)
    if total < question.min_memories:
        raise InvalidQuery(
            f"{_counted(total, 'memory', 'memories')} with {_all_of(tags)}; a chapter needs "
            f"{question.min_memories}. Take fewer or other tags, or a lower `min_memories`.",
            field="tags",
            count=total,
            min_memories=question.min_memories,
        )
    left = f"Of {total} memories the newest {MOST_MEMBERS} were taken." if total > MOST_MEMBERS else None
    return members, Tagged(found_by=tags, note=left)


def _named_memories(context: Context, names: Sequence[str]) -> list[Memory]:
    ids = [context.one("memory", name, context.store.memories.named(name)) for name in names]
    return context.store.memories.get(list(dict.fromkeys(ids)))


def tagged_memories(context: Context, tags: tuple[str, ...]) -> tuple[list[Memory], int]:
    """The memories with all the tags, the newest if there are very many, in the order of time; how many."""
    rows, total = context.store.search.by_filters(Filters(tags=tags), MOST_MEMBERS)
    memories = context.store.memories.get([row[0] for row in rows])
    return sorted(memories, key=lambda memory: (memory.created_at, memory.id)), total


def picked_chapters(context: Context, question: SynthesizeQuestion) -> tuple[list[Chapter], Tagged]:
    """The chapters that are meant: as named, or those with all the tags in the order of time."""
    tags = _tags(context, question.tags)
    if not question.chapter_ids and not tags:
        raise InvalidQuery(
            "synthesize: name the chapters (`chapter_ids`), or the tags that all of them have (`tags`).",
            field="chapter_ids",
        )
    if question.chapter_ids:
        kept = context.store.chapters
        ids = [context.one("chapter", name, kept.named(name)) for name in question.chapter_ids]
        chapters, total = kept.get(list(dict.fromkeys(ids))), len(set(ids))
        what = "named"
    else:
        chapters, total = tagged_chapters(context, tags)
        what = f"with {_all_of(tags)}"
    if total < question.min_chapters:
        raise InvalidQuery(
            f"{_counted(total, 'chapter', 'chapters')} {what}; wisdom needs {question.min_chapters}. "
            "Make more with create_chapter, or give a lower `min_chapters`.",
            field="chapter_ids" if question.chapter_ids else "tags",
            count=total,
            min_chapters=question.min_chapters,
        )
    return chapters, Tagged(own=tags) if question.chapter_ids else Tagged(found_by=tags)


def tagged_chapters(context: Context, tags: tuple[str, ...]) -> tuple[list[Chapter], int]:
    """The chapters with all the tags, oldest first, and how many there are."""
    ids, total = context.store.chapters.matching(tags, Range(), MOST_MEMBERS)
    return list(reversed(context.store.chapters.get(ids))), total


def _tags(context: Context, given: Sequence[str]) -> tuple[str, ...]:
    clean: list[str] = context.clean({"tags": list(given)})["tags"]
    return tuple(sorted({tag for tag in clean if tag.strip()}))


def _all_of(tags: Sequence[str]) -> str:
    return f"the tag {tags[0]}" if len(tags) == 1 else f"all the tags {', '.join(tags)}"


def _counted(number: int, one: str, several: str) -> str:
    if not number:
        return f"There are no {several}"
    return f"There is only 1 {one}" if number == 1 else f"There are only {number} {several}"
