"""Captured events: as rows of the store and back, and listed with the outcome of their turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from msgspec import UNSET, Struct, UnsetType

from rum.app.project import Project
from rum.capture.events import spool
from rum.capture.events.event import from_line
from rum.capture.observe.turns import key_of
from rum.inject.render import short_id
from rum.model.errors import InvalidQuery
from rum.store.captured_events import CapturedEvent, EventQuery, FoundEvent
from rum.text.shorten import one_line

if TYPE_CHECKING:
    from rum.capture.events.event import Event

MOST = 1000
_SAID = 200
_NOTHING = "No captured events. They are listed when a turn ends. Run `rum install` to register hooks."
# What may have become of an event's turn
BECAME = ("memory", "pending", "completed", "nothing", "forgotten", "open")


class CapturedEventView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One captured event in a line, and the outcome of its turn."""

    id: str
    at: float
    client: str
    session: str
    kind: str
    what: str
    became: str
    agent: str = ""
    turn: str = ""
    memory_id: str | None = None
    why: str | None = None
    withheld: str | None = None


class CapturedEventList(Struct, frozen=True, kw_only=True):
    """Events, newest first; how many there are in all, and how many turns go on."""

    events: list[CapturedEventView]
    total: int
    open_turns: int
    hint: str | UnsetType = UNSET


def spooled_events(project: Project) -> Iterator[Event]:
    """The events that hooks left and that are not imported yet: mostly those of turns that are not over."""
    for path in [path for folder in project.spool_folders for path in spool.spools(folder)]:
        with suppress(OSError):
            yield from (event for line in spool.complete_lines(path)[0] if (event := from_line(line)))


def list_events(
    project: Project,
    *,
    memory: str | None,
    since: float | None,
    became: str | None,
    limit: int,
    **by: str | None,
) -> CapturedEventList:
    """Captured events, newest first; `by` may name their session, client and kind."""
    if not 1 <= limit <= MOST:
        raise InvalidQuery(f"events: `limit` is 1 to {MOST}.", field="limit")
    if became is not None and became not in BECAME:
        raise InvalidQuery(
            f"events: `became` must be one of {', '.join(BECAME)}.", field="became", allowed=list(BECAME)
        )
    memory_id = project.find_id("memory", memory) if memory else None
    wanted = EventQuery(MOST if became else limit, memory=memory_id, since=since or 0, **by)
    views = [view_event(one) for one in project.store.captured.find(wanted)]
    counts = project.store.captured.counts()
    total = sum(counts.events.values())
    kept = [view for view in views if became is None or view.became == became][:limit]
    hint = UNSET if total else _NOTHING
    return CapturedEventList(events=kept, total=total, open_turns=counts.open_turns, hint=hint)


def view_event(found: FoundEvent) -> CapturedEventView:
    """An event in a line."""
    event, row = as_event(found.event), found.event
    became = "open" if found.is_open and not found.outcome else found.outcome
    return CapturedEventView(
        id=row.id,
        at=row.at,
        client=row.key.client,
        session=row.key.session,
        agent=row.key.agent,
        turn=row.key.turn,
        kind=row.kind,
        what=one_line(_what(event), _SAID),
        became=became,
        memory_id=found.memory_id,
        why=found.why or None,
        withheld=event.get("withheld"),
    )


def _what(event: Event) -> str:
    """What happened: a tool and what it was used on, what was said, or what was offered of which memories."""
    files = ", ".join(file["path"] for file in event.get("files", []))
    text = (
        event.get("command") or files or event.get("text") or event.get("output") or event.get("source", "")
    )
    if offers := event.get("offers"):
        text = ", ".join(f"{one.get('kind')} {_ids(one.get('memories'))}".rstrip() for one in offers)
    elif memories := event.get("memories"):
        text = text or _ids(memories)
    return ": ".join(filter(None, (event.get("tool_name", ""), text)))


def _ids(memories: object) -> str:
    named = cast("list[object]", memories) if isinstance(memories, list) else []
    return " ".join(short_id(one) for one in named if isinstance(one, str))


def is_valid(event: Event) -> bool:
    """Whether the fields that everything depends on have the right types."""
    texts = (
        event.get(name, "") for name in ("id", "client", "session", "kind", "cwd", "turn", "agent", "text")
    )
    at: object = dict(event).get("at")
    return all(isinstance(one, str) for one in texts) and isinstance(at, int | float) and 0 <= at < 1e11


def as_row(event: Event) -> CapturedEvent:
    """The row of an event."""
    data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return CapturedEvent(
        event["id"], key_of(event), event["kind"], event["at"], data.encode("utf-8", "replace").decode()
    )


def as_event(row: CapturedEvent) -> Event:
    """The event of a row; of a damaged one only its place in time, with a kind that nothing is made of."""
    try:
        return cast("Event", json.loads(row.data) | {"turn": row.key.turn})
    except (ValueError, TypeError):
        return cast("Event", {"id": row.id, "kind": "damaged", "at": row.at, **row.key._asdict()})
