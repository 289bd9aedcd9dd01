"""What a store offers for looking through it: lists in pages, and counts that stay fast in a large store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from rum.store.filters import Filters


class EntryRow(NamedTuple):
    """A memory in a list."""

    id: str
    created_at: int
    goal: str
    task_type: str
    success: bool
    summary: str
    agent_id: str
    session_id: str
    tags: tuple[str, ...]
    files: int
    branch: str | None
    origin: str
    superseded: bool
    reverted: bool
    archived: bool


class EntryQuery(NamedTuple):
    """Which memories to list: those that pass the filters, and touched a file or something below a folder.

    `after` is the time and id of the last memory of the page before.
    """

    filters: Filters
    limit: int
    path: str | None = None
    unverified: bool = False  # Only those whose outcome is not confirmed
    after: tuple[int, str] | None = None
    oldest_first: bool = False


class PeriodCount(NamedTuple):
    """The memories of a period, and how many of them failed or are not confirmed."""

    memories: int
    failures: int
    unverified: int


class PathCount(NamedTuple):
    """A file or folder: memories that touched it and failures among them, and the newest memory."""

    path: str
    memories: int
    failures: int
    last: int
    last_id: str


class ChildPath(NamedTuple):
    """A file or folder within a folder; without `exact`, there are more memories than were counted."""

    path: str
    is_folder: bool
    memories: int
    failures: int
    last: int
    exact: bool


class Browse(Protocol):
    """Lists and counts for people; a page costs about the same wherever it is in the list."""

    def entries(self, query: EntryQuery) -> list[EntryRow]:
        """Return memories by time, superseded and archived ones too."""
        ...

    def entries_of(self, ids: Sequence[str]) -> list[EntryRow]:
        """Return the memories with these ids, in this order; unknown ids are left out."""
        ...

    def count_periods(
        self, periods: Sequence[tuple[int, int]], agent_id: str | None = None
    ) -> list[PeriodCount]:
        """Count the memories of each period, given by its first second and the first one after it."""
        ...

    def count_by_agent(self) -> dict[str, int]:
        """Return the number of memories of each agent that has any."""
        ...

    def failing_files(self, since: int, max_failures: int, limit: int) -> list[PathCount]:
        """Return the files with most failures since a time, of the newest `max_failures` failures."""
        ...

    def recent_paths(self, since: int, max_memories: int) -> list[tuple[str, str, bool]]:
        """Return path, memory and success for each file changed by the newest memories since a time."""
        ...

    def children(self, folder: str, after: str, limit: int, max_counted: int) -> list[ChildPath]:
        """Return what is directly within a folder (empty: the root), by name, after a name."""
        ...

    def count_path(self, path: str, is_folder: bool, max_counted: int) -> ChildPath:
        """Count the memories of a file or of what is below a folder."""
        ...
