"""Traits that memories can have in common: words, files, agents, sessions, each with how rare it is."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple, TypeVar

from rum.model.memory import Memory
from rum.text.terms import query_terms

K = TypeVar("K")

DAY = 86400
SHOWN = 400  # Characters of a goal that are kept: those that titles use
READ = 600  # Characters read of a memory's summary, context and learnings
# Traits kept per memory before it is known which are rare.
GOAL_TERMS, TERMS, PATHS, TAGS = 32, 120, 200, 16
RAREST = 16  # Words, and files, by which one memory is compared with others
COMMON, FEW = 25, 20  # A trait of more than 1 in `COMMON` memories is ignored, unless at most `FEW` have it
NUMBERS = 4  # Shorter numbers are counts and versions, and relate nothing
# A word whose uses nearly all fall within this time, and this share of all time, names one thing.
NAMED_WITHIN = 21 * DAY
NAMED_SHARE = 0.15
USES_OF_A_NAME = 3
ROUTINE = 4  # A goal that came up this often, over longer than `ROUTINE_OVER`, is a chore
ROUTINE_OVER = 14 * DAY

PATH_WORD = 0.5  # The factor for a word of a path: the file is counted already
WORD_OF_GOAL, NAME = 0.15, 0.45
BY_AGENT, BY_AGENT_AT_MOST = 0.4, 1.2
IN_SESSION, IN_SESSION_AT_MOST = 0.15, 0.9


class Outline(NamedTuple):
    """A memory with only what is compared, so that many fit in memory; they sort by time."""

    at: int
    id: str
    agent_id: str
    session_id: str
    goal: str
    goal_terms: tuple[str, ...]
    terms: tuple[str, ...]
    paths: tuple[str, ...]
    tags: tuple[str, ...]


class Traits(NamedTuple):
    """The traits by which a memory is compared; the numbers say how rare each is."""

    at: int
    goal: dict[str, float]  # Its goal as a vector of length one
    words: dict[str, float]
    names: dict[str, float]  # Words of its goal; one that names a single thing counts for more
    files: dict[str, float]
    file_count: int
    agent: str
    by_agent: float
    session: str
    in_session: float


def outline(memory: Memory) -> Outline:
    """A memory as an outline."""
    text = " ".join((memory.full_summary, memory.intent.context[:READ], *memory.outcome.learnings))[:READ]
    goal_terms = _telling(memory.intent.goal, GOAL_TERMS)
    more = _telling(f"{' '.join(memory.tags[:TAGS])} {text}", TERMS)
    return Outline(
        at=memory.created_at,
        id=memory.id,
        agent_id=intern(memory.agent_id),
        session_id=intern(memory.session_id),
        goal=" ".join(memory.intent.goal.split())[:SHOWN],
        goal_terms=goal_terms,
        terms=tuple(dict.fromkeys((*goal_terms, *more))),
        paths=tuple(intern(file.path) for file in memory.files[:PATHS]),
        tags=tuple(map(intern, memory.tags[:TAGS])),
    )


def _telling(text: str, most: int) -> tuple[str, ...]:
    """The words of a text, interned, as most of them are repeated."""
    found = (term for term in query_terms(text, most) if len(term) >= NUMBERS or not term.isdigit())
    return tuple(map(intern, found))


def measure(memories: Sequence[Outline]) -> list[Traits | None]:
    """The traits of memories in order of time; None for a chore."""
    rare, chores, names = Rarity(memories), _chores(memories), _names(memories)
    return [None if _key(one) in chores else _measured(one, rare, names) for one in memories]


class Rarity:
    """How many memories have each word, file, agent and session."""

    def __init__(self, memories: Sequence[Outline]) -> None:
        self._total = len(memories)
        self._most = max(FEW, self._total // COMMON)
        self._goals = Counter(term for one in memories for term in one.goal_terms)
        self._words = Counter(term for one in memories for term in one.terms)
        self._files = Counter(path for one in memories for path in one.paths)
        self._agents = Counter(one.agent_id for one in memories)
        self._sessions = Counter(one.session_id for one in memories)

    def words(self, one: Outline) -> dict[str, float]:
        """The words that a memory shares with others: those of its goal, then the rarest."""
        of_goal = frozenset(one.goal_terms)
        return self._rarest(one.terms, self._words, of_goal)

    def files(self, one: Outline) -> dict[str, float]:
        """The files that a memory shares with others, rarest first."""
        return self._rarest(one.paths, self._files, frozenset())

    def _rarest(self, having: Iterable[str], counts: Counter[str], first: frozenset[str]) -> dict[str, float]:
        shared = [one for one in having if 2 <= counts[one] <= self._most]
        shared.sort(key=lambda one: (one not in first, counts[one], one))
        return {one: math.log(self._total / counts[one]) for one in shared[:RAREST]}

    def goal(self, one: Outline) -> dict[str, float]:
        """A goal as a vector of length one."""
        weights = {term: math.log(self._total / self._goals[term]) for term in one.goal_terms}
        length = math.sqrt(sum(value * value for value in weights.values()))
        return {term: value / length for term, value in weights.items()} if length else {}

    def agent(self, one: Outline) -> float:
        """The rarity of a memory's agent."""
        return math.log(self._total / self._agents[one.agent_id])

    def session(self, one: Outline) -> float:
        """The rarity of a memory's session."""
        return math.log(self._total / self._sessions[one.session_id])


def _measured(one: Outline, rare: Rarity, names: frozenset[str]) -> Traits:
    words = rare.words(one)
    where = frozenset(term for path in one.paths[:RAREST] for term in _path_terms(path))
    of_goal = frozenset(one.goal_terms)
    return Traits(
        at=one.at,
        goal=rare.goal(one),
        words={word: value * (PATH_WORD if word in where else 1) for word, value in words.items()},
        names={
            word: value * (NAME if word in names else WORD_OF_GOAL)
            for word, value in words.items()
            if word in of_goal
        },
        files=rare.files(one),
        file_count=len(one.paths),
        agent=one.agent_id,
        by_agent=min(BY_AGENT_AT_MOST, BY_AGENT * rare.agent(one)),
        session=one.session_id,
        in_session=min(IN_SESSION_AT_MOST, IN_SESSION * rare.session(one)),
    )


@lru_cache(maxsize=8192)
def _path_terms(path: str) -> tuple[str, ...]:
    return tuple(query_terms(path))


def _key(one: Outline) -> tuple[str, ...]:
    """A goal without its numbers, so that the same for another version is the same."""
    return tuple(sorted(term for term in one.goal_terms if not any(map(str.isdigit, term))))


def _chores(memories: Sequence[Outline]) -> frozenset[tuple[str, ...]]:
    """The goals that come up again and again."""
    moments = _moments((_key(one), one.at) for one in memories)
    return frozenset(
        key for key, at in moments.items() if key and len(at) >= ROUTINE and at[-1] - at[0] > ROUTINE_OVER
    )


def _names(memories: Sequence[Outline]) -> frozenset[str]:
    """The words that are used almost only within a short time."""
    moments = _moments((term, one.at) for one in memories for term in one.goal_terms)
    short = min(NAMED_WITHIN, NAMED_SHARE * (memories[-1].at - memories[0].at)) if memories else 0
    return frozenset(
        term
        for term, at in moments.items()
        if len(at) >= USES_OF_A_NAME and at[-1 - len(at) // 10] - at[len(at) // 10] <= short
    )


def _moments(uses: Iterable[tuple[K, int]]) -> Mapping[K, list[int]]:
    moments: defaultdict[K, list[int]] = defaultdict(list)
    for what, at in uses:
        moments[what].append(at)
    return moments
