"""Forgetting: whatever has an id goes for good, with its history; only a keyed hash stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from rum.app.capture.intake import forget_seen
from rum.app.chapters import forgettable
from rum.app.layers import events, facts, rules
from rum.app.memories.forgettable import Counts, Kind, forgotten
from rum.app.notes import append
from rum.app.project import Context
from rum.capture.tombstones import marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery
from rum.model.memory import Content, Memory
from rum.model.questions import ForgetQuestion


def _found(context: Context, name: str) -> list[str]:
    return context.store.memories.named(name)


def _held(context: Context, memory_id: str) -> Counts:
    context.may_change(_memory(context, memory_id))
    seen = context.store.seen.count_of(memory_id)
    return context.store.memories.hanging_on(memory_id) | ({"seen": seen} if seen else {})


def _removed(context: Context, memory_id: str) -> Counts:
    memory = _memory(context, memory_id)
    context.may_change(memory)
    ever = list(_ever(context, memory))
    known = [mark for said in ever for mark in marks(said, context.tombstone_key)]
    context.store.memories.bury(known, "memory", context.now())
    removed = context.store.memories.delete(memory.id)
    if context.store.has_chapters():
        from rum.app.chapters.forget import without_memory  # noqa: PLC0415 (few projects have chapters)

        without_memory(context, ever)
    # Before the commit: if the other file cannot be written, nothing was forgotten.
    seen = forget_seen(context, memory.id)
    context.store.activity.delete(memory.id)
    return removed | ({"seen": seen} if seen else {})


def _memory(context: Context, memory_id: str) -> Memory:
    """A memory, as far as it can be read: one that is damaged must not have to stay."""
    return next(iter(context.store.memories.best([memory_id])), None) or context.memory(memory_id)


def _ever(context: Context, memory: Memory) -> Iterator[Memory]:
    """A memory as it is and as it was: what comes again may know nothing of what was changed here."""
    yield memory
    for *_, data in context.store.memories.versions(memory.id):
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


def forget(context: Context, question: ForgetQuestion) -> ForgetResult:
    """Delete one thing with its history and all that was derived from it."""
    if question.dry_run:
        kind, one = _meant(context, question)
        renew = forgettable.built_on(context, kind.name, one) or UNSET
        return ForgetResult(id=one, forgotten=False, removed=kind.held(context, one), renew=renew)
    with context.store.transaction():
        kind, one = _meant(context, question)
        built = forgettable.built_on(context, kind.name, one)
        result = forgotten(context, kind, one)
        result = replace(result, renew=forgettable.still_there(context, built) or UNSET)
    context.uses.pop(result.id, None)
    return replace(result, **purge(context)) if question.purge else result


def _meant(context: Context, question: ForgetQuestion) -> tuple[Kind, str]:
    if question.kind and question.kind not in KINDS:
        allowed = list(KINDS)
        raise InvalidQuery(
            f"forget: `kind` must be one of {', '.join(allowed)}.", field="kind", allowed=allowed
        )
    kinds = [KINDS[question.kind]] if question.kind else list(KINDS.values())
    found = [(kind, one) for kind in kinds for one in kind.found(context, question.id)]
    if len(found) > 1 and len({kind.name for kind, _ in found}) > 1:
        several = " or ".join(f"{kind.name} {one}" for kind, one in found)
        raise InvalidQuery(f"`{question.id}` is {several}; say which `kind` is meant.", field="kind")
    name = context.one(" or ".join(kind.name for kind in kinds), question.id, [one for _, one in found])
    return found[0][0], name


def purge(context: Context) -> dict[str, Any]:
    """Make what was forgotten unrecoverable from the files."""
    if context.store.upkeep.purge():
        return {"purged": True}
    hint = "Another process is reading, so the log still holds old pages; run `rum purge` when it is done."
    return {"purged": False, "hint": hint}
