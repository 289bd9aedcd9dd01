"""Events: the entries of the episodic layer, besides the memories."""

from __future__ import annotations

from rum.app.agents import somebody
from rum.app.caller import Caller
from rum.app.memories.forgettable import Counts, Kind
from rum.app.project import Project
from rum.capture.tombstones import event_marks
from rum.model.agents import Agent
from rum.model.layers import Event, MemoryEntry

INSTEAD = "Leave it to that agent or the owner."


def author(caller: Caller) -> Agent:
    """The agent that writes; registered if it is not yet."""
    if caller.agent is not None and caller.project.store.agents.get(caller.agent.id):
        return caller.agent
    with caller.identity_undone_on_error(), caller.project.store.transaction():
        return somebody(caller)[0]


def event_of(caller: Caller, entry: MemoryEntry) -> Event:
    """An entry as an event of the caller, written now."""
    return Event(
        id=entry.id,
        content=entry.content,
        metadata=entry.metadata,
        timestamp=entry.timestamp,
        agent_id=author(caller).id,
        session_id=caller.session_id,
        created_at=caller.project.now(),
    )


def may_change(caller: Caller, event: Event) -> None:
    """Refuse a caller who may not change an event."""
    imported = event.imported_at is not None
    caller.may_change_of(event.id, event.agent_id, imported=imported, instead=INSTEAD)


def is_forgotten(project: Project, event: Event) -> bool:
    """Whether an event with this content was forgotten."""
    return bool(project.store.memories.tombstones(event_marks(event, project.tombstone_key)))


def _found(caller: Caller, name: str) -> list[str]:
    return caller.project.store.events.find_ids(name)


def _held(caller: Caller, event_id: str) -> Counts:
    found = caller.project.store.events.get([event_id])
    for event in found:
        may_change(caller, event)
    return {"events": len(found)}


def _removed(caller: Caller, event_id: str) -> Counts:
    _held(caller, event_id)
    marks = [
        mark
        for event in caller.project.store.events.get([event_id])
        for mark in event_marks(event, caller.project.tombstone_key)
    ]
    caller.project.store.memories.add_tombstones(marks, "event", caller.project.now())
    return {"events": caller.project.store.events.delete([event_id])}


KIND = Kind("event", _found, _held, _removed)
