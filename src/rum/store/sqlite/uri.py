"""How SQLite is told which file to open, and how: by hand, as `urllib` takes as long to load as SQLite."""

from __future__ import annotations

import os

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/")


def address(path: str, mode: str) -> str:
    """The address of a file, whatever its name, to be opened in a mode such as `ro`."""
    plain = "".join([chr(one) if one in _PLAIN else f"%{one:02x}" for one in os.fsencode(path)])
    return f"file:{plain}?mode={mode}"
