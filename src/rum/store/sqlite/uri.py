"""The URI by which SQLite opens a file in a certain mode."""

from __future__ import annotations

import os

_UNESCAPED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/")


def sqlite_uri(path: str, mode: str) -> str:
    """The URI of a file, to be opened in a mode such as `ro`."""
    # Not by `urllib`, which takes as long to load as SQLite.
    plain = "".join([chr(byte) if byte in _UNESCAPED else f"%{byte:02x}" for byte in os.fsencode(path)])
    return f"file:{plain}?mode={mode}"
