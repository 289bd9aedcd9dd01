"""Whether something was said before: how many of its words an earlier text has too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rum.store.terms import says_little, terms

ALIKE = 0.6
"""The share of its words in an earlier text from which on something says nothing new."""


class Said(NamedTuple):
    """Something that was said before, under a name by which it can be found."""

    name: str
    words: frozenset[str]


def telling_words(text: str) -> frozenset[str]:
    """The words of a text that say something, stemmed."""
    return frozenset(term for term in terms(text) if not says_little([term]))


def said(name: str, text: str) -> Said:
    """A text to compare with."""
    return Said(name, telling_words(text))


def likeness(words: frozenset[str], other: frozenset[str]) -> float:
    """How many of the words the other has too, as a share of them all."""
    return len(words & other) / len(words) if words else 0.0


def nearest(text: str, before: Iterable[Said]) -> tuple[Said, float] | None:
    """What was said before and has most of a text's words, and how many of them."""
    words = telling_words(text)
    found = [(one, likeness(words, one.words)) for one in before]
    return max(found, key=lambda one: one[1], default=None)
