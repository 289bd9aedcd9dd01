"""Rank entries by the words of a query, with a small bonus for recent ones."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import cast

from rum.model.layers import MemoryEntry

WHOLE = 2  # Points for each occurrence of a term as a whole word
INSIDE = 1  # Points for a term that only occurs inside of words
RECENT = 0.5  # Bonus of an entry made now
FRESH_FOR = 24 * 60 * 60 * 1000  # Milliseconds in which the bonus falls to 0


def found(entries: Iterable[MemoryEntry], query: str, limit: int, now: float) -> list[MemoryEntry]:
    """The entries with most points, best first and newer first among equals; `now` in milliseconds."""
    terms = Counter(query.casefold().split())
    scored = (
        (score(entry, terms, now), entry.timestamp, place, entry) for place, entry in enumerate(entries)
    )
    best = heapq.nlargest(limit, (one for one in scored if one[0]), key=lambda one: one[:3])
    return [entry for *_, entry in best]


def score(entry: MemoryEntry, terms: Counter[str], now: float) -> float:
    """The points of an entry; 0 if it holds no term."""
    text = "\n".join((entry.content, *values_of(entry.metadata))).casefold()
    points = sum(
        (WHOLE * _words(term, text) or INSIDE) * times for term, times in terms.items() if term in text
    )
    age = max(0.0, now - entry.timestamp)  # a time in the future counts as now
    return points + RECENT * max(0.0, 1 - age / FRESH_FOR) if points else 0.0


def _words(term: str, text: str) -> int:
    """How often a term occurs in a text as a whole word."""
    count, at = 0, text.find(term)
    while at >= 0:
        end = at + len(term)
        is_whole_word = not _joined(text, at) and not _joined(text, end)
        count += is_whole_word
        at = text.find(term, end if is_whole_word else at + 1)
    return count


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of a position belong to one word."""
    return 0 < at < len(text) and all(one.isalnum() or one == "_" for one in text[at - 1 : at + 1])


def values_of(nested: object) -> Iterator[str]:
    """Every value in JSON as text, at any depth, without the keys."""
    waiting = [nested]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += cast("dict[str, object]", value).values()
        elif isinstance(value, list | tuple):
            waiting += cast("list[object]", value)
        elif value is not None:
            yield value if isinstance(value, str) else json.dumps(value)
