"""What a store offers to check, maintain and archive, and what only stores in local files offer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol


class Upkeep(Protocol):
    """Checks, and the maintenance of derived data."""

    def problems(self) -> list[tuple[str, str]]:
        """Return (what is wrong, what to do) of each problem."""
        ...

    def status(self) -> dict[str, object]:
        """Return the backend's version, the schema, and numbers and sizes, by name."""
        ...

    def is_index_stale(self) -> bool:
        """Whether the text index was made by another tokeniser."""
        ...

    def reindex(
        self, progress: Callable[[int], None], left_out: Callable[[str], None], *, drop_vectors: bool = False
    ) -> int:
        """Rebuild everything derived, in batches so that other writers get their turn.

        Return the number of memories indexed. `progress` is called with the number so far, `left_out` with
        the id of each damaged memory. Vectors are only deleted here; memories without one are queued.
        """
        ...

    def remembered(self, name: str) -> str | None:
        """Return a value that saves work; it may be lost at any time."""
        ...

    def remember(self, name: str, value: str) -> None:
        """Keep such a value."""
        ...

    def merge_index(self) -> bool:
        """Merge the parts of the text index if there are many; False if there were few."""
        ...


class FileSize(NamedTuple):
    """The size of the file that holds the memories, with its log, and the unused share of it."""

    bytes: int
    unused: float


class LocalUpkeep(Protocol):
    """What makes sense for local files only; a database server has its own tools for it."""

    def backup(self, path: str) -> None:
        """Copy the file that holds the memories, while others go on writing."""
        ...

    def size(self) -> FileSize:
        """Return the size of that file."""
        ...

    def repair_activity(self) -> None:
        """Save what can be read of a damaged file of events and counts."""
        ...

    def copies(self) -> list[str]:
        """Return the copies of files that repairs and restored backups left beside them."""
        ...

    def drop_copies(self) -> None:
        """Delete these copies."""
        ...

    def shrink(self, patience: float | None = None) -> str | None:
        """Leave no deleted byte in the files; None when done, else why it was not.

        With a `patience` only the file that holds the memories is made smaller, and only if other writers
        need not wait longer than that many seconds.
        """
        ...


class Weighed(NamedTuple):
    """A live memory, and the reason against archiving it: one word, or empty."""

    memory_id: str
    superseded: bool
    against: str


class Archive(Protocol):
    """Old memories, stored compressed, with an index of their own that live memories do not share."""

    def weigh(self, before: int, importance: float) -> Iterator[list[Weighed]]:
        """Yield every live memory, oldest first, in batches, with the reason against archiving it.

        `young`: made or changed since `before`. `important`: of at least this importance. `follow_ups`: left
        something to do that no later success settled. `linked`: linked to one made since. For a superseded
        one only `young` counts. `damaged`: it cannot be read.
        """
        ...

    def put(self, ids: Sequence[str], now: int) -> int:
        """Archive memories in one transaction; return the number that were live."""
        ...

    def take_back(self, ids: Sequence[str]) -> int:
        """Make archived memories live again in one transaction; return the number that were archived."""
        ...
