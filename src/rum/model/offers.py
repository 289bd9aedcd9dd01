"""Offers with their outcomes, and feedback on memories, as answers of the API."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from rum.model.memory_layers import Layer


class FeedbackRequest(Layer, frozen=True):
    """Whether a memory was useful."""

    memory_id: str
    useful: bool


class FeedbackResult(Struct, frozen=True, kw_only=True):
    """The current figures about the use of a memory; `usefulness` is from -1 to 1."""

    memory_id: str
    useful: bool
    usefulness: float


class OfferView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory that was offered: when, why, with which text, and the outcome."""

    at: float
    kind: str
    why: str
    session: str
    client: str
    memory_id: str | None = None
    text: str = ""
    outcome: str = "nothing"  # `nothing`, or several of `fetched`, `followed`, `contradicted`
    success: bool | None = None  # Whether the turn in which it was offered succeeded
    usefulness: float = 0.0


class OfferFigures(Struct, frozen=True):
    """The numbers of offers of a kind, and of their outcomes."""

    kind: str
    offered: int
    fetched: int
    followed: int
    contradicted: int


class OffersResult(Struct, frozen=True, kw_only=True):
    """Offers, newest first, and all of them by kind."""

    offers: list[OfferView]
    figures: list[OfferFigures]
    hint: str | UnsetType = UNSET
