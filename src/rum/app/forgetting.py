"""Forgetting: whatever has an id goes for good, with its history; only a keyed hash stays."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rum.app import events, facts, notes_writing, rules
from rum.app.context import Context
from rum.app.forgettable import Counts, Kind, forgotten
from rum.app.intake import forget_seen
from rum.capture.tombstones import marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery
from rum.model.questions import ForgetQuestion


def _found(context: Context, name: str) -> list[str]:
    return context.store.memories.named(name)


def _held(context: Context, memory_id: str) -> Counts:
    context.may_change(context.memory(memory_id))
    seen = context.store.seen.count_of(memory_id)
    return context.store.memories.hanging_on(memory_id) | ({"seen": seen} if seen else {})


def _removed(context: Context, memory_id: str) -> Counts:
    memory = context.memory(memory_id)
    context.may_change(memory)
    context.store.memories.bury(marks(memory, context.tombstone_key), "memory", context.now())
    removed = context.store.memories.delete(memory.id)
    # Before the commit: if the other file cannot be written, nothing was forgotten.
    seen = forget_seen(context, memory.id)
    context.store.activity.delete(memory.id)
    return removed | ({"seen": seen} if seen else {})


MEMORY = Kind("memory", _found, _held, _removed)
KINDS = {kind.name: kind for kind in (MEMORY, notes_writing.KIND, facts.KIND, rules.KIND, events.KIND)}
"""What can be forgotten, by its name."""


def forget(context: Context, question: ForgetQuestion) -> ForgetResult:
    """Delete one thing with its history and all that was derived from it."""
    if question.dry_run:
        kind, one = _meant(context, question)
        return ForgetResult(id=one, forgotten=False, removed=kind.held(context, one))
    with context.store.transaction():
        result = forgotten(context, *_meant(context, question))
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
