"""Offers: memories that RUM shows an agent without being asked.

Each name in `KINDS` is a module of this package; the other modules are helpers.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from rum.capture.events.event import Event
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.settings.load import Settings

    class OfferLimits(NamedTuple):
        """The user's settings for offers; see `settings/table.py`."""

        kinds: tuple[str, ...] | None = None  # None: all
        min_age: float = 0  # Hours
        min_memories: int = 0
        cooldown: float = 0  # Minutes
        per_session: int = 16

else:
    # `typing` is slow to load.
    OfferLimits = namedtuple(
        "OfferLimits",
        ("kinds", "min_age", "min_memories", "cooldown", "per_session"),
        defaults=(None, 0, 0, 0, 16),
    )

# The kinds of offers for each kind of event, most urgent first; the modules are loaded when needed.
KINDS = {
    "start": ("guidance", "session"),
    "prompt": ("guidance", "intent", "task"),
    "before": ("warning", "guidance", "touching"),
    "after": ("warning", "guidance", "touching"),
    "failed": ("warning",),
}
MAX_PER_EVENT, MAX_AT_START = 1, 4  # Maximum number of offers per event, and at the start of a session
UNLIMITED = OfferLimits()
_HOUR, _MINUTE = 3600, 60


def offer_limits(settings: Settings) -> OfferLimits:
    """The limits that the user's settings give."""
    return OfferLimits(
        settings.offers,
        settings.offer_min_age,
        settings.offer_min_memories,
        settings.offer_cooldown,
        settings.offers_per_session,
    )


def offers_for(event: Event, folder: str, root: str | None, limits: OfferLimits = UNLIMITED) -> list[Offer]:
    """The offers at an event, most urgent first.

    `folder` holds the project's memory; `root` is the root of the checkout, if there is one.
    """
    allowed = limits.kinds
    kinds = [kind for kind in KINDS.get(event["kind"], ()) if allowed is None or kind in allowed]
    if not kinds or event.get("tool") in ("rum", "other", "search", "agent"):
        return []
    from rum.inject.offers.context import OfferContext  # noqa: PLC0415 (many events get no offer)

    context = OfferContext(event, folder, root)
    limit = MAX_AT_START if event["kind"] == "start" else MAX_PER_EVENT
    found: list[Offer] = []
    for kind in kinds:
        if len(found) < limit:
            found += _module(kind).offers(context)
    if not found or not is_allowed(context, limits):
        return []
    if found[0].kind != "warning" and (
        len(context.offered) >= limits.per_session
        or (limits.cooldown and event["at"] - context.last_offered_at < limits.cooldown * _MINUTE)
    ):
        return []
    return [one for one in found[:limit] if is_old_enough(context, one.memory_ids, limits)]


def is_allowed(context: OfferContext, limits: OfferLimits) -> bool:
    """Whether the project has enough memories for offers."""
    return not limits.min_memories or context.store.has_memories(limits.min_memories)


def is_old_enough(context: OfferContext, memory_ids: tuple[str, ...], limits: OfferLimits) -> bool:
    """Whether none of the memories is younger than the minimum age."""
    if not limits.min_age or not memory_ids:
        return True
    latest = context.event["at"] - limits.min_age * _HOUR
    return all(at <= latest for at in context.store.created_at(memory_ids))


def _module(kind: str) -> Any:
    # Not by `importlib`, which is slow to load.
    return __import__(f"{__name__}.{kind}", fromlist=["offers"])
