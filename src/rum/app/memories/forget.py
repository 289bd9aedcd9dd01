"""Forgetting: whatever has an id goes for good, with its history; only a keyed hash stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from rum.app.caller import Caller
from rum.app.capture.intake import forget_seen
from rum.app.chapters import forgettable
from rum.app.layers import events, facts, rules
from rum.app.memories.forgettable import Counts, Kind, forgotten
from rum.app.notes import append
from rum.app.project import Project
from rum.capture.tombstones import marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery
from rum.model.memory import Content, Memory
from rum.model.questions import ForgetQuestion
from rum.store.base import ReadMode


def _found(caller: Caller, name: str) -> list[str]:
    return caller.project.store.memories.find_ids(name)


def _held(caller: Caller, memory_id: str) -> Counts:
    caller.may_change(_memory(caller.project, memory_id))
    seen = caller.project.store.captured.forget(memory_id, dry_run=True)
    return caller.project.store.memories.count_parts(memory_id) | ({"seen": seen} if seen else {})


def _removed(caller: Caller, memory_id: str) -> Counts:
    memory = _memory(caller.project, memory_id)
    caller.may_change(memory)
    ever = list(_ever(caller.project, memory))
    known = [mark for said in ever for mark in marks(said, caller.project.tombstone_key)]
    caller.project.store.memories.add_tombstones(known, "memory", caller.project.now())
    removed = caller.project.store.memories.delete(memory.id)
    if caller.project.store.has_chapters():
        from rum.app.chapters.forget import cut_memory  # noqa: PLC0415 (few projects have chapters)

        cut_memory(caller.project, ever)
    # Before the commit: if the other file cannot be written, nothing was forgotten.
    seen = forget_seen(caller.project, memory.id)
    caller.project.store.activity.delete(memory.id)
    return removed | ({"seen": seen} if seen else {})


def _memory(project: Project, memory_id: str) -> Memory:
    """A memory, as far as it can be read: one that is damaged must not have to stay."""
    found = project.store.memories.get([memory_id], ReadMode.BEST_EFFORT)
    return found[0] if found else project.memory(memory_id)


def _ever(project: Project, memory: Memory) -> Iterator[Memory]:
    """A memory as it is and as it was: what comes again may know nothing of what was changed here."""
    yield memory
    for *_, (data,) in project.store.history.of("memory", memory.id):
        try:
            before = msgspec.json.decode(data, type=Content)
        except msgspec.DecodeError:  # another RUM wrote it, which must not keep the memory from going
            continue
        yield replace(memory, **asdict(before))


MEMORY = Kind("memory", _found, _held, _removed)
KINDS = {
    kind.name: kind
    for kind in (
        MEMORY,
        append.KIND,
        facts.KIND,
        rules.KIND,
        events.KIND,
        forgettable.CHAPTER,
        forgettable.WISDOM,
    )
}
"""What can be forgotten, by its name."""


def forget(caller: Caller, question: ForgetQuestion) -> ForgetResult:
    """Delete one thing with its history and all that was derived from it."""
    if question.dry_run:
        kind, one = _meant(caller, question)
        renew = forgettable.built_on(caller.project, kind.name, one) or UNSET
        return ForgetResult(id=one, forgotten=False, removed=kind.held(caller, one), renew=renew)
    with caller.project.store.transaction():
        kind, one = _meant(caller, question)
        built = forgettable.built_on(caller.project, kind.name, one)
        result = forgotten(caller, kind, one)
        result = replace(result, renew=forgettable.still_there(caller.project, built) or UNSET)
    caller.project.uses.pop(result.id, None)
    return replace(result, **purge(caller)) if question.purge else result


def _meant(caller: Caller, question: ForgetQuestion) -> tuple[Kind, str]:
    if question.kind and question.kind not in KINDS:
        allowed = list(KINDS)
        raise InvalidQuery(
            f"forget: `kind` must be one of {', '.join(allowed)}.", field="kind", allowed=allowed
        )
    kinds = [KINDS[question.kind]] if question.kind else list(KINDS.values())
    found = [(kind, one) for kind in kinds for one in kind.found(caller, question.id)]
    if len(found) > 1 and len({kind.name for kind, _ in found}) > 1:
        several = " or ".join(f"{kind.name} {one}" for kind, one in found)
        raise InvalidQuery(f"`{question.id}` is {several}; give its `kind`.", field="kind")
    name = caller.project.one(
        " or ".join(kind.name for kind in kinds), question.id, [one for _, one in found]
    )
    return found[0][0], name


def purge(caller: Caller) -> dict[str, Any]:
    """Make what was forgotten unrecoverable from the files."""
    if caller.project.store.local_upkeep.purge():
        return {"purged": True}
    hint = "Another process is reading, so the log still holds old pages; run `rum purge` when it is done."
    return {"purged": False, "hint": hint}
