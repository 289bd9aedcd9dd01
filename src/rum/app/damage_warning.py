"""What is said of a memory that cannot be read, where that keeps nobody from the others."""

from __future__ import annotations


def damage(memory_id: str) -> str:
    """That a memory was left out, and what to do about it."""
    return f"{memory_id} cannot be read from the archive and was left out. Restore a backup, or forget it."


def damage_told(memory_id: str) -> None:
    """Say so as a warning, where nobody asked to be told otherwise."""
    import warnings  # noqa: PLC0415 (seldom)

    warnings.warn(f"RUM: {damage(memory_id)}", RuntimeWarning, stacklevel=3)
