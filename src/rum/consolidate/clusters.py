"""Claims that say the same, put together: the wording that most memories bear out stands for all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log2
from typing import NamedTuple

from rum.consolidate.opposed import opposed, position
from rum.consolidate.statements import Kind, Statement
from rum.consolidate.vocabulary import Vocabulary, Words, figures, telling_words
from rum.store.claims import Claim

Likeness = Callable[[str, str], float]
"""How near two texts are in meaning, by their vectors: the cosine."""

SAYS = 0.7
"""The share of a claim's words, the rarer counting more, that another has which says the same."""
MEANS, HALF_SAYS = 0.75, 0.3
"""The cosine, and the share of words beside it, from which on two claims mean the same."""
MOST = 1500
"""Claims that are compared; of more the weightiest."""

_COMPARED = 60
"""Claims that are compared with another because of one word."""
_MORE = 3
_RAREST = 5
"""Words of a claim by which others are found to compare it with."""
_SOON_READ = 200
"""Characters; a longer claim is worth a little less."""
_MEANT = 40
"""Claims that are compared by meaning: each costs a vector."""


class Cluster(NamedTuple):
    """A claim in its best wording, who makes it, and who makes one that cannot hold beside it."""

    best: Statement
    saying: tuple[Statement, ...]
    """All that say it, the best wording first."""
    against: tuple[Statement, ...]
    rank: float

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories that say it, each once."""
        return ids_of(self.saying)

    @property
    def against_ids(self) -> tuple[str, ...]:
        """The memories that say otherwise, each once."""
        return ids_of(self.against)


def ids_of(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The memories that make some claims, each once."""
    return tuple(dict.fromkeys(memory_id for one in statements for memory_id in one.memory_ids))


def clustered(
    statements: Iterable[Statement], topics: Words = frozenset(), likeness: Likeness | None = None
) -> list[Cluster]:
    """Claims with all that say the same, the best first; claims about the `topics` are a little better."""
    found = _Comparison(_different(statements), topics)
    if likeness:
        found.look_at_meaning(likeness)
    return found.clusters()


class _Taken(NamedTuple):
    """A claim taken apart."""

    statement: Statement
    words: Words
    figures: Words
    position: Claim


