"""At the end of a turn: ask the agent to store its work itself, as its own words are better than RUM's."""

from __future__ import annotations

from rum.capture.events.event import CONTINUED
from rum.inject.offers.context import OfferContext
from rum.inject.offers.text import Offer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.capture.events.event import Event

KIND = "store"
REQUEST = (
    "RUM asks once: before you stop, call its tool `store` for this work, as a later session needs it: "
    "the goal, what you did and why this way, what you decided against and why, what failed, what is left. "
    "Write only what happened. Then repeat your last message."
)


def store_request(stop: Event, directory: str, root: str | None, mode: str) -> Offer | None:
    """The request, if the turn changed files that no earlier request of the session was about.

    With the mode `failures`, only if something failed in the turn. None if the agent stored a memory itself.
    """
    if stop["kind"] != "stop" or mode == "off" or stop.get("source") == CONTINUED or stop.get("agent"):
        return None
    context = OfferContext(stop, directory, root)
    events = [event for event in context.session_events() if _is_of_turn(event, stop)]
    if any(event.get("tool") == "rum" and event.get("memories") for event in events):
        return None
    if mode == "failures" and not any(event["kind"] == "failed" or event.get("exit") for event in events):
        return None
    done = (file for event in events if event["kind"] == "after" for file in event.get("files", []))
    changed = {file["path"] for file in done if file["operation"] != "read"}
    asked: set[object] = set()
    for offer in context.offered:
        files = offer.get("files")
        if offer.get("kind") == KIND and isinstance(files, list):
            asked.update(files)  # pyright: ignore[reportUnknownArgumentType]
    if not changed - asked:
        return None
    return Offer(KIND, (), REQUEST, tuple(sorted(changed)))


def _is_of_turn(event: Event, stop: Event) -> bool:
    return event.get("turn", "") == stop.get("turn", "")
