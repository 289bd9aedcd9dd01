"""A progress bar on stderr, where a person may be watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def progress(title: str, total: int | None) -> Generator[Callable[[int], None]]:
    """A function to tell how much is done; it draws nothing when stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rum.surfaces.cli.bar import bar  # noqa: PLC0415 (rich is slow to load)

    with bar(title, total) as tell:
        yield tell
