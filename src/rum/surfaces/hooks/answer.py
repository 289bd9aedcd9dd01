"""Print offers in the client's format. An offer is recorded in the spool before it is printed."""

from __future__ import annotations

import json
import os

from rum.capture.clients.detect import CLIENTS, hook_answer, module_of
from rum.capture.events.event import event_id, to_line
from rum.capture.events.spool import write_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.inject.offers.text import Offer

MAX_CHARACTERS = 9_500  # Maximum output of a hook. Clients cut longer output or move it into a file.


def can_answer(event: Event, client: str) -> bool:
    """Whether output at this event reaches the agent.

    A client that runs another client's hooks but has hooks of its own would get everything twice.
    """
    is_own_client = event["client"] == client or event["client"] not in CLIENTS
    return is_own_client and event["kind"] in module_of(event["client"]).ANSWERABLE


def print_offers(event: Event, offers: list[Offer], spools: tuple[str, ...]) -> None:
    """Print the offers that fit, each only once in a session."""
    fitting = record_offers(event, offers, spools)
    if fitting:
        answer = hook_answer(event["client"], event["kind"], "\n".join(offer.text for offer in fitting))
        os.write(1, json.dumps(answer).encode() + b"\n")


def record_offers(event: Event, offers: list[Offer], spools: tuple[str, ...]) -> list[Offer]:
    """Record the offers that fit, and return them.

    None are returned if they cannot be recorded, as they would then be offered again.
    """
    fitting = fitting_offers(offers)
    if not fitting:
        return []
    file, _ = write_line(spools, event["session"], to_line(_offered_event(event, fitting)))
    return [] if file is None else fitting


def fitting_offers(offers: list[Offer]) -> list[Offer]:
    """Return the first offers that fit into MAX_CHARACTERS together; none is cut."""
    fitting: list[Offer] = []
    remaining = MAX_CHARACTERS
    for offer in offers:
        remaining -= len(offer.text) + 1
        if remaining < 0:
            break
        fitting.append(offer)
    return fitting


def _offered_event(event: Event, offers: list[Offer]) -> Event:
    offered: Event = {
        "id": event_id(event["client"], event["session"], "offered", event["id"]),
        "client": event["client"],
        "session": event["session"],
        "kind": "offered",
        "at": event["at"],
        "cwd": event["cwd"],
        "offers": [
            {"kind": offer.kind, "memories": [*offer.memory_ids], "text": offer.text} for offer in offers
        ],
    }
    shared = {name: value for name, value in event.items() if name in ("turn", "agent", "call", "project")}
    offered.update(shared)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return offered
