"""The figures of a report: counts, lessons and open follow-ups of memories added in order of time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from heapq import heappush, heappushpop
from itertools import islice

from msgspec.structs import replace

from rum.consolidate.counting import day_of
from rum.model.memory import Memory, has_worked, is_verified
from rum.model.report import Area, Counted, FailingFile, FollowUp, Insight, Period, Worker
from rum.text.terms import query_terms, terms

ROWS = 24  # Periods in a report: months; if these are more, quarters, or years
DEEP = 2  # Folders of a path that make an area
TOP = "."  # The area of files in no folder
UNKNOWN_CATEGORY = "no category"
SOURCES = 3  # Memories that are named for one lesson, the newest
MOST_SINGLE = 64  # Lessons of a single memory that are kept: the most important, then the newest
LONGEST_LESSON, LONGEST_FOLLOW_UP = 300, 200  # Characters
MOST_OPEN = 5000  # Open follow-ups that are kept, the newest
GOAL_TERMS = 64

_LessonRank = tuple[float, int, str, int]
_FollowUpPlace = tuple[str, int]  # The memory, and which of its follow-ups


class Count:
    """How many memories, how many of them succeeded, and when the last one was."""

    def __init__(self) -> None:
        self.memories: int = 0
        self.successes: int = 0
        self.unverified: int = 0
        """How many have no known result."""
        self.last_at: int = 0

    def add(self, memory: Memory) -> None:
        """Count one more."""
        self.memories += 1
        self.successes += has_worked(memory)
        self.unverified += not is_verified(memory)
        self.last_at = memory.created_at


class Month(Count):
    """A month, or several of them together."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: Counter[str] = Counter()
        self.areas: Counter[str] = Counter()

    def merge(self, other: Month) -> None:
        """Add the counts of another."""
        self.memories += other.memories
        self.successes += other.successes
        self.kinds += other.kinds
        self.areas += other.areas


