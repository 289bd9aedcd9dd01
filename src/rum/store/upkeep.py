"""What every store offers to check and maintain it, and what only stores in local files offer."""

from __future__ import annotations

from typing import Protocol


class Upkeep(Protocol):
    """Checks, and the care of the text index."""

    def problems(self) -> list[tuple[str, str]]:
        """(what is wrong, what to do), empty when all is well."""
        ...

    def facts(self) -> dict[str, object]:
        """Versions and sizes."""
        ...

    def is_index_stale(self) -> bool:
        """Whether the text index was made by another tokeniser."""
        ...

    def begin_reindex(self) -> None:
        """Empty a text index that is too damaged to be written, so that it can be filled again."""
        ...

    def end_reindex(self) -> None:
        """Record that the index is of the present tokeniser, and delete its rows without a memory."""
        ...

    def merge_index(self) -> bool:
        """Merge the parts of the text index if there are many; whether there were."""
        ...


class LocalUpkeep(Protocol):
    """What makes sense for local files only; a database server has its own tools for it."""

    def backup(self, path: str) -> None:
        """Copy the canonical file while others go on writing."""
        ...

    def size(self) -> int:
        """Bytes of the canonical file."""
        ...

    def unused(self) -> float:
        """The unused share of the canonical file."""
        ...

    def shrink(self, patience: float) -> str | None:
        """Give back unused space, if other writers need not wait longer than `patience` seconds.

        None when done, else why it was not.
        """
        ...

    def purge(self) -> bool:
        """Leave no deleted byte in the files; False when another process kept one open for reading."""
        ...
