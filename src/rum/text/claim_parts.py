"""How a statement is to be read: its words in order, those that turn or limit it, and what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from rum.text.claim_stance import plainly_denied, stance
from rum.text.claims import DENIALS, parted
from rum.text.invisible import one_line
from rum.text.sentences import sentences
from rum.text.terms import says_little, terms
from rum.text.word_weights import Words

FROM_TO = "to"
"""Stands in the words of a statement between what is behind a "from" and what is behind its "to"."""
_TURNING = """
above after before below down except few fewer if instead less more most off only out over rather some than
under unless until up when
"""
TURNING = frozenset(_TURNING.split())
"""Small words that turn or limit what is said: with another one it is another statement."""
_LITTLE = """
all also always any anymore currently each ensure ever every everything just let make makes must now please
prefer really remember should still sure too use used uses using
"""
_PALE = frozenset(_LITTLE.split())
"""Words that only say that something is to be done, or holds; compared as they stand: "us" is not "use"."""
_PIVOTS = frozenset(("after", "before", "than", "instead", "rather", "over", "until", FROM_TO))
"""Words that put what is before them in a relation to what is behind them."""
_NUMBERS = frozenset(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twice", "half", "double")
)
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"“”«»/\\|`]+|,(?=\s)")
_FROM_TO = re.compile(r"\bfrom\s+([^,;:.]{1,60}?)\s+to\b", re.IGNORECASE)
_NAME = re.compile(r".[A-Z]|\w[_./]\w|\d")
_LONGEST = 1200
"""Characters of a text that is taken apart."""


class Reading(NamedTuple):
    """A statement taken apart."""

    sequence: tuple[str, ...]
    """The words that say or turn something, stemmed, in order."""
    words: Words
    """The same without their order, and for "after" a "before"."""
    turns: Words
    """Those among them that turn or limit it."""
    names: Words
    """Those of names and numbers."""
    negated: Words
    """Those behind a "not"."""
    opening: int
    """How many of them stand before the first comma."""
    denied: bool
    text: str

    @property
    def core(self) -> Words:
        """What it is about."""
        return self.words - self.turns


@lru_cache(maxsize=4096)
def reading(text: str) -> Reading:
    """A statement taken apart."""
    plain = one_line(text[:_LONGEST])
    sequence, names, opening = list[str](), set[str](), 0
    for number, written in enumerate(_WORD.findall(_FROM_TO.sub(r"\1 →", plain))):
        if written.startswith(","):
            opening = opening or len(sequence)
            continue
        sequence += (said := _said(written))
        if _is_name(written, first=not number):
            names.update(said)
    # What is after this is before that: by their order one knows which.
    words = frozenset("before" if word == "after" else word for word in sequence)
    return Reading(
        sequence=tuple(sequence),
        words=words,
        turns=words & (TURNING | {FROM_TO}),
        names=frozenset(names) - TURNING,
        negated=_negated(plain),
        opening=opening,
        denied=stance(plain).denied,
        text=plain,
    )


def parts(text: str) -> list[Reading]:
    """The clauses of a statement that say something by themselves; of one that has none, all of it."""
    plain = one_line(text[:_LONGEST])
    return [one for one in map(reading, parted(plain)) if one.core] or [reading(plain)]


@lru_cache(maxsize=512)
def units(text: str) -> tuple[Reading, ...]:
    """Every sentence of a text and every clause of it, each once."""
    told = sentences(text) or [one_line(text[:_LONGEST])]
    found = chain.from_iterable((reading(sentence), *parts(sentence)) for sentence in told)
    return tuple({one.text: one for one in found if one.core}.values())


def sides(one: Reading) -> Iterator[tuple[str, Words, Words]]:
    """What stands before and behind each word that puts things in a relation; "after" as "before"."""
    for place, word in enumerate(one.sequence):
        if word not in _PIVOTS:
            continue
        left, right = one.sequence[:place], one.sequence[place + 1 :]
        if not place and one.opening:  # "Before this, do that"
            left, right = one.sequence[one.opening :], one.sequence[1 : one.opening]
        first, second = frozenset(left), frozenset(right)
        yield ("before", second, first) if word == "after" else (word, first, second)


def _is_name(word: str, first: bool) -> bool:
    """Whether a word is a name or a number; the capital letter that begins a sentence is no sign of one."""
    shape = word[:1].lower() + word[1:] if first else word
    return bool(_NAME.search(shape)) or shape[:1].isupper() or shape.lower() in _NUMBERS


@lru_cache(maxsize=2048)
def _said(word: str) -> tuple[str, ...]:
    """The terms of a word that say or turn something."""
    lower = word.strip(".'*_-").lower()
    if lower == "→":
        return (FROM_TO,)
    if lower in TURNING:
        return (lower,)
    return () if lower in _PALE else tuple(term for term in terms(word) if not says_little((term,)))


def _negated(plain: str) -> Words:
    """The words behind a denial, up to the end of its clause."""
    denied = plainly_denied(plain)
    if not DENIALS.search(denied):
        return frozenset()
    found = set[str]()
    for clause in parted(denied) or [denied]:
        if denial := DENIALS.search(clause):
            found.update(*map(_said, _WORD.findall(clause[denial.end() :])))
    return frozenset(found)
