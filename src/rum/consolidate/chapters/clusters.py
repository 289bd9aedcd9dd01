"""Clusters of claims that say the same; the best wording stands for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    comparison = _Comparison(_distinct(statements), topics)
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

    def _containing(self, number: int) -> list[int]:
        """The claims that have every word of one, and support it."""
        holders = sorted((self._holders[word] for word in self._claims[number].read.words), key=len)
        found = set[int].intersection(*holders) - {number} if holders else set[int]()
        return [other for other in sorted(found) if self._supports(other, number)]

    def _supports(self, one: int, other: int) -> bool:
        """Whether a claim that has all words of another says it: it denies and limits the same."""
        longer, shorter = self._claims[one].read, self._claims[other].read
        return (
            self._may_support(one, other)
            and longer.limits == shorter.limits
            and not reverses_order(longer, shorter)
        )

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
        if _of_other_work(claim, wording):
            return False
        if self._vocabulary.share(wording.words, claim.words) < SAME_WORDS:
            return False
        return not differs(wording.read, claim.read) and not differs(claim.read, wording.read)

    def compare_meaning(self, similarity: Similarity) -> None:
        """Add those that say a claim in other words."""
        best = self._ranked()[:_COMPARED]
        pairs = [(one, other) for place, one in enumerate(best) for other in best[place + 1 :]]
        for one, other in pairs:
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
                done.update(self._supporters[number], supported[number], self._same_sentence(number))
        return found

    def _same_sentence(self, number: int) -> list[int]:
        """The claims that say the same sentence of other work: no evidence, and nothing new."""
        work = self._claims[number].work
        return self._by_sentence[work[1]] if work else []

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
        best, *_ = supporting = self._statements(supporters)
        return Cluster(
            best,
            supporting,
            self._statements(sorted(against)),
            self._rank(number),
            self._statements(implied),
        )

    def _statements(self, places: Iterable[int]) -> tuple[Statement, ...]:
        return tuple(self._claims[one].statement for one in places)


def _memory_ids(statements: Iterable[Statement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(memory_id for one in statements for memory_id in one.memory_ids))


def _of_other_work(one: _ParsedClaim, other: _ParsedClaim) -> bool:
    """Whether two claims are about work of which each names something that the other does not."""
    if not (one.work and other.work):
        return False
    mine, theirs = (telling_words(work[0]) for work in (one.work, other.work))
    return bool(mine - theirs and theirs - mine)


def _distinct(statements: Iterable[Statement]) -> list[_ParsedClaim]:
    """Parsed claims, those with the same words merged, sorted by text."""
    same_text: dict[str, list[Statement]] = {}
    for statement in statements:
        same_text.setdefault(statement.text, []).append(statement)
    weightiest = sorted(map(_merged, same_text.values()), key=_clearest)[:MOST]
    same_words: dict[tuple[object, ...], list[_ParsedClaim]] = {}
    for claim in map(_parsed, weightiest):
        words = claim.read.sequence or claim.statement.text
        same_words.setdefault((words, claim.read.denied, claim.read.negated), []).append(claim)
    merged = (
        same[0]._replace(statement=_merged([claim.statement for claim in same]))
        for same in same_words.values()
    )
    return sorted(merged, key=lambda claim: claim.statement.text)


def _parsed(statement: Statement) -> _ParsedClaim:
    text = statement.text
    return _ParsedClaim(statement, telling_words(text), parse_statement(text), comparable_claim(text))


def _merged(same: Sequence[Statement]) -> Statement:
    best, *others = sorted(same, key=_clearest)
    return best._replace(memory_ids=_memory_ids([best, *others]))


def _clearest(statement: Statement) -> tuple[float, int, str, tuple[str, ...]]:
    return -statement.weight, len(statement.text), statement.text, statement.memory_ids
