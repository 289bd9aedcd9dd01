"""How far something is that takes long: a bar on stderr where a person may be watching, else lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from rum.surfaces.cli.output import note, rate

EVERY = 10.0
"""Seconds from one line to the next."""


class Tell(Protocol):
    """Told how much is done, and how much there is where that was not known before."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """So much is done."""
        ...


@contextmanager
def progress(title: str, total: int | None, *, lines: bool = False) -> Generator[Tell]:
    """A function to tell how much is done; where stderr is no terminal it says nothing, or `lines`."""
    if sys.stderr.isatty():
        from rum.surfaces.cli.bar import bar  # noqa: PLC0415 (rich is slow to load)

        with bar(title, total) as tell:
            yield tell
    else:
        yield Lines(title, total) if lines else lambda done, total=None: None  # noqa: ARG005


class Lines:
    """Says in a line every few seconds how much is done, how quickly, and how long the rest may take."""

    def __init__(
        self,
        title: str,
        total: int | None,
        say: Callable[[str], None] = note,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title = title
        self._total = total
        self._say = say
        self._clock = clock
        self._began = self._said = clock()

    def __call__(self, done: int, total: int | None = None) -> None:
        """So much is done."""
        self._total = total or self._total
        now = self._clock()
        if now - self._said >= EVERY:
            self._said = now
            self._say(f"{self._title}: {self._told(done, now - self._began)}")

    def _told(self, done: int, took: float) -> str:
        total = self._total and max(self._total, done)
        told = f"{done} of {total}" if total else f"{done}"
        if not done:
            return told
        told += f", {rate(done / took)} a second"
        return f"{told}, about {_span((total - done) * took / done)} left" if total and total > done else told


def _span(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
