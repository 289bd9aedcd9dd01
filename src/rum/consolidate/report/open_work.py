"""What memories left to do, as far as no later success did it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice

from rum.model.memory import Memory
from rum.model.report import FollowUp
from rum.text.terms import query_terms, terms

HELD = 5000
"""So many are held at most, the newest."""
LONGEST = 200
"""Characters kept of one."""
GOAL_WORDS = 64

_Place = tuple[str, int]
"""The memory, and which of its follow-ups."""


class OpenFollowUps:
    """Follow-ups that are open; memories are added in order of time.

    One is done when the memory led to a later success, when a later success had the same goal, or when the
    goal of a later success has all of its words.
    """

    def __init__(self) -> None:
        self.exact = True
        """Whether none was let go because there were too many."""
        self._open: dict[_Place, tuple[FollowUp, frozenset[str]]] = {}
        self._of_memory: dict[str, set[int]] = {}
        self._by_goal: defaultdict[str, set[str]] = defaultdict(set)
        self._by_word: defaultdict[str, set[_Place]] = defaultdict(set)

    def add(self, memory: Memory, causes: Iterable[str]) -> None:
        """Take note of what a memory did, and of what it left to do."""
        if memory.outcome.success:
            for done in (*causes, *self._by_goal.get(_key(memory.intent.goal), ())):
                for number in list(self._of_memory.get(done, ())):
                    self._close((done, number))
            self._close_by_words(memory.intent.goal)
        self._note(memory)

    def newest(self, most: int) -> tuple[FollowUp, ...]:
        """The newest that are open."""
        return tuple(one for one, _ in islice(reversed(self._open.values()), most))

    def __len__(self) -> int:
        return len(self._open)

    def _note(self, memory: Memory) -> None:
        for number, said in enumerate(memory.outcome.follow_up_needed):
            if not (line := " ".join(said.split())):
                continue
            place, words = (memory.id, number), frozenset(query_terms(line))
            left = FollowUp(
                text=line[:LONGEST],
                memory_id=memory.id,
                goal=memory.intent.goal[:LONGEST],
                at=memory.created_at,
            )
            self._open[place] = (left, words)
            self._of_memory.setdefault(memory.id, set()).add(number)
            self._by_goal[_key(left.goal)].add(memory.id)
            self._by_word[_longest(words)].add(place)
        while len(self._open) > HELD:
            self._close(next(iter(self._open)))
            self.exact = False

    def _close_by_words(self, goal: str) -> None:
        said = frozenset(terms(goal)[:GOAL_WORDS])
        for word in said:
            for place in [one for one in self._by_word.get(word, ()) if self._open[one][1] <= said]:
                self._close(place)

    def _close(self, place: _Place) -> None:
        left, words = self._open.pop(place)
        of_memory = self._of_memory[left.memory_id]
        of_memory.discard(place[1])
        if not of_memory:
            del self._of_memory[left.memory_id]
            self._by_goal[_key(left.goal)].discard(left.memory_id)
        self._by_word[_longest(words)].discard(place)


def _key(goal: str) -> str:
    return goal[:LONGEST].casefold()


def _longest(words: Iterable[str]) -> str:
    """One word to look a follow-up up by; the longest are mostly the rarest."""
    return max(words, key=lambda word: (len(word), word), default="")
