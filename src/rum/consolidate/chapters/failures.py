"""What failed, why, how often, and what worked or succeeded after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import NamedTuple

from rum.consolidate.chapters.members import shortened
from rum.consolidate.counting import changed_files, times
from rum.consolidate.statements import FEWEST_WORDS, Kind, Statement, goal_of, says_something, weighed
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
"""Characters of a goal that are looked at."""
_UNTOLD = re.compile(r"(?:taken back without a reason|this reverts|revert(?:s|ing)? )", re.IGNORECASE)
"""How a sentence begins that gives no reason."""
_UNDOING = re.compile(r"(?:revert|undo|roll(?:ed)? back|back out)\b", re.IGNORECASE)
_UNTOLD_WEIGHT = 1.0


class Failure(NamedTuple):
    """Work that failed, each time it did, and what succeeded after it."""

    times: tuple[Memory, ...]
    """Oldest first."""
    reason: str
    """In the words of the latest that gives one; may be empty."""
    told_by: Memory
    remedy: Memory | None
    proven: bool
    """Whether that was work on the same files for the same end, and not only on much the same."""

    @property
    def text(self) -> str:
        """All of it in one claim."""
        often = f" {times(len(self.times))}" if len(self.times) > 1 else ""
        said = f"{goal_of(self.told_by)} failed{often}"
        said += f": {self.reason}" if self.reason else "."
        if self.remedy is None:
            return said
        how = "What worked" if self.proven else "Later succeeded"
        return f"{said if said.endswith(('.', '!')) else f'{said}.'} {how}: {goal_of(self.remedy)}"

    @property
    def statement(self) -> Statement:
        """It as a claim of all the memories that it names."""
        kind, text, weight = weighed(Kind.FAILED, self.text)
        named = [self.told_by, *([self.remedy] if self.remedy else []), *reversed(self.times)]
        ids = tuple(dict.fromkeys(memory.id for memory in named))
        return Statement(text, kind, weight if self.reason else weight - _UNTOLD_WEIGHT, ids)


def failure_of(memory: Memory) -> str:
    """Why a memory's work failed, in its own words; empty where it did not or does not say."""
    reason = memory.outcome.failure_reason
    if memory.outcome.success or not reason:
        return ""
    told = _opening(reason)
    new = telling_words(told) - telling_words(memory.intent.goal)
    return told if len(new) >= FEWEST_WORDS and says_something(told) else ""


def failures(ordered: Sequence[Memory]) -> list[Failure]:
    """What failed, the same work once; without those of which neither a reason nor a remedy is known."""
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
    tried = tuple(ordered[place] for place in group)
    told_by = next((memory for memory in reversed(tried) if failure_of(memory)), tried[-1])
    later = [
        one
        for one in work.alike(group[-1])
        if one > group[-1] and ordered[one].outcome.success and not _undoes(ordered[one])
    ]
    proven = [one for one in later if work.one_aim(group[-1], one) and work.share_files(group[-1], one)]
    remedy = next((ordered[one] for one in proven or later), None)
    return Failure(tried, failure_of(told_by), told_by, remedy, bool(proven))


class _Work:
    """Memories, by their places in time, and by what their work was on."""

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
        """Memories about much the same work, oldest first: their goals are alike, and so are their files."""
        near = {other for word in self._telling(self._words[place]) for other in self._holders[word]}
        return [other for other in sorted(near - {place}) if self._same(place, other)]

    def _telling(self, words: Words) -> list[str]:
        """The rarest words of a goal: without any of them another cannot have enough of it."""
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
        """Whether nothing in two goals tells that they were after different things."""
        return not differs(parse_statement(self._goals[one]), parse_statement(self._goals[other]))


def _undoes(memory: Memory) -> bool:
    return bool(_UNDOING.match(memory.intent.goal)) or "revert" in memory.tags


def _opening(text: str) -> str:
    """The first sentences of a reason, as many as are soon read."""
    told = ""
    for sentence in dropwhile(_UNTOLD.match, prose_sentences(text)):
        if told and (len(told) + len(sentence) >= LONGEST_REASON or not sentence.endswith((".", "!"))):
            break
        told = shortened(f"{told} {sentence}", LONGEST_REASON)
        if not told.endswith((".", "!")):
            break
    return told.rstrip(" :;,")
