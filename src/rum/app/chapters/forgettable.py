"""Chapters and wisdom as things that can be forgotten; the code for it is loaded when one of them is."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rum.app.caller import Caller
from rum.app.memories.forgettable import Counts, Kind
from rum.app.project import Project


def built_on(project: Project, kind: str, one: str) -> list[str]:
    """The ids of the chapters and the wisdom that were made of a memory or a chapter."""
    if kind == "memory" and project.store.has_chapters():
        chapters, wisdom = project.store.chapters.based_on([one]), project.store.wisdom
        return [*chapters, *dict.fromkeys((*wisdom.based_on([one]), *wisdom.containing(chapters)))]
    return project.store.wisdom.containing([one]) if kind == "chapter" else []


def still_there(project: Project, ids: list[str]) -> list[str]:
    """Which of these chapters and wisdom still exist: some are deleted with the last of their parts."""
    if not ids:
        return []
    left = (*project.store.chapters.get(ids), *project.store.wisdom.get(ids))
    return [one.id for one in left]


def _late(function: str) -> Callable[[Caller, str], Counts]:
    """A function of `forget`, loaded with the first call: most of what is forgotten is no chapter."""

    def call(caller: Caller, one: str) -> Counts:
        return getattr(import_module("rum.app.chapters.forget"), function)(caller, one)

    return call


def _chapters_named(caller: Caller, name: str) -> list[str]:
    return caller.project.store.chapters.find_ids(name)


def _wisdom_named(caller: Caller, name: str) -> list[str]:
    return caller.project.store.wisdom.find_ids(name)


CHAPTER = Kind("chapter", _chapters_named, _late("chapter_counts"), _late("remove_chapter"))
WISDOM = Kind("wisdom", _wisdom_named, _late("wisdom_counts"), _late("remove_wisdom"))
