"""What a hook prints so that the agent reads it: noted first, in the client's form, within its limit."""

from __future__ import annotations

import json
import os

from rum.capture.clients.detect import CLIENTS, module_of
from rum.capture.events.event import event_id, to_line
from rum.capture.events.spool import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.inject.offers.offer import Offer

MOST = 9_500
"""Characters that a hook says at most: what is longer clients cut, or put in a file."""


def hears(event: Event, client: str) -> bool:
    """Whether what is said at such an event reaches the agent, and only once.

    A client that runs hooks meant for another, and could have its own, would hear everything twice.
    """
    own = event["client"] == client or event["client"] not in CLIENTS
    return own and event["kind"] in module_of(event["client"]).HEARS


def say(event: Event, offers: list[Offer], places: tuple[str, ...]) -> None:
    """Say what is worth saying, and not twice."""
    fitting = noted(event, offers, places)
    if fitting:
        answer = module_of(event["client"]).answer(event["kind"], "\n".join(one.text for one in fitting))
        os.write(1, json.dumps(answer).encode() + b"\n")


def noted(event: Event, offers: list[Offer], places: tuple[str, ...]) -> list[Offer]:
    """The offers that may be said now that it is noted that they are; none where that cannot be noted."""
    fitting = within(offers)
    if not fitting or keep(places, event["session"], to_line(_noted(event, fitting)))[0] is None:
        return []
    return fitting


def within(offers: list[Offer]) -> list[Offer]:
    """The first offers that fit, none of them cut."""
    fitting: list[Offer] = []
    left = MOST
    for offer in offers:
        left -= len(offer.text) + 1
        if left < 0:
            break
        fitting.append(offer)
    return fitting


def _noted(event: Event, offers: list[Offer]) -> Event:
    noted: Event = {
        "id": event_id(event["client"], event["session"], "offered", event["id"]),
        "client": event["client"],
        "session": event["session"],
        "kind": "offered",
        "at": event["at"],
        "cwd": event["cwd"],
        "offers": [{"kind": one.kind, "memories": [*one.memory_ids], "text": one.text} for one in offers],
    }
    same = {name: value for name, value in event.items() if name in ("turn", "agent", "call", "project")}
    noted.update(same)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return noted
