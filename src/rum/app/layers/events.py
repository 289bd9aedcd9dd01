"""Events: what happened, as somebody put it down; the episodic layer beside the memories."""

from __future__ import annotations

from rum.app.agents.identity import somebody
from rum.app.memories.forgettable import Counts, Kind
from rum.app.project import Context
from rum.capture.tombstones import event_marks
from rum.model.agents import Agent
from rum.model.facts import Event
from rum.model.layers import MemoryEntry

INSTEAD = "Leave it to that agent or the owner."


def author(context: Context) -> Agent:
    """The agent that writes; one that is known already is not looked for again."""
    if context.agent is not None and context.store.agents.get(context.agent.id):
        return context.agent
    with context.identity_undone_on_error(), context.store.transaction():
        return somebody(context)[0]


def event_of(context: Context, entry: MemoryEntry) -> Event:
    """An entry as whoever acts puts it down now."""
    return Event(
        id=entry.id,
        content=entry.content,
        metadata=entry.metadata,
        timestamp=entry.timestamp,
        agent_id=author(context).id,
        session_id=context.session_id,
        created_at=context.now(),
    )


def may_change(context: Context, event: Event) -> None:
    """Refuse an agent that may not change an entry."""
    imported = event.imported_at is not None
    context.may_change_of(event.id, event.agent_id, imported=imported, instead=INSTEAD)


def is_forgotten(context: Context, event: Event) -> bool:
    """Whether an entry that says this was forgotten."""
    return bool(context.store.memories.buried(event_marks(event, context.tombstone_key)))


def _found(context: Context, name: str) -> list[str]:
    return context.store.events.named(name)


def _held(context: Context, event_id: str) -> Counts:
    found = context.store.events.get(event_id)
    for event in found:
        may_change(context, event)
    return {"events": len(found)}


def _removed(context: Context, event_id: str) -> Counts:
    _held(context, event_id)
    marks = [
        mark
        for event in context.store.events.get(event_id)
        for mark in event_marks(event, context.tombstone_key)
    ]
    context.store.memories.bury(marks, "event", context.now())
    return {"events": context.store.events.delete(event_id)}


KIND = Kind("event", _found, _held, _removed)
