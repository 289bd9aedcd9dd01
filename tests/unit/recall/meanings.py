"""Meaning over a store by an embedder that counts words, for the tests of this room."""

from __future__ import annotations

from embedding import WordEmbedder
from making import HandClock, add_memory
from rum.recall.meaning import Meaning
from rum.store.base import Store


def made(store: Store, embedder: WordEmbedder | None, clock: HandClock) -> Meaning:
    """Meaning by an embedder that never sees a certain secret."""
    return Meaning(store, embedder, clean=lambda text: text.replace("hunter2", "***"), clock=clock)


def keep(store: Store, *goals: str) -> None:
    """Add memories, each with its goal's first word as its name."""
    for goal in goals:
        add_memory(store, f"mem_{goal.split()[0]}", goal)


def near(meaning: Meaning, text: str, most: int = 1) -> list[str]:
    """The memories nearest to a text."""
    return [memory_id for memory_id, _ in meaning.nearest(text, most)]
