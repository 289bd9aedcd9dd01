"""What RUM offers an agent automatically as it acts: one file a kind of offer."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event
    from rum.inject.offers.text import Offer

# What may be offered at each kind of event, the most urgent first; each is a module here, loaded late.
KINDS = {
    "start": ("session",),
    "prompt": ("intent", "task"),
    "before": ("warning", "touching"),
    "after": ("warning", "touching"),
    "failed": ("warning",),
}
# Offers at one event, at the start of a session, and in a whole session; a warning is given in any case.
MOST_AT_ONCE, MOST_AT_START, MOST_IN_A_SESSION = 1, 4, 16


def offers_for(event: Event, folder: str, root: str | None) -> list[Offer]:
    """The offers at an event, most urgent first.

    `folder` is where the project's memory is kept, `root` the checkout's own (None where there is none).
    """
    kinds = KINDS.get(event["kind"], ())
    if not kinds or event.get("tool") in ("rum", "other", "search", "agent"):
        return []
    from rum.inject.offers.situation import Moment  # noqa: PLC0415 (many events can be answered by nothing)

    moment = Moment(event, folder, root)
    most = MOST_AT_START if event["kind"] == "start" else MOST_AT_ONCE
    found: list[Offer] = []
    for kind in kinds:
        if len(found) < most:
            found += _module(kind).offers(moment)
    if found and found[0].kind != "warning" and len(moment.offered) >= MOST_IN_A_SESSION:
        return []
    return found[:most]


def _module(kind: str) -> Any:
    # Not by `importlib`, which is slow to load.
    return __import__(f"{__name__}.{kind}", fromlist=["offers"])
