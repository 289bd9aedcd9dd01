"""Meaning over a store by an embedder that counts words, for the tests of this room."""

from __future__ import annotations

from rum.recall.semantic import Meaning
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import HandClock, add_memory
from support.embedders import WordEmbedder
from support.finding import by_ids, ids_of


def made(store: Store, embedder: WordEmbedder | None, clock: HandClock) -> Meaning:
    """Meaning by an embedder that never sees a certain secret."""
    return Meaning(store, embedder, clean=lambda text: text.replace("hunter2", "***"), clock=clock)


def keep(store: Store, *goals: str) -> None:
    """Add memories, each with its goal's first word as its name."""
    for goal in goals:
        add_memory(store, f"mem_{goal.split()[0]}", goal)


def near(meaning: Meaning, text: str, most: int = 1) -> list[str]:
    """The memories nearest to a text."""
    return list(nearest(meaning, text, most))


def nearest(meaning: Meaning, text: str, most: int, *, archived: bool = False) -> dict[str, float]:
    """The memories nearest to a text with their cosines, nearest first."""
    near = meaning.nearest(text, 0, most).archived if archived else meaning.nearest(text, most).live
    found = dict(near)
    return dict(zip(ids_of(meaning._store, found), found.values(), strict=True))


def likeness(meaning: Meaning, text: str, *ids: str) -> dict[str, float]:
    """How near memories are to a text."""
    numbers = {row[4]: row[0] for row in by_ids(meaning._store, ids, Filters(superseded=True))}
    return {numbers[number]: cosine for number, cosine in meaning.likeness(text, set(numbers)).items()}
