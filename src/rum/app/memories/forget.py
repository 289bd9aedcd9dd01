"""Forget anything that has an id: it goes for good, with its history; only a keyed hash stays."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.project import Project
from rum.capture.tombstones import marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery
from rum.model.memory import Content, Memory
from rum.model.requests import ForgetRequest
from rum.store.base import ReadMode

# What can be forgotten, and where its `Kind` is.
KINDS = {
    "memory": "app.memories.forget:MEMORY",
    "note": "app.notes.notes:KIND",
    "fact": "app.layers.facts:KIND",
    "rule": "app.layers.rules:KIND",
    "event": "app.layers.events:KIND",
    "chapter": "app.chapters.forget:CHAPTER",
    "wisdom": "app.chapters.forget:WISDOM_KIND",
}

Counts = dict[str, int]  # How many rows, entries or files of each sort


class Kind(NamedTuple):
    """How one kind of thing is found, counted and removed.

    `counts` and `remove` take an id that `find` returned, and refuse a caller who may not change it. `remove`
    leaves tombstones; it runs in a transaction of the store.
    """

    name: str
    find: Callable[[Caller, str], list[str]]
    counts: Callable[[Caller, str], Counts]
    remove: Callable[[Caller, str], Counts]


def find_in(table: str) -> Callable[[Caller, str], list[str]]:
    """How things with ids are found in one of the store's tables."""
    return lambda caller, name: getattr(caller.store, table).find_ids(name)


def forget(caller: Caller, question: ForgetRequest) -> ForgetResult:
    """Delete one thing with its history and all that was derived from it."""
    if question.dry_run:
        kind, one = _find(caller, question)
        renew = _groups_of(caller.project, kind.name, one) or UNSET
        return ForgetResult(id=one, forgotten=False, removed=kind.counts(caller, one), renew=renew)
    with caller.store.transaction():
        kind, one = _find(caller, question)
        groups = _groups_of(caller.project, kind.name, one)
        result = forget_one(caller, kind, one)
        if groups:  # some of them are deleted with the last of their parts
            left = (*caller.store.chapters.get(groups), *caller.store.wisdom.get(groups))
            result = replace(result, renew=[group.id for group in left] or UNSET)
    caller.project.uses.pop(result.id, None)
    return replace(result, **purge(caller)) if question.purge else result


def forget_one(caller: Caller, kind: Kind, one: str) -> ForgetResult:
    """Delete one thing of a kind, all of it or nothing."""
    with caller.store.transaction():
        return ForgetResult(id=one, forgotten=True, removed=kind.remove(caller, one))


def _find(caller: Caller, question: ForgetRequest) -> tuple[Kind, str]:
    if question.kind and question.kind not in KINDS:
        allowed = list(KINDS)
        raise InvalidQuery(
            f"forget: `kind` must be one of {', '.join(allowed)}.", field="kind", allowed=allowed
        )
    names = [question.kind] if question.kind else list(KINDS)
    # Where there are no chapters, their code, which is slow to load, is not needed.
    absent = () if caller.store.has_chapters() else ("chapter", "wisdom")
    kinds: list[Kind] = [load(KINDS[name]) for name in names if name not in absent]
    found = [(kind, one) for kind in kinds for one in kind.find(caller, question.id)]
    if len({kind.name for kind, _ in found}) > 1:
        several = " or ".join(f"{kind.name} {one}" for kind, one in found)
        raise InvalidQuery(f"`{question.id}` is {several}; give its `kind`.", field="kind")
    one = caller.project.single_id(" or ".join(names), question.id, [one for _, one in found])
    return found[0][0], one


def _groups_of(project: Project, kind: str, one: str) -> list[str]:
    """The ids of the chapters and the wisdom that were made of a memory or a chapter."""
    if kind == "memory" and project.store.has_chapters():
        chapters = project.store.chapters.made_of(memories=[one])
        return [*chapters, *project.store.wisdom.made_of(memories=[one], parts=chapters)]
    return project.store.wisdom.made_of(parts=[one]) if kind == "chapter" else []


def purge(caller: Caller) -> dict[str, Any]:
    """Make what was forgotten unrecoverable from the files."""
    if caller.store.local_upkeep.shrink() is None:
        return {"purged": True}
    hint = "Another process is reading, so the log still holds old pages; run `rum purge` when it is done."
    return {"purged": False, "hint": hint}


def _count_memory(caller: Caller, memory_id: str) -> Counts:
    caller.check_may_change(_memory(caller.project, memory_id))
    events = caller.store.captured.forget(memory_id, dry_run=True)
    removed = caller.store.memories.delete(memory_id, dry_run=True)
    return removed | ({"captured_events": events} if events else {})


def _remove_memory(caller: Caller, memory_id: str) -> Counts:
    project = caller.project
    memory = _memory(project, memory_id)
    caller.check_may_change(memory)
    # An import may bring back any earlier version.
    versions = [memory]
    for *_, (data,) in project.store.history.of("memory", [memory.id])[memory.id]:
        # What another version of RUM wrote, and cannot be read, is no reason to keep the memory.
        with suppress(msgspec.DecodeError):
            versions.append(replace(memory, **asdict(msgspec.json.decode(data, type=Content))))
    tombstones = [mark for version in versions for mark in marks(version, project.tombstone_key)]
    project.store.memories.add_tombstones(tombstones, "memory", project.now())
    removed = project.store.memories.delete(memory.id)
    if project.store.has_chapters():
        load("app.chapters.forget:cut_memory")(project, versions)
    # Before the commit: if the other file cannot be written, nothing was forgotten.
    events = load("app.capture.intake:forget_events")(project, memory.id)
    project.store.activity.delete(memory.id)
    return removed | ({"captured_events": events} if events else {})


def _memory(project: Project, memory_id: str) -> Memory:
    """A memory, as far as it can be read: a damaged one can be forgotten too."""
    found = project.store.memories.get([memory_id], ReadMode.BEST_EFFORT)
    return found[0] if found else project.memory(memory_id)


MEMORY = Kind("memory", find_in("memories"), _count_memory, _remove_memory)
