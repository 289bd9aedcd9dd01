"""What a store offers for anchors, and for following files to their present names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol


class TextAnchors(NamedTuple):
    """The anchors of a note, fact or rule, and the mark of the text that they were made for."""

    mark: str
    data: bytes


class Anchors(Protocol):
    """The anchors of memories, as `model.anchors.encode` writes them. They can be made again."""

    def of(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Return the anchors of each of these memories that has some; empty if none could be made."""
        ...

    def put(self, anchors: Mapping[str, bytes]) -> None:
        """Replace the anchors of memories, by their ids; unknown ids are ignored."""
        ...

    def missing(self, limit: int) -> list[str]:
        """Return the newest memories that know their commit and for which no anchors were made or tried."""
        ...

    def claims(self, limit: int) -> list[str]:
        """Return the newest memories with anchors that state something: no commits, no failures.

        Superseded ones are left out.
        """
        ...

    def later_names(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """Return the names that files got later in the work of some memory, the newest first."""
        ...

    def of_texts(self, names: Iterable[str] | None = None) -> dict[str, TextAnchors]:
        """Return the anchors of these notes, facts and rules, or of all, by their names as in `ledger_id`."""
        ...

    def put_texts(self, anchors: Mapping[str, TextAnchors]) -> None:
        """Replace the anchors of notes, facts and rules."""
        ...

    def delete_texts(self, names: Iterable[str]) -> None:
        """Delete the anchors of notes, facts and rules."""
        ...
