"""Memories counted for a report, one at a time in order of time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from rum.consolidate.days import day_of
from rum.consolidate.report.lessons import Learned
from rum.consolidate.report.open_work import OpenFollowUps
from rum.model.memory import Memory
from rum.model.report import Area, Counted, FailingFile, Period, Worker
from rum.model.success import has_worked, is_verified

ROWS = 24
"""Months that are told one by one; of more, quarters are, or years."""
DEEP = 2
"""Folders of a path that make an area."""
TOP = "."
"""The area of files that lie in no folder."""
NOT_SAID = "not said"


class Count:
    """How many memories, how many of them succeeded, and when the last one was."""

    def __init__(self) -> None:
        self.memories: int = 0
        self.successes: int = 0
        self.unverified: int = 0
        """Of how many nobody said how they ended."""
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

    def take(self, other: Month) -> None:
        """Add another one."""
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
        self.learned = Learned()
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
        self._count_month(memory, areas)
        for area in areas:
            self._areas[area].add(memory)
        self._touched.update(paths)
        if not memory.outcome.success and is_verified(memory):
            self._count_failure(memory, paths)
        self._agents[memory.agent_id].add(memory)
        self._sessions[memory.agent_id].add(memory.session_id)
        self.learned.add(memory)
        self.open.add(memory, causes)

    def _count_month(self, memory: Memory, areas: Iterable[str]) -> None:
        day = day_of(memory.created_at)
        month = self._months[day.year * 12 + day.month - 1]
        month.add(memory)
        month.kinds[memory.intent.task_type.value] += 1
        month.areas.update(areas)

    def _count_failure(self, memory: Memory, paths: Iterable[str]) -> None:
        category = memory.outcome.failure_category
        self.categories[category.value if category else NOT_SAID] += 1
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
        for months, name in ((1, _month), (3, _quarter), (12, _year)):
            together: defaultdict[str, Month] = defaultdict(Month)
            for number, month in sorted(self._months.items(), reverse=True):
                together[name(number // months)].take(month)
            if len(together) <= ROWS:
                break
        else:
            together = _oldest_as_one(together)
        return tuple(
            Period(
                name=name,
                memories=one.memories,
                successes=one.successes,
                kinds=most_of(one.kinds, kinds),
                areas=most_of(one.areas, areas),
            )
            for name, one in together.items()
        )

    @property
    def area_count(self) -> int:
        """How many areas were touched."""
        return len(self._areas)

    def areas(self, most: int) -> tuple[Area, ...]:
        """Where most was done."""
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
        """Where most failed, and of equals where it failed last."""
        worst = sorted(self._failed.values(), key=lambda one: (-one.failures, -one.last_at, one.path))[:most]
        return tuple(
            FailingFile(
                path=one.path,
                failures=one.failures,
                memories=self._touched[one.path],
                last_at=one.last_at,
                last_id=one.last_id,
                last_goal=one.last_goal,
            )
            for one in worst
        )

    @property
    def agent_count(self) -> int:
        """How many agents remembered something."""
        return len(self._agents)

    def agents(self, names: Mapping[str, str], most: int) -> tuple[Worker, ...]:
        """Who did most."""
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
    """The folder that stands for where a file lies: its first two."""
    return "/".join(path.split("/")[:-1][:DEEP]) or TOP


def _oldest_as_one(periods: Mapping[str, Month]) -> defaultdict[str, Month]:
    """Periods, newest first, with the oldest together in one so that there are not too many."""
    names = list(periods)
    together = defaultdict(Month, {name: periods[name] for name in names[: ROWS - 1]})
    for name in names[ROWS - 1 :]:
        together[f"{names[-1]}–{names[ROWS - 1]}"].take(periods[name])
    return together


def _month(number: int) -> str:
    return f"{number // 12}-{number % 12 + 1:02}"


def _quarter(number: int) -> str:
    return f"{number // 4} Q{number % 4 + 1}"


def _year(number: int) -> str:
    return str(number)