class _Comparison:
    """Some claims, and for each of them which others say it."""

    def __init__(self, claims: Sequence[_Taken], topics: Words) -> None:
        self._claims = claims
        self._topics = topics
        self._vocabulary = Vocabulary([claim.words for claim in claims])
        self._opposed = opposed([claim.position for claim in claims])
        self._sayers = [[number] for number in range(len(claims))]
        for number, other in self._pairs():
            if self._says(other, number, SAYS):
                self._sayers[number].append(other)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Claims that may say the same: each with those that have one of its rarest words."""
        holders: dict[str, list[int]] = {}
        for number, claim in enumerate(self._claims):
            for word in claim.words:
                holders.setdefault(word, []).append(number)
        for number, claim in enumerate(self._claims):
            rarest = self._vocabulary.rarest(claim.words, _RAREST)
            near = {other for word in rarest for other in _around(holders[word], number)}
            yield from ((number, other) for other in sorted(near - {number}))

    def _says(self, one: int, other: int, least: float) -> bool:
        """Whether one claim says what the other does."""
        sayer, wording = self._claims[one], self._claims[other]
        if sayer.position.denied != wording.position.denied or wording.figures - sayer.words:
            return False
        if (sayer.statement.kind is Kind.FAILED) != (wording.statement.kind is Kind.FAILED):
            return False
        if len(sayer.words) > 2 * len(wording.words) + _MORE:
            return False  # who says so much has the words of many claims
        return self._vocabulary.share(wording.words, sayer.words) >= least

    def look_at_meaning(self, likeness: Likeness) -> None:
        """Add those that say a claim in other words."""
        best = self._ranked()[:_MEANT]
        pairs = [(one, other) for place, one in enumerate(best) for other in best[place + 1 :]]
        for one, other in pairs:
            new = [
                (wording, sayer)
                for wording, sayer in ((one, other), (other, one))
                if sayer not in self._sayers[wording] and self._says(sayer, wording, HALF_SAYS)
            ]
            texts = (self._claims[one].statement.text, self._claims[other].statement.text)
            if new and likeness(*texts) >= MEANS:
                for wording, sayer in new:
                    self._sayers[wording].append(sayer)

    def clusters(self) -> list[Cluster]:
        """The best claim with what says the same, then the best of the rest, and so on."""
        said: list[list[int]] = [[] for _ in self._claims]
        for number, sayers in enumerate(self._sayers):
            for sayer in sayers:
                said[sayer].append(number)
        found, gone = list[Cluster](), set[int]()
        for number in self._ranked():
            if number not in gone:
                found.append(self._cluster(number))
                gone.update(self._sayers[number], said[number])
        return found

    def _ranked(self) -> list[int]:
        """Places of claims, the best first; among equals the shorter wording, as it is the clearer one."""
        texts = [claim.statement.text for claim in self._claims]
        ranks = list(map(self._rank, range(len(texts))))
        return sorted(range(len(texts)), key=lambda one: (-ranks[one], len(texts[one]), texts[one]))

    def _rank(self, number: int) -> float:
        """What a claim is worth: how telling it is, how many memories say it, and if it is on the subject."""
        claim = self._claims[number]
        support = len(ids_of(self._claims[sayer].statement for sayer in self._sayers[number]))
        on_topic = len(claim.words & self._topics) / (len(self._topics) or 1)
        lengthy = max(0, len(claim.statement.text) - _SOON_READ) / (2 * _SOON_READ)
        return round(claim.statement.weight + 1.5 * log2(support) + on_topic - lengthy, 4)

    def _cluster(self, number: int) -> Cluster:
        sayers = [number, *sorted(set(self._sayers[number]) - {number})]
        against = sorted({other for sayer in sayers for other in self._opposed[sayer]} - set(sayers))
        saying = tuple(self._claims[sayer].statement for sayer in sayers)
        return Cluster(
            saying[0], saying, tuple(self._claims[one].statement for one in against), self._rank(number)
        )


def _different(statements: Iterable[Statement]) -> list[_Taken]:
    """Claims taken apart, those of the same words as one, in the order of their texts."""
    same_text: dict[str, list[Statement]] = {}
    for statement in statements:
        same_text.setdefault(statement.text, []).append(statement)
    weighty = sorted(map(_merged, same_text.values()), key=_clearest)[:MOST]
    same_words: dict[tuple[Words, bool], list[_Taken]] = {}
    for claim in map(_taken, weighty):
        same_words.setdefault((claim.words, claim.position.denied), []).append(claim)
    merged = (
        same[0]._replace(statement=_merged([claim.statement for claim in same]))
        for same in same_words.values()
    )
    return sorted(merged, key=lambda claim: claim.statement.text)


def _taken(statement: Statement) -> _Taken:
    words = telling_words(statement.text)
    return _Taken(statement, words, figures(words), position(statement.text))


def _merged(same: Sequence[Statement]) -> Statement:
    best, *others = sorted(same, key=_clearest)
    return best._replace(memory_ids=ids_of([best, *others]))


def _clearest(statement: Statement) -> tuple[float, int, str, tuple[str, ...]]:
    return -statement.weight, len(statement.text), statement.text, statement.memory_ids


def _around(holders: Sequence[int], number: int) -> Sequence[int]:
    """Of many that have a word those nearest in the order of texts, where the same beginnings meet."""
    if len(holders) <= _COMPARED:
        return holders
    start = min(max(bisect_left(holders, number) - _COMPARED // 2, 0), len(holders) - _COMPARED)
    return holders[start : start + _COMPARED]
