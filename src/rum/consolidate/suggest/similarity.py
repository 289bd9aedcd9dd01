"""How likely two memories are to belong to one story, for those pairs where it is not hopeless."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from heapq import nlargest

from rum.consolidate.suggest.traits import DAY, Traits

# What each thing in common adds to the log-odds, after fits on commits of which one names the other, against
# pairs that share a word or a file by chance. How rare a thing is counts in natural logarithms.
GOAL = 1.2
WORD = 0.2
WORDS = 3
"""So many of the rarest words in common count."""
FILE = 0.4
"""For the rarest file in common; and FILES for all of them being in common."""
FILES = 0.6
LINKED, NEARLY_LINKED = 4.0, 2.0
"""Linked to each other; or both to a third."""
APART = 0.7
"""Taken off for each factor e of days between them."""
STRANGERS = 3.0
"""Two memories are strangers until more is found in common: how much more, grows with how many there are, as
rarity does, from so many factors e of them on."""
LEAST_STRANGE = 1.0

NEXT = 16
"""Of those who share a word, file or session, so many of the next in time are looked at."""
CLOSEST = 16
"""So many of them are compared in full."""
WORTH_A_LOOK = 0.25
LEAST = 0.07
"""A pair less likely than this counts as strangers."""
HUB = 12
"""What more than so many are linked to does not tie these to each other."""

Links = Mapping[int, Set[int]]
"""By the places of memories in order of time."""
Pairs = dict[tuple[int, int], float]
"""The probability of two memories being of one story; the earlier one's place comes first."""


def likely_pairs(memories: Sequence[Traits | None], links: Links) -> Pairs:
    """The pairs of memories that may belong together."""
    prior = max(LEAST_STRANGE, math.log(max(1, len(memories))) - STRANGERS)
    likely: Pairs = {}
    for here, tied in _candidates(memories, links, WORTH_A_LOOK * prior):
        one = memories[here]
        for there, by_links in tied:
            other = memories[there]
            if one and other:
                chance = 1 / (1 + math.exp(prior - by_links - evidence(one, other)))
                if chance >= LEAST:
                    likely[here, there] = chance
    return likely


def evidence(one: Traits, other: Traits) -> float:
    """What speaks for two memories being of one story, links apart, and against it."""
    words = sorted(_in_common(one.words, other.words), reverse=True)[:WORDS]
    files = _in_common(one.files, other.files)
    told = GOAL * sum(value * other.goal[term] for term, value in one.goal.items() if term in other.goal)
    told += max(_in_common(one.names, other.names), default=0.0) + WORD * sum(words)
    if files:
        either = one.file_count + other.file_count - len(files)
        told += FILE * max(files) + FILES * len(files) / either
    told += one.by_agent if one.agent == other.agent else 0
    told += one.in_session if one.session == other.session else 0
    return told - APART * math.log1p(abs(one.at - other.at) / DAY)


def _in_common(some: Mapping[str, float], others: Mapping[str, float]) -> list[float]:
    return [min(value, others[one]) for one, value in some.items() if one in others]


def _candidates(
    memories: Sequence[Traits | None], links: Links, worth: float
) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """For each memory the later ones that share something rare with it, and what links say of them."""
    holders = _holders(memories)
    passed: defaultdict[tuple[str, str], int] = defaultdict(int)
    for here, one in enumerate(memories):
        if one is None:
            continue
        points: defaultdict[int, float] = defaultdict(float)
        for what, value in _ties(one):
            passed[what] += 1
            at = passed[what]
            for there in holders[what][at : at + NEXT]:
                points[there] += value
        tied = _by_links(here, links)
        near = [(value, -there) for there, value in points.items() if value >= worth and there not in tied]
        closest = [(-there, 0.0) for _, there in nlargest(CLOSEST, near)]
        yield here, [*sorted(tied.items()), *closest]


def _holders(memories: Sequence[Traits | None]) -> Mapping[tuple[str, str], list[int]]:
    holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for here, one in enumerate(memories):
        for what, _ in _ties(one) if one else ():
            holders[what].append(here)
    return holders


def _ties(one: Traits) -> Iterator[tuple[tuple[str, str], float]]:
    """Everything that a memory may share with others, with about as much as it would say."""
    for word, value in one.words.items():
        yield ("word", word), WORD * value + one.names.get(word, 0.0)
    for path, value in one.files.items():
        yield ("file", path), FILE * value
    yield ("session", one.session), one.in_session


def _by_links(here: int, links: Links) -> dict[int, float]:
    """The later memories that links tie to this one, at first or at second hand."""
    mine = links.get(here, frozenset[int]())
    tied = {
        there: NEARLY_LINKED
        for between in mine
        if len(links[between]) <= HUB
        for there in links[between]
        if there > here
    }
    return tied | {there: LINKED for there in mine if there > here}
