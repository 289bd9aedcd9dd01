"""What the calls of a review return: pending items, decisions about them, and the counts of `rum stats`."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType


class PendingItem(Struct, frozen=True, kw_only=True):
    """Something captured or extracted that waits for review."""

    id: str
    kind: str
    label: str
    proposed_at: int
    proposed_by: str
    number: int  # Another one when it is proposed anew, with other content


class PendingShown(PendingItem, frozen=True, kw_only=True):
    """A pending item with all of its fields, what it would replace, and what it was made of."""

    content: dict[str, Any]
    replaces: dict[str, Any] | UnsetType = UNSET
    evidence: list[str]


class Reviewed(Struct, frozen=True, kw_only=True):
    """What was decided about an item: `accepted`, `edited`, `rejected` or `merged`.

    `kept_as` is the id under which it is now, or that of the item it was merged into.
    """

    id: str
    kind: str
    label: str
    verdict: str
    kept_as: str | UnsetType = UNSET


class Stats(Struct, frozen=True, kw_only=True):
    """Counts since a time: captured events and turns, offers and their outcomes, and reviews.

    `pending` counts what waits for review now. Events are kept for two weeks.
    """

    since: float
    events: dict[str, int]  # By kind
    turns: dict[str, int]  # By outcome
    offers: dict[str, dict[str, int]]  # By kind of offer, then by outcome
    muted: int  # Hooks that had no time to look for offers
    reviewed: dict[str, dict[str, int]]  # By verdict and kind
    pending: dict[str, int]  # By kind
