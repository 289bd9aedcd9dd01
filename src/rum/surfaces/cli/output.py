"""Output: results to stdout as JSON, in colour or plain; notes, prompts, progress and errors to stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Protocol, TypeVar, cast

import click
import msgspec

from rum.app.calls import load
from rum.model.errors import RumError
from rum.surfaces.cli.options import Options
from rum.surfaces.cli.views import View, rate, render_lines, safe_line, safe_lines, text_view

T = TypeVar("T")
EVERY = 10.0  # Seconds between two lines of progress


def print_result(
    options: Options,
    answer: T,
    view: Callable[[T], View] | View | str,
    ids: Iterable[str] | None = None,
    empty: str | None = None,
    notes: Iterable[str] = (),
) -> None:
    """Print a result: as the API's JSON, or as its view (or a text) for a terminal or a pipe.

    `ids` are printed instead of the view with `--ids` or `--quiet`. People also get the `notes`, on stderr,
    and for an empty result the note `empty`.
    """
    if options.json:
        print_json(answer)
    elif ids is not None and options.only_ids:
        print_text("\n".join(map(safe_line, ids)))
    elif _in_colour():
        # rich takes longer to load than a recall takes.
        load("surfaces.cli.pretty:print_view")(_view(view, answer))
    else:
        for line in render_lines(_view(view, answer)):
            sys.stdout.write(line + "\n")
    # The caller may record something about the answer next: the reader must not wait for that.
    sys.stdout.flush()
    if options.as_text:
        for text in (*([empty] if empty and not answer else []), *notes):
            note(text)


def _view(view: Callable[[T], View] | View | str, answer: T) -> View:
    if callable(view):
        return view(answer)
    return text_view(view) if isinstance(view, str) else view


def print_json(answer: object) -> None:
    """Print one JSON document: compact in a pipe, indented on a terminal."""
    data = msgspec.json.encode(answer)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    print_lines([data])


def print_text(text: str) -> None:
    """Print a text of several lines without escape sequences and control characters."""
    for line in safe_lines(text.rstrip("\n")) if text else []:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def print_lines(lines: Iterable[bytes]) -> None:
    """Print lines without changing their bytes."""
    sys.stdout.flush()
    # These bytes bypass the text layer, whose buffer was flushed first to keep the order.
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")


def _in_colour() -> bool:
    forced = any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    return forced or sys.stdout.isatty()


def note(text: str) -> None:
    """Print a remark to stderr."""
    _print_stderr(text, dim=True)


def _print_stderr(text: str, **style: bool | str) -> None:
    sys.stdout.flush()
    line = safe_line(text)
    if style and "NO_COLOR" not in os.environ:
        line = click.style(line, **style)  # type: ignore[arg-type]
    click.echo(line, err=True)


def ask(question: str, *, hidden: bool = False) -> str:
    """Prompt the user for a line, on a terminal without showing it if `hidden`; empty at the end of input."""
    if hidden and sys.stdin.isatty():
        return str(click.prompt(safe_line(question), prompt_suffix=" ", hide_input=True, err=True)).strip()
    click.echo(safe_line(question) + " ", err=True, nl=False)
    return sys.stdin.readline().strip()


def print_error(error: RumError, as_json: bool) -> None:
    """Print an error: its message and details, or the API's JSON."""
    if as_json:
        click.echo(msgspec.json.encode(error.to_dict(), enc_hook=str), err=True)
        return
    _print_stderr(f"rum: {error.message}", fg="red")
    for name, value in error.details.items():
        values = cast("list[object]", value) if isinstance(value, list) else [value]
        text = ", ".join(map(str, values))
        # The field is for programs: the message names the option.
        if name != "field" and text not in error.message:
            _print_stderr(f"{name}: {text}")


class ReportProgress(Protocol):
    """A callback for the amount done, and the total if it was not known before."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """Report the amount done."""
        ...


@contextmanager
def progress(title: str | None, total: int | None, *, lines: bool = False) -> Generator[ReportProgress]:
    """A callback that shows progress; without a title or a terminal it prints nothing, or `lines`."""
    if title and sys.stderr.isatty():
        with load("surfaces.cli.pretty:progress_bar")(title, total) as report_progress:
            yield report_progress
    else:
        yield Lines(title or "", total) if lines else lambda done, total=None: None  # noqa: ARG005


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
        if not total or total <= done:
            return text
        left = (total - done) * took / done
        return f"{text}, about {f'{left / 60:.0f} min' if left >= 90 else f'{left:.0f} s'} left"
