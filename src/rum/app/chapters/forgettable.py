"""Chapters and wisdom as things that can be forgotten; what it takes is loaded when one of them is."""

from __future__ import annotations

from rum.app.memories.forgettable import Counts, Kind
from rum.app.project import Context


def built_on(context: Context, kind: str, one: str) -> list[str]:
    """The ids of the chapters and the wisdom that were made of a memory or a chapter."""
    if kind == "memory" and context.store.has_chapters():
        chapters, wisdom = context.store.chapters.resting_on([one]), context.store.wisdom
        return [*chapters, *dict.fromkeys((*wisdom.resting_on([one]), *wisdom.holding(chapters)))]
    return list(context.store.wisdom.holding([one])) if kind == "chapter" else []


def still_there(context: Context, ids: list[str]) -> list[str]:
    """Which of these chapters and wisdom are there: some go with the last of what they were made of."""
    if not ids:
        return []
    kept = (*context.store.chapters.get(ids), *context.store.wisdom.get(ids))
    return [one.id for one in kept]


def _chapters_named(context: Context, name: str) -> list[str]:
    return context.store.chapters.named(name)


def _wisdom_named(context: Context, name: str) -> list[str]:
    return context.store.wisdom.named(name)


def _chapter_held(context: Context, one: str) -> Counts:
    from rum.app.chapters.forget import HELD  # noqa: PLC0415 (most of what is forgotten is no chapter)

    return HELD["chapter"](context, one)


def _wisdom_held(context: Context, one: str) -> Counts:
    from rum.app.chapters.forget import HELD  # noqa: PLC0415

    return HELD["wisdom"](context, one)


def _chapter_removed(context: Context, one: str) -> Counts:
    from rum.app.chapters.forget import REMOVED  # noqa: PLC0415

    return REMOVED["chapter"](context, one)


def _wisdom_removed(context: Context, one: str) -> Counts:
    from rum.app.chapters.forget import REMOVED  # noqa: PLC0415

    return REMOVED["wisdom"](context, one)


CHAPTER = Kind("chapter", _chapters_named, _chapter_held, _chapter_removed)
WISDOM = Kind("wisdom", _wisdom_named, _wisdom_held, _wisdom_removed)
