"""What a claim rests on: the memories that say it, those that say otherwise, and whether it says no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice

from rum.consolidate.clusters import MEANS, Likeness
from rum.consolidate.members import in_force, in_order, one_line, place, texts_of
from rum.consolidate.opposed import opposed, position
from rum.consolidate.prose import sentences
from rum.consolidate.statements import LONGEST_CLAIM, statements_of
from rum.consolidate.vocabulary import Vocabulary, Words, figures, telling_words
from rum.model.chapter import Evidence
from rum.model.memory import Memory
from rum.store.claims import Claim

MOST_NAMED = 12
"""Memories that are named for a claim: whose words it has, and the newest others; all are counted."""
_WORDED = 2
SAID = 0.6
"""The share of a claim's words, the rarer counting more, that a memory has which says it."""
_PASSAGE = 800
"""Characters that are said in one go: the words of a claim, strewn over more than that, are not the claim."""
_MOST_PASSAGES = 40
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


class Tracing:
    """Members by their words, to find out which of them say a claim; they are read with the first claim."""

    def __init__(self, members: Iterable[Memory], likeness: Likeness | None = None) -> None:
        self._members = {memory.id: memory for memory in in_force(in_order(members))}
        self._likeness = likeness

    @cached_property
    def _passages(self) -> dict[str, list[Words]]:
        return {one: _passages(memory) for one, memory in self._members.items()}

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary([words for passages in self._passages.values() for words in passages])

    @cached_property
    def _positions(self) -> list[tuple[str, Claim]]:
        return [(one, position(text)) for one, memory in self._members.items() for text in _said(memory)]

    def evidence(self, claim: str) -> Evidence:
        """What a claim rests on; nothing where no member says it."""
        wanted = telling_words(claim)
        against = self._denying(claim)
        shares = {one: self._share(one, wanted) for one in self._members if one not in against}
        near = sorted(
            (one for one in shares if shares[one] >= HALF_SAID), key=lambda one: (-shares[one], one)
        )
        saying = [one for one in near if shares[one] >= SAID]
        if self._likeness:
            others = [one for one in near if one not in saying][:_MEANT]
            saying += [one for one in others if self._means(one, claim, self._likeness)]
        return evidence_of(saying, against, self._members)

    def _share(self, memory_id: str, wanted: Words) -> float:
        """How much of a claim one passage of a memory says; nothing where it lacks a number of it."""
        numbers = figures(wanted)
        fitting = (words for words in self._passages[memory_id] if not numbers - words)
        return max((self._vocabulary.share(wanted, words) for words in fitting), default=0.0)

    def _means(self, memory_id: str, claim: str, likeness: Likeness) -> bool:
        said = [one.text for one in statements_of(self._members[memory_id])[:_MEANT_TEXTS]]
        return any(likeness(claim, text) >= MEANS for text in said)

    def _denying(self, claim: str) -> list[str]:
        """The members of which a statement cannot hold beside the claim."""
        against = opposed([position(claim), *(one for _, one in self._positions)])[0]
        return list(dict.fromkeys(self._positions[number - 1][0] for number in against))


def _said(memory: Memory) -> list[str]:
    told = (*memory.outcome.learnings, *memory.perception.patterns_noticed)
    return [*(text[:LONGEST_CLAIM] for text in told), *sentences(memory.intent.context)][:_MOST_PASSAGES]


def _passages(memory: Memory) -> list[Words]:
    """What a memory says in one go: each paragraph together with the goal, which it is about."""
    goal = telling_words(memory.intent.goal[:_PASSAGE])
    parts = (part for text in texts_of(memory) for part in text.split("\n\n"))
    pieces = (part[start : start + _PASSAGE] for part in parts for start in range(0, len(part), _PASSAGE))
    return list(dict.fromkeys(goal | telling_words(piece) for piece in islice(pieces, _MOST_PASSAGES)))


def words_of(memory: Memory) -> Words:
    """All words of a memory that say something, with those of its files and its kinds."""
    names = [*(file.path for file in memory.files), memory.intent.task_type.value]
    category = memory.outcome.failure_category
    told = [*texts_of(memory), *names, category.value if category else ""]
    return telling_words("\n".join(map(one_line, told)))
