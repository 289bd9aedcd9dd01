"""A progress bar on stderr, where a person may be watching."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol


class Tell(Protocol):
    """Told how much is done, and how much there is where that was not known before."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """So much is done."""
        ...


@contextmanager
def progress(title: str, total: int | None) -> Generator[Tell]:
    """A function to tell how much is done; it draws nothing when stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total=None: None  # noqa: ARG005
        return
    from rum.surfaces.cli.bar import bar  # noqa: PLC0415 (rich is slow to load)

    with bar(title, total) as tell:
        yield tell
