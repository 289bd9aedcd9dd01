"""Events between the spool and the store: whether one is sound, and how it is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rum.capture.events.event import cast
from rum.capture.observe.turns import key_of
from rum.store.captured_events import SeenEvent

if TYPE_CHECKING:
    from rum.capture.events.event import Event


def is_sound(event: Event) -> bool:
    """Whether the parts that everything goes by are what they should be."""
    texts = (
        event.get(name, "") for name in ("id", "client", "session", "kind", "cwd", "turn", "agent", "text")
    )
    at: object = dict(event).get("at")
    return all(isinstance(one, str) for one in texts) and isinstance(at, int | float) and 0 <= at < 1e11


def as_row(event: Event) -> SeenEvent:
    """An event as the store keeps it."""
    data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return SeenEvent(
        event["id"], key_of(event), event["kind"], event["at"], data.encode("utf-8", "replace").decode()
    )


def as_event(row: SeenEvent) -> Event:
    """An event as it was seen."""
    return cast("Event", json.loads(row.data) | {"turn": row.key.turn})
