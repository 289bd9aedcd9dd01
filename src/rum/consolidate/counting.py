"""What can be counted in memories: kinds of work, files, failures; and how counts are said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

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

_BY_THE_WAY = re.compile(
    r"(?:change(?:s|log)|history|news|release[-_]?notes|[\w-]+[-.]lock|go\.sum)(?:\.\w{1,8})?", re.IGNORECASE
)
"""The names of files that are changed along with anything: what is new, and which versions are locked."""
_TESTS = re.compile(r"^tests?[-_]|(?:[-_](?:tests?|spec)|(?<=[a-z])Tests?)$")
"""What makes of a file's name, without its endings, the name of its test."""


def kind_name(kind: TaskType, count: int) -> str:
    """What so many memories of a kind are called; empty where the kind says nothing."""
    names = _KINDS.get(kind)
    return names[count != 1] if names else ""


def memories(count: int) -> str:
    """So many memories, in words."""
    return "1 memory" if count == 1 else f"{count} memories"


def went(count: int, failed: int) -> str:
    """How so many memories went, of which some failed, in words."""
    if 0 < failed < count:
        return f"{count - failed} succeeded, {failed} failed"
    return f"{'Both' if count == 2 else 'All'} {'failed' if failed else 'succeeded'}"


def times(count: int) -> str:
    """So often, in words."""
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def listed(parts: Sequence[str]) -> str:
    """One, two and three."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def most(counts: Counter[str], fewest: int, count: int) -> list[tuple[str, int]]:
    """The largest counts, none below the fewest; among equals in the order of their names."""
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [one for one in ranked if one[1] >= fewest][:count]


def changed_files(memory: Memory) -> frozenset[str]:
    """The files that a memory's work changed."""
    return frozenset(file.path for file in memory.files if file.operation is not Operation.READ)


def is_by_the_way(path: str) -> bool:
    """Whether a file is one that is changed along with anything, and so tells nothing of the work."""
    return bool(_BY_THE_WAY.fullmatch(path.rpartition("/")[2]))


def belong_together(one: str, other: str) -> bool:
    """Whether two files are plainly parts of one: a source with its header, or with its test."""
    mine, theirs = (_TESTS.sub("", path.rpartition("/")[2].partition(".")[0]) for path in (one, other))
    return mine == theirs != ""


def file_counts(members: Iterable[Memory]) -> Counter[str]:
    """In how many memories each file was changed."""
    return Counter(path for memory in members for path in changed_files(memory))
