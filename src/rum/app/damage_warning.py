"""The warning about a memory that cannot be read and is left out."""

from __future__ import annotations

import warnings


def damage(memory_id: str) -> str:
    """What happened, and what to do about it."""
    return f"{memory_id} cannot be read from the archive and was left out. Restore a backup, or forget it."


def warn_of_damage(memory_id: str) -> None:
    """The default for callers that do not handle it themselves."""
    warnings.warn(f"RUM: {damage(memory_id)}", RuntimeWarning, stacklevel=3)
