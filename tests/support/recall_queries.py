"""Queries to recall's levels on a store, with all candidates visible."""

from __future__ import annotations

from typing import Any

from rum.model.requests import RecallRequest
from rum.recall.cascade import search
from rum.recall.inquiry import Inquiry, Match
from rum.recall.semantic import SemanticSearch
from rum.store.base import Store


def inquire(
    store: Store,
    query: str,
    *files: str,
    session: str = "",
    semantic: SemanticSearch | None = None,
    patient: bool = True,
    **more: Any,
) -> Inquiry:
    """Run recall for a text and optional files."""
    question = RecallRequest(query=query, file=files or None, **more)
    return Inquiry(question, store, files, session=session, semantic=semantic, patient=patient)


def found(inquiry: Inquiry) -> dict[str, Match]:
    """All candidates of the levels, by id."""
    return search(inquiry).matches


def signal(inquiry: Inquiry, name: str) -> dict[str, float]:
    """One signal of every candidate, by id."""
    return {memory_id: match.signals[name] for memory_id, match in found(inquiry).items()}
