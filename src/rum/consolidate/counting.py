"""Counts of memories, task types, files and failures, and counts and days as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from rum.model.memory import Memory, Operation
from rum.model.memory_layers import TaskType

_KINDS = {
    TaskType.BUG_FIX: ("bug fix", "bug fixes"),
    TaskType.FEATURE_ADD: ("new feature", "new features"),
    TaskType.REFACTOR: ("refactoring", "refactorings"),
    TaskType.INVESTIGATION: ("investigation", "investigations"),
    TaskType.TEST_WRITE: ("test change", "test changes"),
    TaskType.DOCUMENTATION: ("documentation change", "documentation changes"),
    TaskType.OPTIMIZATION: ("optimization", "optimizations"),
    TaskType.SECURITY_FIX: ("security fix", "security fixes"),
    TaskType.DEPENDENCY_UPDATE: ("dependency update", "dependency updates"),
    TaskType.CONFIGURATION: ("configuration change", "configuration changes"),
}

# The names of changelogs and lock files, which are changed along with anything.
_INCIDENTAL = re.compile(
    r"(?:\.gitignore|change(?:s|log)|history|news|release[-_]?notes|[\w-]+[-.]lock|go\.sum)(?:\.\w{1,8})?",
    re.IGNORECASE,
)
# What a test's name has beside the name of the file it tests, without extensions.
_TESTS = re.compile(r"^tests?[-_]|(?:[-_](?:tests?|spec)|(?<=[a-z])Tests?)$")

_DAY = 86400
_EPOCH = date(1970, 1, 1).toordinal()


def kind_name(kind: TaskType, count: int) -> str:
    """The name of a task type, in the plural unless `count` is 1; empty for a type without a name."""
    names = _KINDS.get(kind)
    return names[count != 1] if names else ""


def memories(count: int) -> str:
    """A number of memories as text."""
    return "1 memory" if count == 1 else f"{count} memories"


def result_counts(count: int, failed: int) -> str:
    """How many of `count` succeeded and failed, as text."""
    if 0 < failed < count:
        return f"{count - failed} succeeded, {failed} failed"
    return f"{'Both' if count == 2 else 'All'} {'failed' if failed else 'succeeded'}"


def times(count: int) -> str:
    """`count` times, as text."""
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def join_names(parts: Sequence[str]) -> str:
    """Names as "one, two and three"."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def largest(counts: Counter[str], fewest: int, count: int) -> list[tuple[str, int]]:
    """The largest `count` counts, none below `fewest`; equal ones sorted by name."""
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [one for one in ranked if one[1] >= fewest][:count]


def changed_files(memory: Memory) -> frozenset[str]:
    """The files that a memory's work changed."""
    return frozenset(file.path for file in memory.files if file.operation is not Operation.READ)


def is_incidental(path: str) -> bool:
    """Whether a file is changed along with anything, and so says nothing about the work."""
    return bool(_INCIDENTAL.fullmatch(path.rpartition("/")[2]))


def belong_together(one: str, other: str) -> bool:
    """Whether two files are a source with its header, or with its test."""
    mine, theirs = (_TESTS.sub("", path.rpartition("/")[2].partition(".")[0]) for path in (one, other))
    return mine == theirs != ""


def file_counts(members: Iterable[Memory]) -> Counter[str]:
    """In how many memories each file was changed."""
    return Counter(path for memory in members for path in changed_files(memory))


def day_of(at: int) -> date:
    """The day of a time in Unix seconds, in UTC; a time beyond the calendar is its last day."""
    return date.fromordinal(min(_EPOCH + at // _DAY, date.max.toordinal()))


def days_text(first: int, last: int) -> str:
    """A span of time: “on” one day, or “from” a day “to” another."""
    begin, end = day_text(first), day_text(last)
    return f"on {begin}" if begin == end else f"from {begin} to {end}"


def day_text(at: int) -> str:
    """The day of a time in Unix seconds, in UTC, as an ISO date."""
    return day_of(at).isoformat()
