"""What every store offers to those who look after it."""

from __future__ import annotations

from typing import Protocol


class Upkeep(Protocol):
    """What keeps a store healthy."""

    def problems(self) -> list[tuple[str, str]]:
        """(what is wrong, what to do), empty when all is well."""
        ...

    def facts(self) -> dict[str, object]:
        """Versions and sizes."""
        ...

    def mend_index(self) -> None:
        """Empty a text index that is too damaged to be written, so that it can be filled anew."""
        ...

    def merge_index(self) -> bool:
        """Put the parts of the text index together if there are many; whether there were."""
        ...

    def stale_index(self) -> bool:
        """Whether the index was made by another tokeniser."""
        ...

    def stamp_index(self) -> None:
        """Note that the whole index is of the present tokeniser; rows without a memory go."""
        ...

    def backup(self, path: str) -> None:
        """Copy the canonical file while others go on writing."""
        ...

    def size(self) -> int:
        """Bytes that the canonical rows take on the disk."""
        ...

    def unused(self) -> float:
        """Which share of the canonical rows' place on the disk is unused."""
        ...

    def shrink(self, patience: float) -> str | None:
        """Give space back that deleted and archived rows left, if others need not wait longer than that.

        None when it was, else why it was not.
        """
        ...

    def purge(self) -> bool:
        """Leave no deleted byte in the files; False when another process kept one open for reading."""
        ...
