"""Suggested chapters: groups of memories that look like one story; made automatically only if that is set."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from rum.app.caller import Caller
from rum.app.chapters.kinds import CHAPTERS, Pick
from rum.app.chapters.make import is_forgotten, write_group
from rum.app.project import Project
from rum.capture.tombstones import member_marks
from rum.consolidate.suggest.groups import Suggestion, suggest
from rum.model.chapters import Chapter, Origin
from rum.model.errors import InvalidQuery
from rum.model.memory import Memory

DEFAULT_LIMIT = 10
AT_ONCE = 20
"""Chapters that are made automatically in one go."""
SURE = 0.5
"""The sureness from which on a chapter is made automatically."""


def suggestions(project: Project, most: int = DEFAULT_LIMIT) -> list[Suggestion]:
    """Groups that look like one story, surest first, without those that are or were a chapter."""
    if not isinstance(most, int) or most < 1:  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
        raise InvalidQuery(f"`limit` must be a number from 1 on, not {most!r}.", field="limit")
    chapters = [one.memory_ids for batch in project.store.chapters.all() for one in batch]
    edges = [edge for edge, _ in project.store.links.all()]
    found = suggest(_memories(project), edges, most=sys.maxsize, chapters=chapters)
    return list(islice((one for one in found if not _was_forgotten(project, one.memory_ids)), most))


def _memories(project: Project) -> Iterator[Memory]:
    for batch in project.store.memories.in_time_order():
        yield from batch


def _was_forgotten(project: Project, ids: Sequence[str]) -> bool:
    """Whether more than half of a group were members of chapters that were forgotten."""
    forgotten = project.store.memories.buried(member_marks(ids, project.tombstone_key))
    return 2 * len(forgotten) > len(ids) or is_forgotten(project, CHAPTERS, ids)


def make_chapters(caller: Caller) -> int:
    """Make chapters of the surest suggestions, their words drawn from the members; how many."""
    sure = (one for one in suggestions(caller.project, AT_ONCE) if one.sureness >= SURE)
    return sum(_make_chapter(caller, one) for one in sure)


def _make_chapter(caller: Caller, suggestion: Suggestion) -> bool:
    memories = CHAPTERS.get_parts(caller.project, suggestion.memory_ids)
    if len(memories) < len(suggestion.memory_ids):
        return False
    members = CHAPTERS.members(caller.project, memories)
    pick = Pick[Chapter, Memory](memories, members, origin=Origin.AUTO)
    return write_group(caller, CHAPTERS, pick, ask=False).created
