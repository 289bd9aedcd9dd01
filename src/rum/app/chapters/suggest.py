"""Groups of memories that could be chapters: shown when asked for, made of themselves only if that is set."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from rum.app.caller import Caller
from rum.app.chapters.make_chapter import CHAPTERS, ChapterPick
from rum.app.chapters.write_group import is_forgotten, keep
from rum.app.project import Project
from rum.capture.tombstones import member_marks
from rum.consolidate.suggest.groups import Suggestion, suggest
from rum.model.chapters import Origin
from rum.model.errors import InvalidQuery
from rum.model.memory import Memory

USUAL = 10
"""How many groups are shown when nobody says."""
AT_ONCE = 20
"""How many chapters are made by themselves in one go."""
SURE = 0.5
"""How sure it must be that a group is one story for a chapter to be made of it without being asked for."""


def suggestions(project: Project, most: int = USUAL) -> list[Suggestion]:
    """Groups that look like one story, surest first; none that a chapter tells already, or one did once."""
    if not isinstance(most, int) or most < 1:  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
        raise InvalidQuery(f"`limit` must be a number from 1 on, not {most!r}.", field="limit")
    chapters = [one.memory_ids for batch in project.store.chapters.all() for one in batch]
    edges = [edge for edge, _ in project.store.links.all()]
    found = suggest(_memories(project), edges, most=sys.maxsize, chapters=chapters)
    return list(islice((one for one in found if not _was_told(project, one.memory_ids)), most))


def _memories(project: Project) -> Iterator[Memory]:
    for batch in project.store.memories.in_time_order():
        yield from batch


def _was_told(project: Project, ids: Sequence[str]) -> bool:
    """Whether more than half of a group were members of chapters that were forgotten."""
    told = project.store.memories.buried(member_marks(ids, project.tombstone_key))
    return 2 * len(told) > len(ids) or is_forgotten(project, CHAPTERS, ids)


def make_chapters(caller: Caller) -> int:
    """Make chapters of the surest suggestions, their words drawn from the members; how many."""
    sure = (one for one in suggestions(caller.project, AT_ONCE) if one.sureness >= SURE)
    return sum(_made(caller, one) for one in sure)


def _made(caller: Caller, suggestion: Suggestion) -> bool:
    members = caller.project.store.memories.get(suggestion.memory_ids)
    if len(members) < len(suggestion.memory_ids):
        return False
    underneath = CHAPTERS.members(caller, members)
    return keep(caller, CHAPTERS, ChapterPick(members, underneath, origin=Origin.AUTO), ask=False).created
