"""Queries to recall's levels on a store, with all candidates visible."""

from __future__ import annotations

from typing import Any

from rum.model.requests import RecallRequest
from rum.recall.cascade import search
from rum.recall.query import Match, RecallQuery
from rum.recall.semantic import SemanticSearch
from rum.store.base import Store


def recall_query(
    store: Store,
    query: str,
    *files: str,
    session: str = "",
    semantic: SemanticSearch | None = None,
    **more: Any,
) -> RecallQuery:
    """Run recall for a text and optional files."""
    question = RecallRequest(query=query, file=files or None, **more)
    return RecallQuery(question, store, files, session=session, semantic=semantic)


def found(query: RecallQuery) -> dict[str, Match]:
    """All candidates of the levels, by id."""
    return search(query).matches


def signal(query: RecallQuery, name: str) -> dict[str, float]:
    """One signal of every candidate, by id."""
    return {memory_id: match.signals[name] for memory_id, match in found(query).items()}
