"""Where a memory came from, and what reverted its work."""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

SHORT = 10
"""Characters of a commit's id that are shown."""


class OriginKind(StrEnum):
    """What a memory was made of."""

    AGENT = "agent"
    """An agent's own `store`."""
    TURN = "turn"
    """A turn that was captured while it happened."""
    TRANSCRIPT = "transcript"
    """A turn that was read from a client's transcript later."""
    COMMIT = "commit"
    ISSUE = "issue"
    PEER = "peer"
    """Another program's memory."""


class Origin(Struct, frozen=True, omit_defaults=True):
    """What a memory was made of, and its name there: a commit's id, an issue's number, a turn's id."""

    kind: OriginKind
    reference: str | None = None


class Reversal(Struct, frozen=True, omit_defaults=True):
    """The other end of a revert: the id of its memory (of its commit, where no memory is known)."""

    id: str
    commit: str | None = None
    in_part: bool = False
    reason: str | None = None

    @property
    def label(self) -> str:
        """What people know the other end by."""
        return self.commit[:SHORT] if self.commit else self.id


def reverted_summary(summary: str, reverted_by: Reversal | None) -> str:
    """A summary with what reverted the work, for a line of an answer."""
    if not reverted_by:
        return summary
    return f"{summary}; reverted{' in part' if reverted_by.in_part else ''} by {reverted_by.label}"


_IN_SUMMARY = re.compile(r"; reverted by ([0-9a-f]{7,64})\b")


def split_old_summary(summary: str) -> tuple[str, str | None]:
    """A commit's summary without the commit that reverted it, and that commit's short id.

    Stores before schema 11 and exports before format 4 kept it there; nothing else reads summaries.
    """
    found = _IN_SUMMARY.search(summary)
    return (summary[: found.start()] + summary[found.end() :], found[1]) if found else (summary, None)
