"""Offers: memories that RUM shows an agent without being asked.

Each name in `KINDS` is a module of this package; the other modules are helpers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rum.capture.events.event import Event
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.settings.load import Settings

# The kinds of offers for each kind of event, most urgent first; the modules are loaded when needed.
KINDS = {
    "start": ("guidance", "session"),
    "prompt": ("guidance", "intent", "task"),
    "before": ("warning", "guidance", "touching"),
    "after": ("warning", "guidance", "touching"),
    "failed": ("warning",),
}
_ABOUT_FILES = ("guidance", "touching")  # Kinds of offers that, at a tool call, are about the files it names
_FILE_TOOLS = ("read", "edit", "write")
MAX_PER_EVENT, MAX_AT_START = 1, 4  # Maximum number of offers per event, and at the start of a session
_HOUR, _MINUTE = 3600, 60


class OfferLimits:
    """The user's settings for offers; see `settings/table.py`. `kinds` of None means all."""

    def __init__(
        self,
        kinds: Sequence[str] | None = None,
        min_age: float = 0,
        min_memories: int = 0,
        cooldown: float = 0,
        per_session: int = 16,
    ) -> None:
        self.kinds = kinds
        self.min_age = min_age
        """Hours."""
        self.min_memories = min_memories
        self.cooldown = cooldown
        """Minutes."""
        self.per_session = per_session


UNLIMITED = OfferLimits()


def offer_limits(settings: Settings) -> OfferLimits:
    """The limits that the user's settings give."""
    return OfferLimits(
        settings.offers,
        settings.offer_min_age,
        settings.offer_min_memories,
        settings.offer_cooldown,
        settings.offers_per_session,
    )


def offers_for(
    event: Event,
    folder: str,
    root: str | None,
    limits: OfferLimits = UNLIMITED,
    context: OfferContext | None = None,
) -> list[Offer]:
    """The offers at an event, most urgent first.

    `folder` holds the project's memory; `root` is the root of the checkout, if there is one.
    """
    kinds = _kinds(event, limits.kinds)
    if not kinds:
        return []
    if context is None:
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


def _kinds(event: Event, allowed: Sequence[str] | None) -> list[str]:
    """The kinds of offers that an event may get; known before any of their modules is loaded."""
    kinds = [kind for kind in KINDS.get(event["kind"], ()) if allowed is None or kind in allowed]
    tool = event.get("tool")
    if tool in ("rum", "other", "search", "agent"):
        return []
    if event["kind"] in ("before", "after", "failed"):
        if tool not in _FILE_TOOLS:
            kinds = [kind for kind in kinds if kind not in _ABOUT_FILES]
        if event.get("exit") == 0:  # what has worked needs no warning
            kinds = [kind for kind in kinds if kind != "warning"]
    return kinds


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
