"""Offers with their outcomes, and feedback, as answers of the API."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from rum.model.fields import about
from rum.model.memory_layers import Layer

RATED = ("memory", "note", "fact", "rule", "chapter", "wisdom")  # What feedback can be given on


def ledger_id(kind: str, one: str) -> str:
    """How the ledger of use names something: by its id; notes and facts have their kind in front."""
    name = one.partition("#")[0] if kind in ("note", "wisdom") else one
    return f"{kind}:{name}" if kind in ("note", "fact") else name


class FeedbackRequest(Layer, frozen=True):
    """Whether a memory, note, fact, rule, chapter or wisdom was useful."""

    id: Annotated[str, about("An id, a note's slug or a fact's key.")]
    useful: bool
    still_true: Annotated[
        bool, about("It holds for the code as it is now; its freshness starts anew.", option="--still-true")
    ] = False
    kind: Annotated[str | None, about("What it is, if two kinds have this id.", tool=False)] = None


class FeedbackResult(Struct, frozen=True, kw_only=True):
    """What was rated, and how useful it is now, from -1 to 1."""

    id: str
    kind: str
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
