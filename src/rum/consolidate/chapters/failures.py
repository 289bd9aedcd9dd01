"""Failures: what failed, why, how often, and what succeeded after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import NamedTuple

from rum.consolidate.chapters.members import short_line
from rum.consolidate.chapters.statements import (
    FEWEST_WORDS,
    ClaimKind,
    Statement,
    goal_of,
    is_meaningful,
    weigh_claim,
)
from rum.consolidate.counting import changed_files, times
from rum.model.memory import Memory
from rum.text.claim_comparison import differs
from rum.text.claims import parse_statement
from rum.text.sentences import prose_sentences
from rum.text.word_weights import Vocabulary, Words, telling_words

LONGEST_REASON = 220
"""Characters of a reason inside a claim."""
SAME_WORK = 0.5
"""The share of a goal's words, the rarer counting more, from which on another goal is about the same work."""
_GOAL = 1000
"""Characters of a goal that are read."""
_NO_REASON = re.compile(
    r"(?:(?:reverted|taken back) without a reason|this reverts|revert(?:s|ing)? )", re.IGNORECASE
)
"""How a sentence begins that gives no reason."""
_UNDOING = re.compile(r"(?:revert|undo|roll(?:ed)? back|back out)\b", re.IGNORECASE)
_NO_REASON_WEIGHT = 1.0
"""Taken off where no reason is known."""


class Failure(NamedTuple):
    """Work that failed, each attempt, and what succeeded after it."""

    attempts: tuple[Memory, ...]
    """Oldest first."""
    reason: str
    """In the words of the latest that gives one; may be empty."""
    source: Memory
    """The attempt whose reason this is."""
    remedy: Memory | None
    proven: bool
    """Whether the remedy had the same goal and changed the same files, and is not only similar work."""

    @property
    def text(self) -> str:
        """Work, reason and remedy in one claim."""
        often = f" {times(len(self.attempts))}" if len(self.attempts) > 1 else ""
        claim = f"{goal_of(self.source)} failed{often}"
        claim += f": {self.reason}" if self.reason else "."
        if self.remedy is None:
            return claim
        how = "What worked" if self.proven else "Later succeeded"
        return f"{claim if claim.endswith(('.', '!')) else f'{claim}.'} {how}: {goal_of(self.remedy)}"

    @property
    def statement(self) -> Statement:
        """The claim, made by all memories that it names."""
        kind, text, weight = weigh_claim(ClaimKind.FAILED, self.text)
        named = [self.source, *([self.remedy] if self.remedy else []), *reversed(self.attempts)]
        ids = tuple(dict.fromkeys(memory.id for memory in named))
        return Statement(text, kind, weight if self.reason else weight - _NO_REASON_WEIGHT, ids)


def failure_reason_of(memory: Memory) -> str:
    """Why a memory's work failed, in its own words; empty where it succeeded or gives no reason."""
    reason = memory.outcome.failure_reason
    if memory.outcome.success or not reason:
        return ""
    opening = _opening(reason)
    new = telling_words(opening) - telling_words(memory.intent.goal)
    return opening if len(new) >= FEWEST_WORDS and is_meaningful(opening) else ""


def find_failures(ordered: Sequence[Memory]) -> list[Failure]:
    """The failures with a known reason or proven remedy, repeated work as one; memories are oldest first."""
    work = _Work(ordered)
    groups = dict[int, list[int]]()
    for place, memory in enumerate(ordered):
        if memory.outcome.success or _undoes(memory):
            continue
        first = next((one for one in work.alike(place) if one in groups and work.one_aim(one, place)), place)
        groups.setdefault(first, []).append(place)
    found = (_failure(group, work, ordered) for group in groups.values())
    return [one for one in found if one.reason or one.proven]


def _failure(group: Sequence[int], work: _Work, ordered: Sequence[Memory]) -> Failure:
    attempts = tuple(ordered[place] for place in group)
    source = next((memory for memory in reversed(attempts) if failure_reason_of(memory)), attempts[-1])
    later = [
        one
        for one in work.alike(group[-1])
        if one > group[-1] and ordered[one].outcome.success and not _undoes(ordered[one])
    ]
    proven = [one for one in later if work.one_aim(group[-1], one) and work.share_files(group[-1], one)]
    remedy = next((ordered[one] for one in proven or later), None)
    return Failure(attempts, failure_reason_of(source), source, remedy, bool(proven))


class _Work:
    """Memories by their places in time, compared by goals and files."""

    def __init__(self, ordered: Sequence[Memory]) -> None:
        self._goals = [memory.intent.goal[:_GOAL] for memory in ordered]
        self._words = list(map(telling_words, self._goals))
        self._files = [changed_files(memory) for memory in ordered]
        self._vocabulary = Vocabulary(self._words)
        self._weights = list(map(self._vocabulary.weight, self._words))
        self._holders: dict[str, list[int]] = {}
        for place, words in enumerate(self._words):
            for word in words:
                self._holders.setdefault(word, []).append(place)

    def alike(self, place: int) -> list[int]:
        """Memories of similar work, oldest first: their goals share most words, and their files overlap."""
        near = {other for word in self._rarest(self._words[place]) for other in self._holders[word]}
        return [other for other in sorted(near - {place}) if self._same(place, other)]

    def _rarest(self, words: Words) -> list[str]:
        """The rarest words of a goal: another without any of them cannot be similar enough."""
        rarest = self._vocabulary.rarest(words, len(words))
        left = whole = self._vocabulary.weight(words)
        for count, word in enumerate(rarest):
            if left < SAME_WORK * whole:
                return rarest[:count]
            left -= self._vocabulary.weight(frozenset((word,)))
        return rarest

    def _same(self, one: int, other: int) -> bool:
        if self._files[one] and self._files[other] and not self.share_files(one, other):
            return False
        shared = self._vocabulary.weight(self._words[one] & self._words[other])
        return bool(shared) and shared >= SAME_WORK * max(self._weights[one], self._weights[other])

    def share_files(self, one: int, other: int) -> bool:
        """Whether two memories changed the same file."""
        return not self._files[one].isdisjoint(self._files[other])

    def one_aim(self, one: int, other: int) -> bool:
        """Whether nothing in two goals shows that they differ."""
        return not differs(parse_statement(self._goals[one]), parse_statement(self._goals[other]))


def _undoes(memory: Memory) -> bool:
    return bool(_UNDOING.match(memory.intent.goal)) or "revert" in memory.tags


def _opening(text: str) -> str:
    """The first sentences of a reason, within `LONGEST_REASON`."""
    opening = ""
    for sentence in dropwhile(_NO_REASON.match, prose_sentences(text)):
        if opening and (len(opening) + len(sentence) >= LONGEST_REASON or not sentence.endswith((".", "!"))):
            break
        opening = short_line(f"{opening} {sentence}", LONGEST_REASON)
        if not opening.endswith((".", "!")):
            break
    return opening.rstrip(" :;,")
