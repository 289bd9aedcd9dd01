"""What memories learned, the same lesson once: what most of them say comes first."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from heapq import heappush, heappushpop

from rum.model.memory import Memory
from rum.model.report import Insight

SOURCES = 3
"""So many memories are named for one lesson, the newest."""
SINGLE = 64
"""So many lessons that only one memory has are held: the most important, then the newest."""
LONGEST = 300

_Rank = tuple[float, int, str, int]


class Learned:
    """Lessons, counted; memories are added in order of time.

    Most lessons are learned once. Of those only a mark is kept, so that very many memories fit.
    """

    def __init__(self) -> None:
        self._first: dict[int, tuple[str, int]] = {}
        self._again: dict[int, Insight] = {}
        self._single: list[tuple[_Rank, int, str]] = []

    def add(self, memory: Memory) -> None:
        """Take note of what a memory learned."""
        lines = (" ".join(said.split()) for said in memory.outcome.learnings)
        for mark, line in {_mark(line): line for line in lines if line}.items():
            if mark in self._first:
                self._again[mark] = self._confirmed(mark, line, memory)
            else:
                self._first[mark] = (memory.id, memory.created_at)
                rank = (memory.importance, memory.created_at, memory.id, mark)
                push = heappush if len(self._single) < SINGLE else heappushpop
                push(self._single, (rank, mark, line[:LONGEST]))

    def __len__(self) -> int:
        return len(self._first)

    def best(self, most: int) -> tuple[Insight, ...]:
        """What most memories say; then what the most important ones do, then the newest."""
        often = sorted(self._again.values(), key=lambda one: (-one.supporting, -one.last_confirmed, one.text))
        once = sorted((one for one in self._single if one[1] not in self._again), reverse=True)
        return (*often, *map(self._said_once, once))[:most]

    def _said_once(self, one: tuple[_Rank, int, str]) -> Insight:
        memory_id, at = self._first[one[1]]
        return Insight(text=one[2], supporting=1, memory_ids=(memory_id,), last_confirmed=at)

    def _confirmed(self, mark: int, line: str, memory: Memory) -> Insight:
        before = self._again.get(mark)
        ids: Iterable[str] = before.memory_ids if before else (self._first[mark][0],)
        return Insight(
            text=before.text if before else line[:LONGEST],
            supporting=before.supporting + 1 if before else 2,
            memory_ids=(memory.id, *ids)[:SOURCES],
            last_confirmed=memory.created_at,
        )


def _mark(line: str) -> int:
    """The same for the same words, however they are written."""
    key = line.casefold().strip(" .!;:").encode("utf-8", "replace")
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big")
