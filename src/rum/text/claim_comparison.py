"""Whether a text says a claim, denies it, or says it of something else in much the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from rum.text.claim_parts import TURNING, Reading, parts, reading, sides
from rum.text.claim_stance import turned
from rum.text.stem import stem
from rum.text.word_weights import Words, figures

Share = Callable[[Words, Words], float]
"""How much of some words others have too, from 0 to 1."""

SAID = 0.6
"""The share of a claim's words that a sentence has which speaks of the same."""
_FRAME = 2
"""Words that two statements share beside one that is another."""
_LIMITS = frozenset(("except", "only", "unless"))
_OTHERS = """
above/below accept/reject add/remove allow/deny allow/forbid anyone/only ascending/descending
async/sync asynchronous/synchronous child/parent client/server close/open decode/encode decrease/increase
decrypt/encrypt disable/enable down/up download/upload downgrade/upgrade everybody/only everyone/only
external/internal false/true fast/slow fewer/more first/last input/output last/next left/right less/more
local/remote lock/unlock lower/raise lower/upper max/min maximum/minimum newer/older newest/oldest
over/under private/public production/staging pull/push read/write receive/send request/response
source/target spaces/tabs start/stop
"""
_UNLIKE = frozenset(
    frozenset(word if word in TURNING else stem(word) for word in pair.split("/")) for pair in _OTHERS.split()
)
"""Words of which one says something else than the other, whatever stands around them."""


class Stand(Enum):
    """How a text stands to a claim."""

    SAYS = 1
    DENIES = 2
    DIFFERS = 3


def stand(claim: str, said: Sequence[Reading], share: Share) -> Stand:
    """How sentences stand to a claim: by those that speak of the same, the nearest decides."""
    for part in parts(claim):
        nearest = max(_speaking(part, said, share), default=None)
        if nearest and not nearest[2]:
            return Stand.DENIES
    whole = reading(claim)
    found = [(near, not differs(whole, said[number])) for near, _, _, number in _speaking(whole, said, share)]
    return Stand.SAYS if max(found, default=(0.0, True))[1] else Stand.DIFFERS


def _speaking(part: Reading, said: Sequence[Reading], share: Share) -> Iterator[tuple[float, int, bool, int]]:
    """Who speaks of the same: how near, how briefly, whether they agree, and the place."""
    for number, one in enumerate(said):
        near = share(part.core, one.core)
        if near >= SAID or swapped(part, one):
            yield near, -len(one.words), not denies(part, one), number


def denies(one: Reading, other: Reading) -> bool:
    """Whether of two statements that speak of the same one has a "not" where the other has none."""
    if one.denied == other.denied:
        return False
    mine, theirs = _marked(one), _marked(other)
    return any(mine[word] != theirs[word] for word in mine.keys() & theirs.keys())


def _marked(one: Reading) -> dict[str, bool]:
    """The words of a statement, and whether each stands behind a "not", or is the opposite of the word."""
    marked = dict[str, bool]()
    for word in one.sequence:
        plain, opposite = turned(word)
        marked[plain] = opposite != (word in one.negated)
    return marked


def differs(one: Reading, other: Reading) -> bool:
    """Whether a statement, for all the words that it shares with another, speaks of something else."""
    if one.turns & _LIMITS - other.turns:
        return True
    mine, theirs = one.words - other.words, other.words - one.words
    unlike = any(frozenset((a, b)) in _UNLIKE for a in mine for b in theirs)
    return unlike or swapped(one, other) or crosses(one, other)


def swapped(one: Reading, other: Reading) -> bool:
    """Whether one word alone is another, and so was meant to be; for a number a word is only less exact."""
    shared = one.words & other.words
    if len(shared) < _FRAME or not len(one.words) == len(other.words) == len(shared) + 1:
        return False
    return bool(figures(one.words - shared)) or not figures(other.words - shared)


def crosses(one: Reading, other: Reading) -> bool:
    """Whether two statements put things in opposite order: this before that, that before this."""
    for pivot, left, right in sides(one):
        for other_pivot, other_left, other_right in sides(other):
            if pivot == other_pivot and left & other_right - right and right & other_left - left:
                return True
    return _at_odds_on_time(one, other) or _transposed(one, other)


def _at_odds_on_time(one: Reading, other: Reading) -> bool:
    """Whether one says "before" and the other "after", and not of the same two things the other way round."""
    mine, theirs = ({"after", "before"} & set(side.sequence) for side in (one, other))
    if {*mine, *theirs} != {"after", "before"} or mine & theirs:
        return False
    return not any(
        left & other_left and right & other_right
        for _, left, right in sides(one)
        for _, other_left, other_right in sides(other)
    )


def _transposed(one: Reading, other: Reading) -> bool:
    """Whether two words, apart from each other, have changed places, and no "by" explains it."""
    if (" by " in one.text) != (" by " in other.text):
        return False
    mine = [word for word in one.sequence if word in other.words]
    theirs = [word for word in other.sequence if word in one.words]
    if len(mine) != len(theirs):
        return False
    places = [place for place, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1]]
    if len(places) != 2 or places[1] - places[0] < 2:  # side by side is another way to say it
        return False
    first, second = places
    return mine[first] == theirs[second] and mine[second] == theirs[first]