class Tally(Count):
    """Everything that a report counts."""

    def __init__(self) -> None:
        super().__init__()
        self.superseded = 0
        self.first_at: int | None = None
        self.lessons = Lessons()
        self.open = OpenFollowUps()
        self.categories: Counter[str] = Counter()
        self._months: defaultdict[int, Month] = defaultdict(Month)
        self._areas: defaultdict[str, Count] = defaultdict(Count)
        self._touched: Counter[str] = Counter()
        self._failed: dict[str, FailingFile] = {}
        self._agents: defaultdict[str, Count] = defaultdict(Count)
        self._sessions: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, memory: Memory, causes: Iterable[str] = ()) -> None:
        """Count a memory; `causes` are the ids of those that led to it."""
        if memory.superseded_by:
            self.superseded += 1
            return
        super().add(memory)
        if self.first_at is None:
            self.first_at = memory.created_at
        paths = {file.path for file in memory.files}
        areas = {area_of(path) for path in paths}
        day = day_of(memory.created_at)
        month = self._months[day.year * 12 + day.month - 1]
        month.add(memory)
        month.kinds[memory.intent.task_type.value] += 1
        month.areas.update(areas)
        for area in areas:
            self._areas[area].add(memory)
        self._touched.update(paths)
        if not memory.outcome.success and is_verified(memory):
            self._count_failure(memory, paths)
        self._agents[memory.agent_id].add(memory)
        self._sessions[memory.agent_id].add(memory.session_id)
        self.lessons.add(memory)
        self.open.add(memory, causes)

    def _count_failure(self, memory: Memory, paths: Iterable[str]) -> None:
        category = memory.outcome.failure_category
        self.categories[category.value if category else UNKNOWN_CATEGORY] += 1
        for path in paths:
            before = self._failed.get(path)
            self._failed[path] = FailingFile(
                path=path,
                failures=before.failures + 1 if before else 1,
                memories=0,
                last_at=memory.created_at,
                last_id=memory.id,
                last_goal=memory.intent.goal[:200],
            )

    def periods(self, kinds: int, areas: int) -> tuple[Period, ...]:
        """Months, the newest first; quarters or years where there are too many of them."""
        for months in (1, 3, 12):
            merged: defaultdict[str, Month] = defaultdict(Month)
            for number, month in sorted(self._months.items(), reverse=True):
                year, place = number // 12, number % 12 // months + 1
                name = (
                    f"{year}-{place:02}" if months == 1 else f"{year} Q{place}" if months == 3 else str(year)
                )
                merged[name].merge(month)
            if len(merged) <= ROWS:
                break
        else:
            names = list(merged)
            for name in names[ROWS - 1 :]:
                merged[f"{names[-1]}–{names[ROWS - 1]}"].merge(merged.pop(name))
        return tuple(
            Period(
                name=name,
                memories=one.memories,
                successes=one.successes,
                kinds=most_of(one.kinds, kinds),
                areas=most_of(one.areas, areas),
            )
            for name, one in merged.items()
        )

    @property
    def area_count(self) -> int:
        """How many areas were touched."""
        return len(self._areas)

    def areas(self, most: int) -> tuple[Area, ...]:
        """The areas with most memories."""
        rows = sorted(self._areas.items(), key=lambda one: (-one[1].memories, one[0]))[:most]
        return tuple(
            Area(
                path=path,
                memories=one.memories,
                successes=one.successes,
                unverified=one.unverified,
                last_at=one.last_at,
            )
            for path, one in rows
        )

    @property
    def failing_file_count(self) -> int:
        """How many files have a failure."""
        return len(self._failed)

    def failing_files(self, most: int) -> tuple[FailingFile, ...]:
        """The files with most failures; of equals the one that failed last."""
        worst = sorted(self._failed.values(), key=lambda one: (-one.failures, -one.last_at, one.path))[:most]
        return tuple(replace(one, memories=self._touched[one.path]) for one in worst)

    @property
    def agent_count(self) -> int:
        """How many agents stored something."""
        return len(self._agents)

    def agents(self, names: Mapping[str, str], most: int) -> tuple[Worker, ...]:
        """The agents with most memories."""
        rows = sorted(self._agents.items(), key=lambda one: (-one[1].memories, one[0]))[:most]
        return tuple(
            Worker(
                agent_id=agent_id,
                name=names.get(agent_id, agent_id),
                memories=one.memories,
                successes=one.successes,
                sessions=len(self._sessions[agent_id]),
                last_at=one.last_at,
            )
            for agent_id, one in rows
        )


def most_of(counts: Counter[str], most: int) -> tuple[Counted, ...]:
    """The largest counts; of equals the first by name."""
    rows = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:most]
    return tuple(Counted(name, count) for name, count in rows)


def area_of(path: str) -> str:
    """The area of a file: its first two folders."""
    return "/".join(path.split("/")[:-1][:DEEP]) or TOP


class Lessons:
    """What memories learned, the same lesson once; memories are added in order of time.

    Most lessons are learned once. Of those only a hash is kept, so that very many memories fit.
    """

    def __init__(self) -> None:
        self._first: dict[int, tuple[str, int]] = {}
        self._again: dict[int, Insight] = {}
        self._single: list[tuple[_LessonRank, int, str]] = []

    def add(self, memory: Memory) -> None:
        """Count what a memory learned."""
        lines = (" ".join(text.split()) for text in memory.outcome.learnings)
        for key, line in {_lesson_key(line): line for line in lines if line}.items():
            if key in self._first:
                before = self._again.get(key)
                ids = before.memory_ids if before else (self._first[key][0],)
                self._again[key] = Insight(
                    text=before.text if before else line[:LONGEST_LESSON],
                    supporting=before.supporting + 1 if before else 2,
                    memory_ids=(memory.id, *ids)[:SOURCES],
                    last_confirmed=memory.created_at,
                )
            else:
                self._first[key] = (memory.id, memory.created_at)
                rank = (memory.importance, memory.created_at, memory.id, key)
                push = heappush if len(self._single) < MOST_SINGLE else heappushpop
                push(self._single, (rank, key, line[:LONGEST_LESSON]))

    def __len__(self) -> int:
        return len(self._first)

    def best(self, most: int) -> tuple[Insight, ...]:
        """The lessons of most memories; then those of the most important, then of the newest."""
        often = sorted(self._again.values(), key=lambda one: (-one.supporting, -one.last_confirmed, one.text))
        once = sorted((one for one in self._single if one[1] not in self._again), reverse=True)
        for _, key, text in once:
            memory_id, at = self._first[key]
            often.append(Insight(text=text, supporting=1, memory_ids=(memory_id,), last_confirmed=at))
        return tuple(often[:most])


