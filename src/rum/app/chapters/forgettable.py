"""Chapters and wisdom as things that can be forgotten; what it takes is loaded when one of them is."""

from __future__ import annotations

from rum.app.caller import Caller
from rum.app.memories.forgettable import Counts, Kind
from rum.app.project import Project


def built_on(project: Project, kind: str, one: str) -> list[str]:
    """The ids of the chapters and the wisdom that were made of a memory or a chapter."""
    if kind == "memory" and project.store.has_chapters():
        chapters, wisdom = project.store.chapters.resting_on([one]), project.store.wisdom
        return [*chapters, *dict.fromkeys((*wisdom.resting_on([one]), *wisdom.holding(chapters)))]
    return list(project.store.wisdom.holding([one])) if kind == "chapter" else []


def still_there(project: Project, ids: list[str]) -> list[str]:
    """Which of these chapters and wisdom are there: some go with the last of what they were made of."""
    if not ids:
        return []
    kept = (*project.store.chapters.get(ids), *project.store.wisdom.get(ids))
    return [one.id for one in kept]


def _chapters_named(caller: Caller, name: str) -> list[str]:
    return caller.project.store.chapters.named(name)


def _wisdom_named(caller: Caller, name: str) -> list[str]:
    return caller.project.store.wisdom.named(name)


def _chapter_held(caller: Caller, one: str) -> Counts:
    from rum.app.chapters.forget import HELD  # noqa: PLC0415 (most of what is forgotten is no chapter)

    return HELD["chapter"](caller, one)


def _wisdom_held(caller: Caller, one: str) -> Counts:
    from rum.app.chapters.forget import HELD  # noqa: PLC0415

    return HELD["wisdom"](caller, one)


def _chapter_removed(caller: Caller, one: str) -> Counts:
    from rum.app.chapters.forget import REMOVED  # noqa: PLC0415

    return REMOVED["chapter"](caller, one)


def _wisdom_removed(caller: Caller, one: str) -> Counts:
    from rum.app.chapters.forget import REMOVED  # noqa: PLC0415

    return REMOVED["wisdom"](caller, one)


CHAPTER = Kind("chapter", _chapters_named, _chapter_held, _chapter_removed)
WISDOM = Kind("wisdom", _wisdom_named, _wisdom_held, _wisdom_removed)
