"""Offers: memories that RUM shows an agent without being asked.

Each name in `KINDS` is a module of this package; the other modules are helpers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event
    from rum.inject.offers.text import Offer

# The kinds of offers for each kind of event, most urgent first; the modules are loaded when needed.
KINDS = {
    "start": ("guidance", "session"),
    "prompt": ("guidance", "intent", "task"),
    "before": ("warning", "guidance", "touching"),
    "after": ("warning", "guidance", "touching"),
    "failed": ("warning",),
}
# Maximum number of offers per event, at the start of a session, and per session; warnings are exempt.
MAX_PER_EVENT, MAX_AT_START, MAX_PER_SESSION = 1, 4, 16


def offers_for(event: Event, folder: str, root: str | None) -> list[Offer]:
    """The offers at an event, most urgent first.

    `folder` holds the project's memory; `root` is the root of the checkout, if there is one.
    """
    kinds = KINDS.get(event["kind"], ())
    if not kinds or event.get("tool") in ("rum", "other", "search", "agent"):
        return []
    from rum.inject.offers.context import OfferContext  # noqa: PLC0415 (many events get no offer)

    context = OfferContext(event, folder, root)
    limit = MAX_AT_START if event["kind"] == "start" else MAX_PER_EVENT
    found: list[Offer] = []
    for kind in kinds:
        if len(found) < limit:
            found += _module(kind).offers(context)
    if found and found[0].kind != "warning" and len(context.offered) >= MAX_PER_SESSION:
        return []
    return found[:limit]


def _module(kind: str) -> Any:
    # Not by `importlib`, which is slow to load.
    return __import__(f"{__name__}.{kind}", fromlist=["offers"])
