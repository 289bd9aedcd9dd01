"""Whether what a memory tells of worked, as far as somebody said so."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.model.memory import Memory

PARTIAL = "partial"
"""The tag of a memory of work that was done in part."""
UNVERIFIED = "unverified"
"""The tag of a memory of work of which nobody said how it ended."""


def is_verified(memory: Memory) -> bool:
    """Whether somebody said how the work ended: only then it is a success, or a failure to learn from."""
    return UNVERIFIED not in memory.tags


def has_worked(memory: Memory) -> bool:
    """Whether the work succeeded, and somebody said so."""
    return memory.outcome.success and is_verified(memory)
