"""Groups of memories that could be chapters: shown when asked for, made of themselves only if that is set."""

from __future__ import annotations

from collections.abc import Iterator

from rum.app import chapter_writing
from rum.app.chapter_picking import Tagged
from rum.app.context import Context
from rum.app.facts import first
from rum.app.handed_in import Given
from rum.app.wording import Made
from rum.capture.tombstones import chapter_marks
from rum.consolidate import chapter_words
from rum.consolidate.suggest import Suggestion, suggest
from rum.model.chapter import Origin, Wording
from rum.model.memory import Memory

USUAL = 10
"""How many groups are shown when nobody says."""
AT_ONCE = 20
"""How many chapters are made by themselves in one go."""
SURE = 0.5
"""How sure it must be that a group is one story for a chapter to be made of it without being asked for."""


def suggestions(context: Context, most: int = USUAL) -> list[Suggestion]:
    """Groups that look like one story, surest first; none that a chapter tells already, or one did once."""
    chapters = [one.memory_ids for batch in context.store.chapters.all() for one in batch]
    edges = [edge for edge, _ in context.store.links.all()]
    found = suggest(_memories(context), edges, most=first(most), chapters=chapters)
    return [one for one in found if not _is_forgotten(context, one.memory_ids)]


def _memories(context: Context) -> Iterator[Memory]:
    for batch in context.store.memories.in_time_order():
        yield from batch


def _is_forgotten(context: Context, ids: tuple[str, ...]) -> bool:
    return bool(context.store.memories.buried(chapter_marks(ids, context.tombstone_key)))


def make_chapters(context: Context) -> int:
    """Make chapters of the surest suggestions, their words drawn from the members; how many."""
    made = 0
    for one in suggestions(context, AT_ONCE):
        if one.sureness < SURE:
            break
        with context.identity_undone_on_error(), context.store.transaction():
            made += _made(context, one)
    return made


def _made(context: Context, suggestion: Suggestion) -> bool:
    members = context.store.memories.get(suggestion.memory_ids)
    if len(members) < len(suggestion.memory_ids):
        return False
    words = chapter_words.draw(members, None)
    pick = chapter_writing.Pick(members, Tagged(), Given(), Origin.AUTO)
    return chapter_writing.kept(context, pick, Made(words, Wording.DRAWN)).created
