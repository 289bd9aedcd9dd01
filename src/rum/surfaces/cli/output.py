"""Where words go: answers to stdout as JSON, in colour or plain; notes, questions and errors to stderr."""

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


def say(as_json: bool, answer: T, view: Callable[[T], View]) -> None:
    """Print an answer now: as the API's JSON, or as its view looks on a terminal or in a pipe."""
    if as_json:
        say_json(answer)
    elif _in_colour():
        # rich takes longer to load than a recall takes.
        from rum.surfaces.cli import pretty  # noqa: PLC0415

        pretty.show(view(answer))
    else:
        for line in plain.rendered(view(answer)):
            sys.stdout.write(line + "\n")
    # The reader has the answer before anything is written down about it.
    sys.stdout.flush()


def say_json(answer: object) -> None:
    """Print one JSON document: compact in a pipe, set in on a terminal."""
    data = msgspec.json.encode(answer)
    if sys.stdout.isatty():
        data = msgspec.json.format(data, indent=2)
    say_lines([data])


def say_text(text: str) -> None:
    """Print a text of several lines as it is set, without anything that a terminal would obey."""
    for line in sanitise.lines(text.rstrip("\n")) if text else []:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def say_ids(ids: Iterable[str]) -> None:
    """Print ids, one per line."""
    for one in ids:
        sys.stdout.write(sanitise.line(one) + "\n")
    sys.stdout.flush()


def say_lines(lines: Iterable[bytes]) -> None:
    """Print lines as the bytes they are."""
    sys.stdout.flush()
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")


def _in_colour() -> bool:
    forced = any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    return forced or sys.stdout.isatty()


def note(text: str) -> None:
    """A remark beside the answer."""
    _tell(text, dim=True)


def _tell(text: str, **style: bool | str) -> None:
    sys.stdout.flush()
    line = sanitise.line(text)
    if style and "NO_COLOR" not in os.environ:
        line = click.style(line, **style)  # type: ignore[arg-type]
    click.echo(line, err=True)


def ask(question: str) -> str:
    """What a person answers; empty when there is nobody."""
    click.echo(sanitise.line(question) + " ", err=True, nl=False)
    return sys.stdin.readline().strip()


def complain(error: RumError, as_json: bool) -> None:
    """Say what went wrong: in words, then what details add to them; or as the API's JSON."""
    if as_json:
        click.echo(msgspec.json.encode(error.to_dict(), enc_hook=str), err=True)
        return
    _tell(f"rum: {error.message}", fg="red")
    for name, value in error.details.items():
        words = cast("list[object]", value) if isinstance(value, list) else [value]
        told = ", ".join(map(str, words))
        # The field is for programs: a message says in words what it is about.
        if name != "field" and told not in error.message:
            _tell(f"{name}: {told}")


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
