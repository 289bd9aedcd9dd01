"""How likely two memories are to belong to one story, and the groups that follow from it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from heapq import heapify, heappop, heappush, nlargest
from itertools import combinations

from rum.consolidate.suggest.traits import DAY, Traits

# What each thing in common adds to the log-odds, after fits on commits of which one names the other, against
# pairs that share a word or a file by chance. How rare a thing is counts in natural logarithms.
GOAL = 1.2
WORD = 0.2
WORDS = 3  # The number of rarest common words that count
FILE = 0.4  # For the rarest file in common; and FILES for all of them being in common
FILES = 0.6
LINKED, NEARLY_LINKED = 4.0, 2.0  # Linked to each other; or both to a third
APART = 0.7  # Taken off for each factor e of days between them
# Two memories are unrelated unless enough is in common. How much is enough grows with the logarithm of their
# number, as rarity does; this is taken off that logarithm.
UNRELATED = 3.0
LEAST_PRIOR = 1.0

NEXT = 16  # Of those that share a word, file or session, how many of the next in time are candidates
CLOSEST = 16  # How many of the candidates are compared in full
WORTH_A_LOOK = 0.25
LEAST = 0.07  # A pair less likely than this counts as unrelated
HUB = 12  # Memories linked to one with more links than this are not related by it
LARGEST = 30  # Members of a group; a longer story becomes several
# How likely two members of two groups must be to belong together, on average, for the groups to be one.
TOGETHER = 0.5

Links = Mapping[int, Set[int]]  # By the places of memories in order of time
# The probability of two memories being of one story; the earlier one's place comes first.
Pairs = dict[tuple[int, int], float]


def likely_pairs(memories: Sequence[Traits | None], links: Links) -> Pairs:
    """The pairs of memories that may belong together."""
    prior = max(LEAST_PRIOR, math.log(max(1, len(memories))) - UNRELATED)
    likely: Pairs = {}
    for here, candidates in _candidates(memories, links, WORTH_A_LOOK * prior):
        one = memories[here]
        for there, by_links in candidates:
            other = memories[there]
            if one and other:
                chance = 1 / (1 + math.exp(prior - by_links - evidence(one, other)))
                if chance >= LEAST:
                    likely[here, there] = chance
    return likely


def evidence(one: Traits, other: Traits) -> float:
    """The log-odds that two memories are of one story, without their links."""
    words = sorted(_in_common(one.words, other.words), reverse=True)[:WORDS]
    files = _in_common(one.files, other.files)
    points = GOAL * sum(value * other.goal[term] for term, value in one.goal.items() if term in other.goal)
    points += max(_in_common(one.names, other.names), default=0.0) + WORD * sum(words)
    if files:
        either = one.file_count + other.file_count - len(files)
        points += FILE * max(files) + FILES * len(files) / either
    points += one.by_agent if one.agent == other.agent else 0
    points += one.in_session if one.session == other.session else 0
    return points - APART * math.log1p(abs(one.at - other.at) / DAY)


def _in_common(some: Mapping[str, float], others: Mapping[str, float]) -> list[float]:
    return [min(value, others[one]) for one, value in some.items() if one in others]


def _candidates(
    memories: Sequence[Traits | None], links: Links, worth: float
) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """For each memory the later ones that share something rare with it, and the links between them."""
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
    """Everything that a memory may share with others, with about its points."""
    for word, value in one.words.items():
        yield ("word", word), WORD * value + one.names.get(word, 0.0)
    for path, value in one.files.items():
        yield ("file", path), FILE * value
    yield ("session", one.session), one.in_session


def _by_links(here: int, links: Links) -> dict[int, float]:
    """The later memories that are linked to this one, directly or by a third."""
    mine = links.get(here, frozenset[int]())
    tied = {
        there: NEARLY_LINKED
        for between in mine
        if len(links[between]) <= HUB
        for there in links[between]
        if there > here
    }
    return tied | {there: LINKED for there in mine if there > here}


def group_pairs(pairs: Mapping[tuple[int, int], float], count: int) -> list[list[int]]:
    """The groups of two or more among `count` memories, by their places; no memory is in two.

    The likeliest are merged first: two groups become one while their members, on average, belong together.
    Memories that were never compared count as unrelated.
    """
    members: dict[int, list[int]] = {place: [place] for place in range(count)}
    near = _near(pairs)
    heap = [(-chance, one, other, 1, 1) for (one, other), chance in pairs.items() if chance >= TOGETHER]
    heapify(heap)
    while heap:
        _, one, other, size, other_size = heappop(heap)
        # An entry is outdated if one of its groups has grown, or is part of another by now.
        if len(members.get(one, ())) != size or len(members.get(other, ())) != other_size:
            continue
        if size + other_size <= LARGEST:
            members[one] += members.pop(other)
            _join(near, one, other)
            for pair in _worth_joining(near, members, one):
                heappush(heap, pair)
    return [sorted(group) for group in members.values() if len(group) > 1]


def _near(pairs: Mapping[tuple[int, int], float]) -> dict[int, dict[int, float]]:
    """For each group the sum of chances of all pairs with another; at first each memory is a group."""
    near: dict[int, dict[int, float]] = {}
    for (one, other), chance in pairs.items():
        near.setdefault(one, {})[other] = chance
        near.setdefault(other, {})[one] = chance
    return near


def _join(near: dict[int, dict[int, float]], one: int, other: int) -> None:
    """Add the sums of one group to those of another."""
    mine = near[one]
    for third, chance in near.pop(other).items():
        del near[third][other]
        if third != one:
            mine[third] = near[third][one] = mine.get(third, 0.0) + chance


def _worth_joining(
    near: Mapping[int, Mapping[int, float]], members: Mapping[int, list[int]], one: int
) -> Iterator[tuple[float, int, int, int, int]]:
    size = len(members[one])
    for other, chances in near[one].items():
        other_size = len(members[other])
        mean = chances / (size * other_size)
        if mean >= TOGETHER and size + other_size <= LARGEST:
            first, second = sorted(((one, size), (other, other_size)))
            yield -mean, first[0], second[0], first[1], second[1]


def cohesion(group: list[int], pairs: Mapping[tuple[int, int], float]) -> float:
    """How likely two members of a group belong together, on average."""
    chances = [pairs.get(pair, 0.0) for pair in combinations(group, 2)]
    return sum(chances) / len(chances)
