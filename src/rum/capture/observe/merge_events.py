"""The same thing seen twice, by a hook and in a transcript: one event with what either of them knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rum.capture.events.event import cast

if TYPE_CHECKING:
    from rum.capture.events.event import Event

CLOSING = ("stop", "agent_stop")
"""Events that end a turn."""


def joined(events: Iterable[Event]) -> list[Event]:
    """Each event once, in the order of time; what came first is kept, what it lacks is filled in."""
    found: dict[str, Event] = {}
    for event in events:
        known = found.get(event["id"])
        found[event["id"]] = event if known is None else filled(known, event)
    return sorted(found.values(), key=lambda event: event["at"])


def filled(known: Event, other: Event) -> Event:
    """An event with what another sight of it adds."""
    whole = cast(
        "Event", {**other, **{name: value for name, value in known.items() if value not in ("", [])}}
    )
    if not any("lines" in file for file in known.get("files", [])) and (files := other.get("files")):
        whole["files"] = files
    if known["kind"] in CLOSING and other["at"] > known["at"] and (last := other.get("text")):
        # A turn that was made to go on has several last words.
        whole["text"] = last
        whole["at"] = other["at"]
    return whole
