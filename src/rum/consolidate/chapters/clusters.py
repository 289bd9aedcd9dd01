"""Clusters of claims that say the same; the best wording stands for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import log2
from typing import NamedTuple

from rum.consolidate.chapters.statements import WORK_MARK, ClaimKind, Statement
from rum.text.claim_comparison import comparable_claim, contradictions, differs, reverses_order
from rum.text.claims import Claim, parse_statement
from rum.text.claims import Statement as ParsedStatement
from rum.text.word_weights import Vocabulary, Words, telling_words

Similarity = Callable[[str, str], float]  # How near two texts are in meaning: the cosine of their vectors

# The minimum cosine, and share of common words, for two claims to mean the same.
SAME_MEANING, SAME_WORDS = 0.75, 0.3
MOST = 1500  # Claims that are compared; of more, the weightiest

# Words that a claim may have beyond twice those of one that it repeats: a long one has the words of many.
_MORE = 3
_SHORT = 200  # Characters; a longer claim ranks a little lower
_OF_WORK = (ClaimKind.STORY, ClaimKind.CHOSEN)  # Claims that may begin with the work they are about
_COMPARED = 40  # Claims that are compared by meaning: each costs a vector


class Cluster(NamedTuple):
    """A claim in its best wording, with the statements that support and contradict it."""

    best: Statement
    supporting: tuple[Statement, ...]  # All that say it, the best wording first
    against: tuple[Statement, ...]
    rank: float
    implied: tuple[Statement, ...] = ()  # Statements that say less, and that it covers too

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories that support it, each once."""
        return _memory_ids(self.supporting)

    @property
    def against_ids(self) -> tuple[str, ...]:
        """The memories that contradict it, each once."""
        return _memory_ids(self.against)


def clusters_by_text(found: Sequence[Cluster]) -> dict[str, Cluster]:
    """For each wording the best cluster that has it; a supporting wording counts before an implied one."""
    implied = {one.text: cluster for cluster in reversed(found) for one in cluster.implied}
    return implied | {one.text: cluster for cluster in reversed(found) for one in cluster.supporting}


def cluster_claims(
    statements: Iterable[Statement], topics: Words = frozenset(), similarity: Similarity | None = None
) -> list[Cluster]:
    """Clusters of claims that say the same, best first; claims about the `topics` rank a little higher."""
    comparison = _Comparison(_parse_distinct(statements), topics)
    if similarity:
        comparison.compare_meaning(similarity)
    return comparison.clusters()


class _ParsedClaim(NamedTuple):
    statement: Statement
    words: Words
    read: ParsedStatement
    position: Claim

    @property
    def work(self) -> tuple[str, str] | None:
        """Of a sentence about a piece of work: the work, and the sentence."""
        work, _, sentence = self.statement.text.partition(WORK_MARK)
        return (work, sentence) if sentence and self.statement.kind in _OF_WORK else None


