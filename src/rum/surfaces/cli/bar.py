"""The progress bar; a module of its own because it loads rich."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from rum.surfaces.cli.output import rate


class _Rate(ProgressColumn):
    """The recent rate per second."""

    def render(self, task: Task) -> Text:
        """The figure, once it is known."""
        speed = task.finished_speed or task.speed
        return Text(f"{rate(speed)}/s" if speed else "", style="progress.data.speed")


@contextmanager
def bar(title: str, total: int | None) -> Generator[Callable[..., None]]:
    """Draw a bar on stderr while the work runs; it disappears at the end.

    It shows how much is done, how long that took, how quickly it goes, and how long the rest may take.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        _Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=total)

        def report_progress(done: int, total: int | None = None) -> None:
            shown.update(task, completed=done, total=total)

        yield report_progress
