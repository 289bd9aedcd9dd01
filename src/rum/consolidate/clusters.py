"""Claims that say the same, put together: the wording that most memories bear out stands for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log2
from typing import NamedTuple

from rum.consolidate.statements import SAID_OF, Kind, Statement
from rum.text.claim_comparison import comparable_claim, contradictions, differs, reverses_order
from rum.text.claims import Claim, parse_statement
from rum.text.claims import Statement as ParsedStatement
from rum.text.word_weights import Vocabulary, Words, telling_words

Likeness = Callable[[str, str], float]
"""How near two texts are in meaning, by their vectors: the cosine."""

MEANS, HALF_SAYS = 0.75, 0.3
"""The cosine, and the share of words beside it, from which on two claims mean the same."""
MOST = 1500
"""Claims that are compared; of more the weightiest."""

_MORE = 3
_SOON_READ = 200
"""Characters; a longer claim is worth a little less."""
_LEANING = (Kind.TOLD, Kind.CHOSEN)
_MEANT = 40
"""Claims that are compared by meaning: each costs a vector."""


class Cluster(NamedTuple):
    """A claim in its best wording, who makes it, and who makes one that cannot hold beside it."""

    best: Statement
    saying: tuple[Statement, ...]
    """All that say it, the best wording first."""
    against: tuple[Statement, ...]
    rank: float
    implied: tuple[Statement, ...] = ()
    """Claims that say less, and that it stands for too."""

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories that say it, each once."""
        return ids_of(self.saying)

    @property
    def against_ids(self) -> tuple[str, ...]:
        """The memories that say otherwise, each once."""
        return ids_of(self.against)


def by_text(found: Sequence[Cluster]) -> dict[str, Cluster]:
    """The claim that each wording went into, the better one of several; those that say it before others."""
    implied = {one.text: cluster for cluster in reversed(found) for one in cluster.implied}
    return implied | {one.text: cluster for cluster in reversed(found) for one in cluster.saying}


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
    read: ParsedStatement
    position: Claim

    @property
    def said_of(self) -> tuple[str, str] | None:
        """Of a sentence that leans on the work it was said of: that work, and the sentence."""
        work, _, sentence = self.statement.text.partition(SAID_OF)
        return (work, sentence) if sentence and self.statement.kind in _LEANING else None


class _Comparison:
    """Some claims, and for each of them which others say it."""

    def __init__(self, claims: Sequence[_Taken], topics: Words) -> None:
        self._claims = claims
        self._topics = topics
        self._vocabulary = Vocabulary([claim.words for claim in claims])
        self._opposed = contradictions([claim.position for claim in claims])
        self._holders: dict[str, set[int]] = {}
        for number, claim in enumerate(claims):
            for word in claim.read.words:
                self._holders.setdefault(word, set()).add(number)
        self._by_sentence: dict[str, list[int]] = {}
        for number, claim in enumerate(claims):
            if said_of := claim.said_of:
                self._by_sentence.setdefault(said_of[1], []).append(number)
        self._sayers = [[number, *self._said_by(number)] for number in range(len(claims))]

    def _said_by(self, number: int) -> list[int]:
        """The places of the claims that have every word of one, and so may say it."""
        holders = sorted((self._holders[word] for word in self._claims[number].read.words), key=len)
        found = set[int].intersection(*holders) - {number} if holders else set[int]()
        return [other for other in sorted(found) if self._says(other, number)]

    def _says(self, one: int, other: int) -> bool:
        """Whether a claim that has all words of another says it: it denies and limits the same."""
        sayer, wording = self._claims[one].read, self._claims[other].read
        return (
            self._may_say(one, other)
            and sayer.limits == wording.limits
            and not reverses_order(sayer, wording)
        )

    def _may_say(self, one: int, other: int) -> bool:
        sayer, wording = self._claims[one], self._claims[other]
        if sayer.read.denied != wording.read.denied:
            return False
        if (sayer.statement.kind is Kind.FAILED) != (wording.statement.kind is Kind.FAILED):
            return False
        return len(sayer.words) <= 2 * len(wording.words) + _MORE  # who says more has the words of many

    def _means(self, one: int, other: int) -> bool:
        """Whether a claim may say another in other words: they name the same, and nothing is turned round."""
        sayer, wording = self._claims[one], self._claims[other]
        if not self._may_say(one, other) or sayer.read.names ^ wording.read.names:
            return False
        if _of_other_work(sayer, wording):
            return False
        if self._vocabulary.share(wording.words, sayer.words) < HALF_SAYS:
            return False
        return not differs(wording.read, sayer.read) and not differs(sayer.read, wording.read)

    def look_at_meaning(self, likeness: Likeness) -> None:
        """Add those that say a claim in other words."""
        best = self._ranked()[:_MEANT]
        pairs = [(one, other) for place, one in enumerate(best) for other in best[place + 1 :]]
        for one, other in pairs:
            new = [
                (wording, sayer)
                for wording, sayer in ((one, other), (other, one))
                if sayer not in self._sayers[wording] and self._means(sayer, wording)
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
                found.append(self._cluster(number, said[number]))
                gone.update(self._sayers[number], said[number], self._echoes(number))
        return found

    def _echoes(self, number: int) -> list[int]:
        """The places of claims that say the same sentence of other work: no evidence, and nothing new."""
        said_of = self._claims[number].said_of
        return self._by_sentence[said_of[1]] if said_of else []

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

    def _cluster(self, number: int, said: Sequence[int]) -> Cluster:
        sayers = [number, *sorted(set(self._sayers[number]) - {number})]
        implied = sorted(set(said) - set(sayers))
        against = {other for one in (*sayers, *implied) for other in self._opposed[one]} - set(sayers)
        best, *_ = saying = self._statements(sayers)
        return Cluster(
            best, saying, self._statements(sorted(against)), self._rank(number), self._statements(implied)
        )

    def _statements(self, places: Iterable[int]) -> tuple[Statement, ...]:
        return tuple(self._claims[one].statement for one in places)


def _of_other_work(one: _Taken, other: _Taken) -> bool:
    """Whether two claims are said of work of which each names something that the other does not."""
    if not (one.said_of and other.said_of):
        return False
    mine, theirs = (telling_words(said_of[0]) for said_of in (one.said_of, other.said_of))
    return bool(mine - theirs and theirs - mine)


def _different(statements: Iterable[Statement]) -> list[_Taken]:
    """Claims taken apart, those of the same words as one, in the order of their texts."""
    same_text: dict[str, list[Statement]] = {}
    for statement in statements:
        same_text.setdefault(statement.text, []).append(statement)
    weighty = sorted(map(_merged, same_text.values()), key=_clearest)[:MOST]
    same_words: dict[tuple[object, ...], list[_Taken]] = {}
    for claim in map(_taken, weighty):
        said = claim.read.sequence or claim.statement.text
        same_words.setdefault((said, claim.read.denied, claim.read.negated), []).append(claim)
    merged = (
        same[0]._replace(statement=_merged([claim.statement for claim in same]))
        for same in same_words.values()
    )
    return sorted(merged, key=lambda claim: claim.statement.text)


def _taken(statement: Statement) -> _Taken:
    text = statement.text
    return _Taken(statement, telling_words(text), parse_statement(text), comparable_claim(text))


def _merged(same: Sequence[Statement]) -> Statement:
    best, *others = sorted(same, key=_clearest)
    return best._replace(memory_ids=ids_of([best, *others]))


def _clearest(statement: Statement) -> tuple[float, int, str, tuple[str, ...]]:
    return -statement.weight, len(statement.text), statement.text, statement.memory_ids