class _Comparison:
    """Some claims, by their places, and for each of them the claims that support it."""

    def __init__(self, claims: Sequence[_ParsedClaim], topics: Words) -> None:
        self._claims = claims
        self._topics = topics
        self._vocabulary = Vocabulary([claim.words for claim in claims])
        self._opposed = contradictions([claim.position for claim in claims])
        self._holders: dict[str, set[int]] = {}
        self._by_sentence: dict[str, list[int]] = {}
        for number, claim in enumerate(claims):
            for word in claim.read.words:
                self._holders.setdefault(word, set()).add(number)
            if claim.work:
                self._by_sentence.setdefault(claim.work[1], []).append(number)
        self._supporters = [[number, *self._containing(number)] for number in range(len(claims))]

    def _containing(self, number: int) -> Iterator[int]:
        """The claims that have every word of one and say it: they deny and limit the same."""
        shorter = self._claims[number].read
        holders = sorted((self._holders[word] for word in shorter.words), key=len)
        found = set[int].intersection(*holders) - {number} if holders else set[int]()
        for other in sorted(found):
            longer = self._claims[other].read
            same_limits = self._may_support(other, number) and longer.limits == shorter.limits
            if same_limits and not reverses_order(longer, shorter):
                yield other

    def _may_support(self, one: int, other: int) -> bool:
        claim, wording = self._claims[one], self._claims[other]
        if claim.read.denied != wording.read.denied:
            return False
        if (claim.statement.kind is ClaimKind.FAILED) != (wording.statement.kind is ClaimKind.FAILED):
            return False
        return len(claim.words) <= 2 * len(wording.words) + _MORE

    def _may_mean(self, one: int, other: int) -> bool:
        """Whether a claim may say another in other words: they name the same, and none negates the other."""
        claim, wording = self._claims[one], self._claims[other]
        if not self._may_support(one, other) or claim.read.names ^ wording.read.names:
            return False
        if claim.work and wording.work:
            mine, theirs = telling_words(claim.work[0]), telling_words(wording.work[0])
            if mine - theirs and theirs - mine:  # each names something that the other does not
                return False
        if self._vocabulary.share(wording.words, claim.words) < SAME_WORDS:
            return False
        return not differs(wording.read, claim.read) and not differs(claim.read, wording.read)

    def compare_meaning(self, similarity: Similarity) -> None:
        """Add those that say a claim in other words."""
        best = self._ranked()[:_COMPARED]
        for one, other in combinations(best, 2):
            new = [
                (wording, claim)
                for wording, claim in ((one, other), (other, one))
                if claim not in self._supporters[wording] and self._may_mean(claim, wording)
            ]
            texts = (self._claims[one].statement.text, self._claims[other].statement.text)
            if new and similarity(*texts) >= SAME_MEANING:
                for wording, claim in new:
                    self._supporters[wording].append(claim)

    def clusters(self) -> list[Cluster]:
        """The best claim with what says the same, then the best of the rest, and so on."""
        supported: list[list[int]] = [[] for _ in self._claims]
        for number, supporters in enumerate(self._supporters):
            for supporter in supporters:
                supported[supporter].append(number)
        found, done = list[Cluster](), set[int]()
        for number in self._ranked():
            if number not in done:
                found.append(self._cluster(number, supported[number]))
                done.update(self._supporters[number], supported[number])
                # Claims that say the same sentence of other work are no evidence, and nothing new.
                if work := self._claims[number].work:
                    done.update(self._by_sentence[work[1]])
        return found

    def _ranked(self) -> list[int]:
        """Places of claims, the best first; among equals the shorter wording, as it is the clearer one."""
        texts = [claim.statement.text for claim in self._claims]
        ranks = list(map(self._rank, range(len(texts))))
        return sorted(range(len(texts)), key=lambda one: (-ranks[one], len(texts[one]), texts[one]))

    def _rank(self, number: int) -> float:
        """A claim's weight, its support, and how much it is about the topics."""
        claim = self._claims[number]
        support = len(_memory_ids(self._claims[other].statement for other in self._supporters[number]))
        on_topic = len(claim.words & self._topics) / (len(self._topics) or 1)
        lengthy = max(0, len(claim.statement.text) - _SHORT) / (2 * _SHORT)
        return round(claim.statement.weight + 1.5 * log2(support) + on_topic - lengthy, 4)

    def _cluster(self, number: int, supported: Sequence[int]) -> Cluster:
        supporters = [number, *sorted(set(self._supporters[number]) - {number})]
        implied = sorted(set(supported) - set(supporters))
        against = {other for one in (*supporters, *implied) for other in self._opposed[one]} - set(supporters)
        supporting, opposing, weaker = (
            tuple(self._claims[one].statement for one in places)
            for places in (supporters, sorted(against), implied)
        )
        return Cluster(supporting[0], supporting, opposing, self._rank(number), weaker)


def _memory_ids(statements: Iterable[Statement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(memory_id for one in statements for memory_id in one.memory_ids))


def _parse_distinct(statements: Iterable[Statement]) -> list[_ParsedClaim]:
    """Parsed claims, those with the same words merged, sorted by text."""
    same_text: dict[str, list[Statement]] = {}
    for statement in statements:
        same_text.setdefault(statement.text, []).append(statement)
    weightiest = sorted(map(_merged, same_text.values()), key=_clearest)[:MOST]
    same_words: dict[tuple[object, ...], list[_ParsedClaim]] = {}
    for one in weightiest:
        read = parse_statement(one.text)
        claim = _ParsedClaim(one, telling_words(one.text), read, comparable_claim(one.text))
        same_words.setdefault((read.sequence or one.text, read.denied, read.negated), []).append(claim)
    merged = (
        same[0]._replace(statement=_merged([claim.statement for claim in same]))
        for same in same_words.values()
    )
    return sorted(merged, key=lambda claim: claim.statement.text)


def _merged(same: Sequence[Statement]) -> Statement:
    best, *others = sorted(same, key=_clearest)
    return best._replace(memory_ids=_memory_ids([best, *others]))


def _clearest(statement: Statement) -> tuple[float, int, str, tuple[str, ...]]:
    return -statement.weight, len(statement.text), statement.text, statement.memory_ids
