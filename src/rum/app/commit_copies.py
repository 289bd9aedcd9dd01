"""Which commits are copies of one that is known: picked onto another branch, and still one piece of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rum.app.context import Context
from rum.capture.history.ledger import Ledger
from rum.model.memory import Memory
from rum.repo.history import Commit

Written = tuple[str, int]
"""Who wrote a commit, and when."""


def written(memory: Memory) -> Written:
    """By whom and when a commit was written that a memory with actions is of; picking it changes neither."""
    return memory.agent_id, memory.actions[0].timestamp


class Copies:
    """The commits that an import has met, as far as others look like copies of them."""

    def __init__(
        self, context: Context, ledger: Ledger, elsewhere: Mapping[Written, Sequence[Memory]]
    ) -> None:
        """`elsewhere` are the memories of commits on other branches."""
        self._context = context
        self._ledger = ledger
        self._elsewhere = elsewhere
        self._met: dict[str, Memory] = {}

    def has(self, commit: Commit, memory: Memory) -> bool:
        """Whether a commit is a copy; if it is none it may have some."""
        if not memory.actions:
            return False
        alike = [entry.memory_id for entry in self._ledger.alike(commit)]
        met = [self._met[one] for one in alike if one in self._met]
        kept = self._context.store.memories.get([one for one in alike if one not in self._met])
        others = (*met, *kept, *self._elsewhere.get(written(memory), ()))
        if any(_are_same(memory, other) for other in others):
            return True
        if alike:
            self._met[memory.id] = memory
        return False


def _are_same(one: Memory, other: Memory) -> bool:
    """Whether two commits that were written at once by one person say and change the same.

    A script may make many commits in a second that look alike; only what they changed tells those apart.
    """
    if one.intent.goal != other.intent.goal or not other.outcome.success:
        return False
    if _became(one) == _became(other):
        return True
    body = one.intent.context
    alike = body == other.intent.context if body else _size(one) == _size(other)
    return alike and one.created_at != other.created_at


def _became(memory: Memory) -> list[tuple[str, str | None]]:
    """The files that a commit changed, each with what it became."""
    return sorted((file.path, file.content_hash) for file in memory.files)


def _size(memory: Memory) -> tuple[str, ...]:
    """How much a commit changed, and in which files."""
    size = memory.outcome.summary.partition(": ")[2]
    return (size, *sorted(file.path for file in memory.files))
