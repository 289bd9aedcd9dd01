"""What failed, why, how often, and what worked after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rum.consolidate.counting import changed_files, times
from rum.consolidate.members import shortened
from rum.consolidate.prose import sentences
from rum.consolidate.statements import FEWEST_WORDS, Kind, Statement, goal_of, says_something, weighed
from rum.consolidate.vocabulary import Vocabulary, telling_words
from rum.model.memory import Memory

LONGEST_REASON = 220
"""Characters of a reason inside a claim."""
SAME_WORK = 0.5
"""The share of a goal's words, the rarer counting more, from which on another goal is about the same work."""
_UNTOLD = re.compile(r"(?:taken back without a reason|this reverts|reverts? )", re.IGNORECASE)
"""How a reason begins that gives none."""
_UNDOING = re.compile(r"(?:revert|undo|roll(?:ed)? back|back out)\b", re.IGNORECASE)
_UNTOLD_WEIGHT = 1.0


class Failure(NamedTuple):
    """Work that failed, each time it did, and what worked after it."""

    times: tuple[Memory, ...]
    """Oldest first."""
    reason: str
    """In the words of the latest that gives one; may be empty."""
    told_by: Memory
    remedy: Memory | None

    @property
    def text(self) -> str:
        """All of it in one claim."""
        often = f" {times(len(self.times))}" if len(self.times) > 1 else ""
        said = f"{goal_of(self.told_by)} failed{often}"
        said += f": {self.reason}" if self.reason else "."
        if self.remedy is None:
            return said
        return f"{said if said.endswith(('.', '!')) else f'{said}.'} What worked: {goal_of(self.remedy)}"

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
    if memory.outcome.success or not reason or _UNTOLD.match(reason.strip()):
        return ""
    told = _opening(reason)
    new = telling_words(told) - telling_words(memory.intent.goal)
    return told if len(new) >= FEWEST_WORDS and says_something(told) else ""


def failures(ordered: Sequence[Memory]) -> list[Failure]:
    """What failed, the same work once; without those of which neither a reason nor a remedy is known."""
    work = _Work(ordered)
    groups = list[list[Memory]]()
    for memory in ordered:
        if memory.outcome.success or _undoes(memory):
            continue
        same = next((group for group in groups if work.same(group[0], memory)), None)
        if same is None:
            groups.append([memory])
        else:
            same.append(memory)
    found = (_failure(group, work) for group in groups)
    return [one for one in found if one.reason or one.remedy]


def _failure(group: Sequence[Memory], work: _Work) -> Failure:
    told_by = next((memory for memory in reversed(group) if failure_of(memory)), group[-1])
    return Failure(tuple(group), failure_of(told_by), told_by, work.after(group[-1]))


class _Work:
    """Memories by what their work was on."""

    def __init__(self, ordered: Sequence[Memory]) -> None:
        self._ordered = ordered
        self._place = {memory.id: number for number, memory in enumerate(ordered)}
        self._words = [telling_words(memory.intent.goal[:1000]) for memory in ordered]
        self._files = [changed_files(memory) for memory in ordered]
        self._vocabulary = Vocabulary(self._words)

    def same(self, one: Memory, other: Memory) -> bool:
        """Whether two memories are about the same work: their goals are alike, and so are their files."""
        first, second = self._place[one.id], self._place[other.id]
        if self._files[first] and self._files[second] and self._files[first].isdisjoint(self._files[second]):
            return False
        return min(self._share(first, second), self._share(second, first)) >= SAME_WORK

    def _share(self, one: int, other: int) -> float:
        return self._vocabulary.share(self._words[one], self._words[other])

    def after(self, failed: Memory) -> Memory | None:
        """The first work on the same that succeeded later; taking the failed one back is no such work."""
        later = self._ordered[self._place[failed.id] + 1 :]
        worked = (one for one in later if one.outcome.success and not _undoes(one))
        return next((one for one in worked if self.same(failed, one)), None)


def _undoes(memory: Memory) -> bool:
    return bool(_UNDOING.match(memory.intent.goal)) or "revert" in memory.tags


def _opening(text: str) -> str:
    """The first sentences of a reason, as many as are soon read."""
    told = ""
    for sentence in sentences(text):
        if told and (len(told) + len(sentence) >= LONGEST_REASON or not sentence.endswith((".", "!"))):
            break
        told = shortened(f"{told} {sentence}", LONGEST_REASON)
        if not told.endswith((".", "!")):
            break
    return told.rstrip(" :;,")
