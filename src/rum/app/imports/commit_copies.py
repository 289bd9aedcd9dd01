"""Which commits are copies of one that is known: picked onto another branch, and still one piece of work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rum.app.project import Project
from rum.capture.git.history import Ledger, Writing
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
        self, project: Project, ledger: Ledger, elsewhere: Mapping[Written, Sequence[Memory]]
    ) -> None:
        """`elsewhere` are the memories of commits on other branches."""
        self._project = project
        self._ledger = ledger
        self._elsewhere = elsewhere
        self._alike: dict[Writing, _Known] = {}
        self._others: dict[Written, _Known] = {}

    def has(self, commit: Commit, memory: Memory) -> bool:
        """Whether a commit is a copy; if it is none it may have some."""
        if not memory.actions:
            return False
        known = self._written_like(commit)
        if known.has(memory) or self._on_other_branches(memory).has(memory):
            return True
        known.add(memory)
        return False

    def _written_like(self, commit: Commit) -> _Known:
        """The commits below HEAD that may be copies of one; read once, as a script may make thousands."""
        writing = self._ledger.writing(commit)
        known = self._alike.get(writing)
        if known is None:
            ids = [entry.memory_id for entry in self._ledger.alike(commit)]
            known = _Known(self._project.store.memories.get(ids) if ids else ())
            if ids:
                self._alike[writing] = known
        return known

    def _on_other_branches(self, memory: Memory) -> _Known:
        when = written(memory)
        if when not in self._elsewhere:
            return _Known()
        if when not in self._others:
            self._others[when] = _Known(self._elsewhere[when])
        return self._others[when]


class _Known:
    """Commits that somebody wrote at once, by what they say and changed: enough to recognise a copy.

    A script may make many commits in a second that look alike; only what they changed tells those apart.
    """

    def __init__(self, memories: Iterable[Memory] = ()) -> None:
        self._became: dict[object, set[str]] = {}
        self._alike: dict[object, set[int]] = {}
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Know a commit, unless it was taken back."""
        if memory.outcome.success:
            self._became.setdefault(_became(memory), set()).add(memory.id)
            for sign in (_said(memory), _size(memory)):
                self._alike.setdefault(sign, set()).add(memory.created_at)

    def has(self, memory: Memory) -> bool:
        """Whether another commit says and changed the same; as much, if it came at another time."""
        if self._became.get(_became(memory), set()) - {memory.id}:
            return True
        sign = _said(memory) if memory.intent.context else _size(memory)
        return bool(self._alike.get(sign, set()) - {memory.created_at})


def _became(memory: Memory) -> tuple[object, ...]:
    """The files that a commit changed, each with what it became."""
    files = ((file.path, file.content_hash or "") for file in memory.files)
    return memory.intent.goal, *sorted(files)


def _said(memory: Memory) -> tuple[str, str, str]:
    return memory.intent.goal, "said", memory.intent.context


def _size(memory: Memory) -> tuple[str, ...]:
    """How much a commit changed, and in which files."""
    size = memory.outcome.summary.partition(": ")[2]
    return (memory.intent.goal, "size", size, *sorted(file.path for file in memory.files))
