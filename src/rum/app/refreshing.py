"""Renewing chapters and wisdom whose members changed, with what that changes in their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from rum.app import chapter_making, chapter_writing, wisdom_making, wisdom_writing
from rum.app.chapter_picking import tagged_chapters, tagged_memories
from rum.app.context import Context
from rum.app.differing import changes
from rum.app.handed_in import handed_in_before
from rum.app.staleness import judged, judged_wisdom
from rum.model.chapter import Chapter
from rum.model.chapter_answers import RefreshResult, Renewed
from rum.model.errors import NotFound, PermissionDenied
from rum.model.memory import Memory
from rum.model.wisdom import Wisdom


class _Anew(NamedTuple):
    """What a chapter or wisdom would say now, what to know about it, and whether that still holds."""

    new: Chapter | Wisdom
    note: str | None
    holds: Callable[[], bool]


def refresh(
    context: Context, names: Sequence[str] = (), *, kind: str | None = None, dry_run: bool = False
) -> RefreshResult:
    """Renew what is named, or else all that is stale: chapters first, then the wisdom made of them."""
    with context.turn():
        named = _named(context, names, kind)
    renewed: list[Renewed] = []
    skipped: list[str] = []
    for find in (_stale_chapters, _stale_wisdom):
        with context.turn(counted=False):
            found = find(context, kind) if not names else [one for one in named if find is _finder(one)]
        for one in found:
            try:
                renewed.append(_renewed(context, one, dry_run=dry_run))
            except (NotFound, PermissionDenied) as error:
                if names and isinstance(error, PermissionDenied):
                    raise
                skipped.append(error.message)
    return RefreshResult(renewed=renewed, skipped=skipped, dry_run=dry_run)


def _named(context: Context, names: Sequence[str], kind: str | None) -> list[Chapter | Wisdom]:
    meant: list[Chapter | Wisdom] = []
    for name in dict.fromkeys(names):
        chapters = [] if kind == "wisdom" else context.store.chapters.named(name)
        wisdom = [] if kind == "chapter" else context.store.wisdom.named(name)
        one = context.one(kind or "chapter or wisdom", name, [*chapters, *wisdom])
        meant += judged(context, context.store.chapters.get([one] if one in chapters else []))
        meant += judged_wisdom(context, context.store.wisdom.get([one] if one in wisdom else []))
    return meant


def _stale_chapters(context: Context, kind: str | None) -> list[Chapter]:
    batches = context.store.chapters.all() if kind != "wisdom" else ()
    return [one for batch in batches for one in judged(context, batch) if one.stale]


def _stale_wisdom(context: Context, kind: str | None) -> list[Wisdom]:
    batches = context.store.wisdom.all() if kind != "chapter" else ()
    return [one for batch in batches for one in judged_wisdom(context, batch) if one.stale]


def _finder(one: Chapter | Wisdom) -> object:
    return _stale_chapters if isinstance(one, Chapter) else _stale_wisdom


def _renewed(context: Context, old: Chapter | Wisdom, *, dry_run: bool) -> Renewed:
    """Make the words between two turns, as a language model may be asked; then write, if all still holds."""
    anew = _chapter_anew(context, old) if isinstance(old, Chapter) else _wisdom_anew(context, old)
    if not dry_run:
        with context.turn(counted=False), context.store.transaction():
            if not anew.holds():
                raise NotFound(f"{old.id} was changed meanwhile; refresh it again.", id=old.id)
            if isinstance(anew.new, Chapter):
                context.store.chapters.put(anew.new)
            else:
                context.store.wisdom.put(anew.new)
    return Renewed(
        id=old.id,
        kind="chapter" if isinstance(old, Chapter) else "wisdom",
        title=old.title if isinstance(old, Chapter) else old.summary[:80],
        stale=old.stale,
        changes=changes(old, anew.new),
        words=anew.new.words,
        note=anew.note or UNSET,
    )


def _chapter_anew(context: Context, old: Chapter) -> _Anew:
    with context.turn(counted=False):
        chapter_writing.may_change(context, old)
        members = _members(context, old)
        if not members:
            raise NotFound(f"All memories of {old.id} are gone; forget it.", id=old.id)
    made = chapter_making.words_for(context, members, handed_in_before(old))
    new = chapter_making.settled(old, chapter_making.said_by(context, old, made, members), context.now())

    def holds() -> bool:
        return (
            context.store.chapters.get([old.id]) == [replace(old, stale=())]
            and context.store.memories.get([memory.id for memory in members]) == members
        )

    return _Anew(new, made.note, holds)


def _members(context: Context, chapter: Chapter) -> list[Memory]:
    """Its members as they are; where tags found them, whatever the tags find now."""
    found = tagged_memories(context, chapter.found_by)[0] if chapter.found_by else []
    return found or context.store.memories.get(chapter.memory_ids)


def _wisdom_anew(context: Context, old: Wisdom) -> _Anew:
    with context.turn(counted=False):
        wisdom_writing.may_change(context, old)
        chapters = tagged_chapters(context, old.found_by)[0] if old.found_by else []
        chapters = chapters or context.store.chapters.get(old.chapter_ids)
        if not chapters:
            raise NotFound(f"All chapters of {old.id} are gone; forget it.", id=old.id)
        members = wisdom_making.members_of(context, chapters)
    made = wisdom_making.words_for(context, chapters, members, handed_in_before(old))
    new = chapter_making.settled(old, wisdom_making.said_by(context, old, made, chapters), context.now())

    def holds() -> bool:
        return (
            context.store.wisdom.get([old.id]) == [replace(old, stale=())]
            and context.store.chapters.get([chapter.id for chapter in chapters]) == chapters
            and wisdom_making.members_of(context, chapters) == members
        )

    return _Anew(new, made.note, holds)