def _lesson_key(line: str) -> int:
    """A hash that ignores case and final punctuation."""
    text = line.casefold().strip(" .!;:").encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


class OpenFollowUps:
    """Follow-ups that no later success has done; memories are added in order of time.

    One is done when the memory led to a later success, when a later success had the same goal, or when the
    goal of a later success has all of its words.
    """

    def __init__(self) -> None:
        self.exact = True
        """Whether none was dropped because there were too many."""
        self._open: dict[_FollowUpPlace, tuple[FollowUp, frozenset[str]]] = {}
        self._of_memory: dict[str, set[int]] = {}
        self._by_goal: defaultdict[str, set[str]] = defaultdict(set)
        self._by_word: defaultdict[str, set[_FollowUpPlace]] = defaultdict(set)

    def add(self, memory: Memory, causes: Iterable[str]) -> None:
        """Close what a memory did, and record what it left to do."""
        if memory.outcome.success:
            for done in (*causes, *self._by_goal.get(_goal_key(memory.intent.goal), ())):
                for number in list(self._of_memory.get(done, ())):
                    self._close((done, number))
            words = frozenset(terms(memory.intent.goal)[:GOAL_TERMS])
            for word in words:
                for place in [one for one in self._by_word.get(word, ()) if self._open[one][1] <= words]:
                    self._close(place)
        self._record(memory)

    def newest(self, most: int) -> tuple[FollowUp, ...]:
        """The newest that are open."""
        return tuple(one for one, _ in islice(reversed(self._open.values()), most))

    def __len__(self) -> int:
        return len(self._open)

    def _record(self, memory: Memory) -> None:
        for number, text in enumerate(memory.outcome.follow_up_needed):
            if not (line := " ".join(text.split())):
                continue
            place, words = (memory.id, number), frozenset(query_terms(line))
            left = FollowUp(
                text=line[:LONGEST_FOLLOW_UP],
                memory_id=memory.id,
                goal=memory.intent.goal[:LONGEST_FOLLOW_UP],
                at=memory.created_at,
            )
            self._open[place] = (left, words)
            self._of_memory.setdefault(memory.id, set()).add(number)
            self._by_goal[_goal_key(left.goal)].add(memory.id)
            self._by_word[_longest_word(words)].add(place)
        while len(self._open) > MOST_OPEN:
            self._close(next(iter(self._open)))
            self.exact = False

    def _close(self, place: _FollowUpPlace) -> None:
        left, words = self._open.pop(place)
        of_memory = self._of_memory[left.memory_id]
        of_memory.discard(place[1])
        if not of_memory:
            del self._of_memory[left.memory_id]
            self._by_goal[_goal_key(left.goal)].discard(left.memory_id)
        self._by_word[_longest_word(words)].discard(place)


def _goal_key(goal: str) -> str:
    return goal[:LONGEST_FOLLOW_UP].casefold()


def _longest_word(words: Iterable[str]) -> str:
    """One word to index a follow-up by; the longest are mostly the rarest."""
    return max(words, key=lambda word: (len(word), word), default="")
