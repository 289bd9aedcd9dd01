"""What a claim rests on: the memories that say it, those that say otherwise, and whether it says no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from rum.consolidate.chapters.members import in_force, in_order, place, texts_of
from rum.consolidate.clusters import MEANS, Likeness
from rum.consolidate.statements import LONGEST_CLAIM, statements_of
from rum.model.chapters import Evidence
from rum.model.memory import Memory
from rum.text.claim_comparison import (
    SAME_TOPIC,
    ClaimIndex,
    Stance,
    comparable_claim,
    denies,
    differs,
    stance_on,
)
from rum.text.claims import parse_clauses, parse_sentences, parse_statement
from rum.text.sentences import prose_sentences
from rum.text.shorten import one_line
from rum.text.word_weights import Vocabulary, Words, figures, telling_words

MOST_NAMED = 12
"""Memories that are named for a claim: whose words it has, and the newest others; all are counted."""
_WORDED = 2
_PASSAGE = 800
"""Characters that are said in one go: the words of a claim, strewn over more than that, are not the claim."""
_MOST_PASSAGES = 40
_CLAUSE = 3
"""Words of a clause that is looked for by itself: with fewer it may be no more than a name."""
_MEANT, _MEANT_TEXTS = 8, 3
"""Memories, and texts of each, that are compared with a claim by meaning: each costs a vector."""
HALF_SAID = 0.3
"""The same where a sentence of it means what the claim does."""


def evidence_of(supporting: Sequence[str], against: Iterable[str], members: Mapping[str, Memory]) -> Evidence:
    """The evidence of a claim in the words of the first of the supporting members, or the first two."""
    made, denied = _newest_first(supporting, members), _newest_first(against, members)
    worded = [members[one] for one in dict.fromkeys(supporting[:_WORDED]) if one in members]
    named = [*worded, *(memory for memory in made if memory not in worded)]
    return Evidence(
        memory_ids=tuple(memory.id for memory in named[:MOST_NAMED]),
        supporting=len(made),
        against=len(denied),
        against_ids=tuple(memory.id for memory in denied[:MOST_NAMED]),
        last_confirmed=made[0].created_at if made else 0,
    )


def _newest_first(ids: Iterable[str], members: Mapping[str, Memory]) -> list[Memory]:
    found = (members[one] for one in set(ids) if one in members)
    return sorted(found, key=place, reverse=True)


def trace_claim(claim: str, members: Sequence[Memory], likeness: Likeness | None = None) -> Evidence:
    """Which members say a claim that somebody else worded, and which say otherwise."""
    return Tracing(members, likeness).evidence(claim)


class _Passage(NamedTuple):
    """What a memory says in one go."""

    words: Words
    """Its own, and those of the goal, which it is about."""
    texts: list[str]
    """All that have these words: one may deny what another says. The goal says nothing yet."""


class Traced(NamedTuple):
    """Who says a claim, nearest first, who says otherwise, and who says it of something else."""

    saying: tuple[str, ...]
    against: tuple[str, ...]
    elsewhere: frozenset[str]


class Tracing:
    """Members by their words, to find out which of them say a claim; they are read with the first claim."""

    def __init__(self, members: Iterable[Memory], likeness: Likeness | None = None) -> None:
        self._members = {memory.id: memory for memory in in_force(in_order(members))}
        self._likeness = likeness

    @cached_property
    def _passages(self) -> dict[str, list[_Passage]]:
        return {one: _passages(memory) for one, memory in self._members.items()}

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary([one.words for passages in self._passages.values() for one in passages])

    @cached_property
    def _statements(self) -> list[tuple[str, str]]:
        return [(one, text) for one, memory in self._members.items() for text in _said(memory)]

    @cached_property
    def _positions(self) -> ClaimIndex:
        return ClaimIndex(comparable_claim(text) for _, text in self._statements)

    def evidence(self, claim: str) -> Evidence:
        """What a claim rests on; nothing where no member says it."""
        traced = self.traced(claim)
        return evidence_of(traced.saying, traced.against, self._members)

    def traced(self, claim: str) -> Traced:
        """How the members stand to a claim."""
        wanted = parse_statement(claim).topic or telling_words(claim)
        denying = self._denying(claim)
        shares = {one: self._share(one, wanted) for one in self._members if one not in denying}
        near = sorted(
            (one for one in shares if shares[one] >= HALF_SAID), key=lambda one: (-shares[one], one)
        )
        stands = {one: self._stand(one, claim) for one in near}
        agreeing = [one for one in near if stands[one] is Stance.SAYS]
        saying = [one for one in agreeing if shares[one] >= SAME_TOPIC]
        if self._likeness:
            others = [one for one in agreeing if shares[one] < SAME_TOPIC][:_MEANT]
            saying += [one for one in others if self._means(one, claim, self._likeness)]
        against = [*denying, *(one for one in near if stands[one] is Stance.DENIES)]
        elsewhere = frozenset(one for one in near if stands[one] is Stance.DIFFERS)
        return Traced(tuple(saying), tuple(against), elsewhere)

    def traced_parts(self, text: str) -> list[Traced]:
        """The same for a text, each of its sentences, and each clause that says something by itself."""
        said = dict.fromkeys((text, *prose_sentences(text)))
        clauses = (part.text for one in said for part in parse_clauses(one) if len(part.topic) >= _CLAUSE)
        return [self.traced(one) for one in dict.fromkeys((*said, *clauses))]

    def _share(self, memory_id: str, wanted: Words) -> float:
        """How much of a claim one passage of a memory says; nothing where it lacks a number of it."""
        numbers = figures(wanted)
        fitting = (one.words for one in self._passages[memory_id] if not numbers - one.words)
        return max((self._vocabulary.share(wanted, words) for words in fitting), default=0.0)

    def _stand(self, memory_id: str, claim: str) -> Stance:
        """How a memory that has the words of a claim stands to it; what it was after counts least."""
        wanted = parse_statement(claim).topic
        share = self._vocabulary.share
        fitting = [one for one in self._passages[memory_id] if share(wanted, one.words) >= HALF_SAID]
        told = [unit for passage in fitting for text in passage.texts for unit in parse_sentences(text)]
        if not any(share(wanted, one.topic) >= SAME_TOPIC for one in told):
            told += parse_sentences(self._members[memory_id].intent.goal[:_PASSAGE])
        return stance_on(claim, told, share)

    def _means(self, memory_id: str, claim: str, likeness: Likeness) -> bool:
        said = [one.text for one in statements_of(self._members[memory_id])[:_MEANT_TEXTS]]
        return any(likeness(claim, text) >= MEANS and not _unlike(claim, text) for text in said)

    def _denying(self, claim: str) -> list[str]:
        """The members of which a statement cannot hold beside the claim."""
        against = self._positions.contradicting(comparable_claim(claim))
        return list(dict.fromkeys(self._statements[number][0] for number in against))


def _unlike(claim: str, text: str) -> bool:
    one, other = parse_statement(claim), parse_statement(text)
    return denies(one, other) or differs(one, other)


def _said(memory: Memory) -> list[str]:
    told = (*memory.outcome.learnings, *memory.perception.patterns_noticed)
    return [*(text[:LONGEST_CLAIM] for text in told), *prose_sentences(memory.intent.context)][
        :_MOST_PASSAGES
    ]


def _passages(memory: Memory) -> list[_Passage]:
    """What a memory says in one go: each paragraph together with the goal, which it is about."""
    goal = telling_words(memory.intent.goal[:_PASSAGE])
    pieces = (
        (part[start : start + _PASSAGE], number == 0)
        for number, text in enumerate(texts_of(memory))
        for part in text.split("\n\n")
        for start in range(0, len(part), _PASSAGE)
    )
    found = dict[Words, _Passage]()
    for piece, is_goal in islice(pieces, _MOST_PASSAGES):
        words = goal | telling_words(piece)
        passage = found.setdefault(words, _Passage(words, []))
        if not is_goal:
            passage.texts.append(piece)
    return list(found.values())


def words_of(memory: Memory) -> Words:
    """All words of a memory that say something, with those of its files and its kinds."""
    names = [*(file.path for file in memory.files), memory.intent.task_type.value]
    category = memory.outcome.failure_category
    told = [*texts_of(memory), *names, category.value if category else ""]
    return telling_words("\n".join(map(one_line, told)))
