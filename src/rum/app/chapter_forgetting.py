"""Forgetting chapters and wisdom; and keeping nothing in them of a memory that is forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from rum.app import chapter_reading, chapter_writing, wisdom_reading, wisdom_writing
from rum.app.context import Context
from rum.app.forgettable import Counts
from rum.app.rewording import Terms, chapter_of, said_terms, terms_of, wisdom_of
from rum.capture.tombstones import chapter_marks, wisdom_marks
from rum.model.memory import Memory
from rum.model.wisdom import Wisdom


def without_memory(context: Context, ever: Sequence[Memory]) -> None:
    """Take a memory, which is gone already, out of everything that was built on it.

    `ever` is the memory as it was last, and all that it said before.
    """
    memory_id, gone = ever[0].id, terms_of(ever)
    chapters = context.store.chapters.get(list(context.store.chapters.holding([memory_id])))
    built = context.store.wisdom.holding(chapter.id for chapter in chapters)
    for chapter in chapters:
        left = context.store.memories.get([one for one in chapter.memory_ids if one != memory_id])
        if left:
            context.store.chapters.put(chapter_of(context, chapter, left, gone))
        else:
            context.store.chapters.delete(chapter.id)
    for wisdom in context.store.wisdom.get(list(built)):
        _cut_wisdom(context, wisdom, gone)


def _cut_wisdom(context: Context, wisdom: Wisdom, gone: Terms) -> None:
    """Word wisdom anew from the chapters that are left; without any it goes too."""
    chapters = context.store.chapters.get(wisdom.chapter_ids)
    if chapters:
        context.store.wisdom.put(wisdom_of(context, wisdom, chapters, gone))
    else:
        context.store.wisdom.delete(wisdom.id)


def _chapter_held(context: Context, chapter_id: str) -> Counts:
    chapter = chapter_reading.known(context, chapter_id)
    chapter_writing.may_change(context, chapter)
    return {"chapters": 1, "members": len(chapter.members)}


def _chapter_removed(context: Context, chapter_id: str) -> Counts:
    removed = _chapter_held(context, chapter_id)
    chapter = chapter_reading.known(context, chapter_id)
    marks = chapter_marks(chapter.memory_ids, context.tombstone_key, chapter.id)
    context.store.memories.bury(marks, "chapter", context.now())
    built = context.store.wisdom.get(list(context.store.wisdom.holding([chapter.id])))
    context.store.chapters.delete(chapter.id)
    for wisdom in built:
        _cut_wisdom(context, wisdom, said_terms([chapter]))
    return removed


def _wisdom_held(context: Context, wisdom_id: str) -> Counts:
    wisdom = wisdom_reading.known(context, wisdom_id)
    wisdom_writing.may_change(context, wisdom)
    return {"wisdom": 1, "sources": len(wisdom.sources)}


def _wisdom_removed(context: Context, wisdom_id: str) -> Counts:
    removed = _wisdom_held(context, wisdom_id)
    wisdom = wisdom_reading.known(context, wisdom_id)
    marks = wisdom_marks(wisdom.chapter_ids, context.tombstone_key, wisdom.id)
    context.store.memories.bury(marks, "wisdom", context.now())
    context.store.wisdom.delete(wisdom.id)
    return removed


HELD = {"chapter": _chapter_held, "wisdom": _wisdom_held}
REMOVED = {"chapter": _chapter_removed, "wisdom": _wisdom_removed}
"""What hangs on each, and how it goes; as in a `Kind`."""
