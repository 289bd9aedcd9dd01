"""What tells a repository or directory from another one that is put in its place later."""

from __future__ import annotations

import os
from zlib import crc32

from rum.settings.home import read_bounded

CONFIG_LIMIT = 1024 * 1024

_LASTING = ("description", "config", "HEAD")
"""The one git lays down at birth, where a template does; those that change seldom, and not together."""


def repository_traces(common_dir: str) -> list[list[int]]:
    """Figures of a few files, each of which shows on its own that the repository is still the same one.

    Inodes alone would not do, as they are given out anew; nor times alone, as copies keep them.
    """
    return [_figures(os.path.join(common_dir, name)) for name in _LASTING]


def directory_traces(path: str) -> list[list[int]]:
    """The same for a directory without git."""
    return [[os.stat(path).st_ino]]


def is_same(now: list[list[int]], before: list[list[int]]) -> bool:
    """Whether something of what lay here before still does."""
    return any(mine and mine == theirs for mine, theirs in zip(now, before, strict=False))


def is_untouched(now: list[list[int]], before: list[list[int]]) -> bool:
    """Whether the same repository lies here, with the same config and so the same remotes."""
    return now[:2] == before[:2] and any(now[:2])


def birthmark(common_dir: str) -> str:
    """A short name for this repository among all that ever lie at its path."""
    lasting = [figures for figures in repository_traces(common_dir) if figures][:1]
    return f"{crc32(repr(lasting).encode()):08x}"


def _figures(path: str) -> list[int]:
    try:
        data, state = read_bounded(path, CONFIG_LIMIT)
    except (OSError, ValueError):
        return []
    return [state.st_ino, state.st_mtime_ns, len(data), crc32(data)]
