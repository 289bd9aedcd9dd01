"""Events: the entries of the episodic layer, besides the memories."""

from __future__ import annotations

import msgspec

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.memories.forget import Counts, Kind, Removal, Unfinished, find_in
from rum.app.project import Project
from rum.capture.tombstones import event_marks
from rum.model.agents import Agent
from rum.model.layers import Event, MemoryEntry

# What to do instead of changing the event of another agent.
INSTEAD = "Leave it to that agent or the owner."


def ensure_author(caller: Caller) -> Agent:
    """The agent that writes; registered if it is not yet."""
    if caller.agent is not None and caller.store.agents.get(caller.agent.id):
        return caller.agent
    with caller.undo_identity_on_error(), caller.store.transaction():
        return ensure_agent(caller)[0]


def new_event(caller: Caller, entry: MemoryEntry) -> Event:
    """An entry as an event of the caller, written now."""
    return Event(
        id=entry.id,
        content=entry.content,
        metadata=entry.metadata,
        timestamp=entry.timestamp,
        agent_id=ensure_author(caller).id,
        session_id=caller.session_id,
        created_at=caller.project.now(),
    )


def is_forgotten(project: Project, event: Event) -> bool:
    """Whether an event with this content was forgotten."""
    return bool(project.store.memories.tombstones(event_marks(event, project.tombstone_key)))


def _counts(caller: Caller, event_id: str) -> Counts:
    found = caller.store.events.get([event_id])
    for event in found:
        imported = event.imported_at is not None
        caller.check_author(event.id, event.agent_id, imported=imported, instead=INSTEAD)
    return {"events": len(found)}


class TrashedEvents(Unfinished, frozen=True):
    """The events of one id in the trash."""

    events: list[Event]


def _remove(caller: Caller, event_id: str) -> Removal:
    counts, events = _counts(caller, event_id), caller.store.events.get([event_id])
    return Removal(
        counts,
        label=events[0].content,
        author=events[0].agent_id,
        imported=events[0].imported_at is not None,
        marks=[mark for event in events for mark in event_marks(event, caller.project.tombstone_key)],
        data=TrashedEvents(events=events, unfinished=True),
    )


def _finish(project: Project, data: bytes) -> None:
    """Delete the events, which are not in the file of the memories; not one with their id written since."""
    kept = msgspec.json.decode(data, type=TrashedEvents)
    if project.store.events.get([kept.events[0].id]) == kept.events:
        project.store.events.delete([kept.events[0].id])


def _restore(project: Project, data: bytes) -> list[str]:
    kept = msgspec.json.decode(data, type=TrashedEvents).events
    project.store.events.add(kept, unless_known=bool(project.store.events.get([kept[0].id])))
    return []


KIND = Kind("event", find_in("events"), _counts, _remove, _restore, finish=_finish)
