"""Progress of long work on stderr: a bar on a terminal, else lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from rum.surfaces.cli.output import note
from rum.surfaces.cli.views import rate

EVERY = 10.0  # Seconds between two lines


class ReportProgress(Protocol):
    """A callback for the amount done, and the total if it was not known before."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """Report the amount done."""
        ...


@contextmanager
def progress(title: str, total: int | None, *, lines: bool = False) -> Generator[ReportProgress]:
    """A callback that shows progress; without a terminal it prints nothing, or `lines`."""
    if sys.stderr.isatty():
        from rum.surfaces.cli.pretty import progress_bar  # noqa: PLC0415 (rich is slow to load)

        with progress_bar(title, total) as report_progress:
            yield report_progress
    else:
        yield Lines(title, total) if lines else lambda done, total=None: None  # noqa: ARG005


class Lines:
    """Prints a line every few seconds: amount done, rate and remaining time."""

    def __init__(
        self,
        title: str,
        total: int | None,
        print_line: Callable[[str], None] = note,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title = title
        self._total = total
        self._print_line = print_line
        self._clock = clock
        self._began = self._last_at = clock()

    def __call__(self, done: int, total: int | None = None) -> None:
        """Print a line if the last one is old enough."""
        self._total = total or self._total
        now = self._clock()
        if now - self._last_at >= EVERY:
            self._last_at = now
            self._print_line(f"{self._title}: {self._text(done, now - self._began)}")

    def _text(self, done: int, took: float) -> str:
        total = self._total and max(self._total, done)
        text = f"{done} of {total}" if total else f"{done}"
        if not done:
            return text
        text += f", {rate(done / took)} a second"
        return f"{text}, about {_span((total - done) * took / done)} left" if total and total > done else text


def _span(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
