"""Forgetting chapters and wisdom; and keeping nothing in them of a memory that is forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from rum.app.caller import Caller
from rum.app.chapters import read_chapters, read_wisdom
from rum.app.chapters.cut_forgotten import Without, said_terms, terms_of
from rum.app.chapters.make_chapter import CHAPTERS
from rum.app.chapters.make_wisdom import WISDOM
from rum.app.chapters.write_group import may_change
from rum.app.memories.forgettable import Counts
from rum.app.project import Project
from rum.capture.tombstones import chapter_marks, member_marks, wisdom_marks
from rum.model.memory import Memory


def without_memory(project: Project, ever: Sequence[Memory]) -> None:
    """Take a memory, which is gone already, out of everything that was built on it.

    `ever` is the memory as it was last, and all that it said before.
    """
    memory_id, chapters = ever[0].id, project.store.chapters
    cut = Without(project, [memory_id], terms_of(ever))
    built = chapters.resting_on([memory_id])
    wisdom = {*project.store.wisdom.resting_on([memory_id]), *project.store.wisdom.holding(built)}
    for chapter in chapters.get(built):
        if left := cut.chapter(chapter):
            chapters.put(left)
        else:
            chapters.delete(chapter.id)
    _cut_wisdom(project, sorted(wisdom), cut)


def _cut_wisdom(project: Project, ids: Sequence[str], cut: Without) -> None:
    kept = project.store.wisdom
    for wisdom in kept.get(ids):
        if left := cut.wisdom(wisdom):
            kept.put(left)
        else:
            kept.delete(wisdom.id)


def _chapter_held(caller: Caller, chapter_id: str) -> Counts:
    chapter = read_chapters.known(caller.project, chapter_id)
    may_change(caller, CHAPTERS, chapter)
    return {"chapters": 1, "members": len(chapter.members)}


def _chapter_removed(caller: Caller, chapter_id: str) -> Counts:
    removed = _chapter_held(caller, chapter_id)
    chapter = read_chapters.known(caller.project, chapter_id)
    key, ids = caller.project.tombstone_key, chapter.memory_ids
    marks = [*chapter_marks(ids, key, chapter.id), *member_marks(ids, key)]
    caller.project.store.memories.bury(marks, "chapter", caller.project.now())
    built = caller.project.store.wisdom.get(list(caller.project.store.wisdom.holding([chapter.id])))
    caller.project.store.chapters.delete(chapter.id)
    for wisdom in built:
        others = caller.project.store.chapters.get(wisdom.chapter_ids)
        underneath = {one for other in others for one in other.memory_ids}
        cut = Without(caller.project, set(ids) - underneath, said_terms([chapter]))
        _cut_wisdom(caller.project, [wisdom.id], cut)
    return removed


def _wisdom_held(caller: Caller, wisdom_id: str) -> Counts:
    wisdom = read_wisdom.known(caller.project, wisdom_id)
    may_change(caller, WISDOM, wisdom)
    return {"wisdom": 1, "sources": len(wisdom.sources)}


def _wisdom_removed(caller: Caller, wisdom_id: str) -> Counts:
    removed = _wisdom_held(caller, wisdom_id)
    wisdom = read_wisdom.known(caller.project, wisdom_id)
    marks = wisdom_marks(wisdom.chapter_ids, caller.project.tombstone_key, wisdom.id)
    caller.project.store.memories.bury(marks, "wisdom", caller.project.now())
    caller.project.store.wisdom.delete(wisdom.id)
    return removed


HELD = {"chapter": _chapter_held, "wisdom": _wisdom_held}
REMOVED = {"chapter": _chapter_removed, "wisdom": _wisdom_removed}
"""What hangs on each, and how it goes; as in a `Kind`."""
