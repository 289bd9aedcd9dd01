"""Semantic search over a store with an embedder that counts words, for the tests of recall."""

from __future__ import annotations

from rum.recall.semantic import SemanticSearch
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import HandClock, add_memory
from support.embedders import WordEmbedder
from support.finding import by_ids, ids_of


def semantic_search(store: Store, embedder: WordEmbedder | None, clock: HandClock) -> SemanticSearch:
    """Semantic search with an embedder that never receives a certain secret."""
    return SemanticSearch(store, embedder, clean=lambda text: text.replace("hunter2", "***"), clock=clock)


def keep(store: Store, *goals: str) -> None:
    """Add memories, each with its goal's first word as its name."""
    for goal in goals:
        add_memory(store, f"mem_{goal.split()[0]}", goal)


def near(semantic: SemanticSearch, text: str, most: int = 1) -> list[str]:
    """The memories nearest to a text."""
    return list(nearest(semantic, text, most))


def nearest(semantic: SemanticSearch, text: str, most: int, *, archived: bool = False) -> dict[str, float]:
    """The memories nearest to a text with their cosines, nearest first."""
    near = semantic.nearest(text, 0, most).archived if archived else semantic.nearest(text, most).live
    found = dict(near)
    return dict(zip(ids_of(semantic._store, found), found.values(), strict=True))


def similarities(semantic: SemanticSearch, text: str, *ids: str) -> dict[str, float]:
    """How near memories are to a text."""
    numbers = {row[4]: row[0] for row in by_ids(semantic._store, ids, Filters(superseded=True))}
    return {numbers[number]: cosine for number, cosine in semantic.similarities(text, set(numbers)).items()}
