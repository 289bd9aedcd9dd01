"""Output: results to stdout as JSON, in colour or plain; notes, prompts and errors to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

import click
import msgspec

from rum.model.errors import RumError
from rum.surfaces.cli import plain, sanitise
from rum.surfaces.cli.views import View

T = TypeVar("T")


def print_result(as_json: bool, answer: T, view: Callable[[T], View]) -> None:
    """Print a result: as the API's JSON, or as its view for a terminal or a pipe."""
    if as_json:
        print_json(answer)
    elif _in_colour():
        # rich takes longer to load than a recall takes.
        from rum.surfaces.cli import pretty  # noqa: PLC0415

        pretty.show(view(answer))
    else:
        for line in plain.render_lines(view(answer)):
            sys.stdout.write(line + "\n")
    # The reader has the answer before anything is written down about it.
    sys.stdout.flush()


def print_json(answer: object) -> None:
    """Print one JSON document: compact in a pipe, indented on a terminal."""
    data = msgspec.json.encode(answer)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    print_lines([data])


def print_text(text: str) -> None:
    """Print a text of several lines without escape sequences and control characters."""
    for line in sanitise.lines(text.rstrip("\n")) if text else []:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def print_ids(ids: Iterable[str]) -> None:
    """Print ids, one per line."""
    for one in ids:
        sys.stdout.write(sanitise.line(one) + "\n")
    sys.stdout.flush()


def print_lines(lines: Iterable[bytes]) -> None:
    """Print lines as the bytes they are."""
    sys.stdout.flush()
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
    line = sanitise.line(text)
    if style and "NO_COLOR" not in os.environ:
        line = click.style(line, **style)  # type: ignore[arg-type]
    click.echo(line, err=True)


def ask(question: str) -> str:
    """Prompt the user for a line; empty at the end of input."""
    click.echo(sanitise.line(question) + " ", err=True, nl=False)
    return sys.stdin.readline().strip()


def print_error(error: RumError, as_json: bool) -> None:
    """Print an error: its message and details, or the API's JSON."""
    if as_json:
        click.echo(msgspec.json.encode(error.to_dict(), enc_hook=str), err=True)
        return
    _print_stderr(f"rum: {error.message}", fg="red")
    for name, value in error.details.items():
        words = cast("list[object]", value) if isinstance(value, list) else [value]
        text = ", ".join(map(str, words))
        # The field is for programs: a message says in words what it is about.
        if name != "field" and text not in error.message:
            _print_stderr(f"{name}: {text}")


def rate(each_second: float) -> str:
    """A number of things a second, as exactly as it says something."""
    return f"{each_second:.0f}" if each_second >= 10 else f"{each_second:.2g}"


def size_of(number: float) -> str:
    """A number of bytes in round figures."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"
