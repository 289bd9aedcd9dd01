"""The bar itself; apart from `progress`, because it loads rich."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def bar(title: str, total: int | None) -> Generator[Callable[..., None]]:
    """Draw a bar on stderr as long as the work goes on; it vanishes at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=total)

        def tell(done: int, total: int | None = None) -> None:
            shown.update(task, completed=done, total=total)

        yield tell
