"""Output: results to stdout as JSON, in colour or plain; notes, prompts and errors to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

import click
import msgspec

from rum.model.errors import RumError
from rum.surfaces.cli.options import Options
from rum.surfaces.cli.views import View, render_lines, safe_line, safe_lines

T = TypeVar("T")


def print_result(
    options: Options,
    answer: T,
    view: Callable[[T], View],
    *,
    ids: Iterable[str] | None = None,
    empty: str | None = None,
) -> None:
    """Print a result: as the API's JSON, or as its view for a terminal or a pipe.

    `ids` are printed instead of the view with `--ids` or `--quiet`; `empty` is a note for an empty result.
    """
    if options.json:
        print_json(answer)
    elif ids is not None and options.only_ids:
        print_text("\n".join(map(safe_line, ids)))
    elif _in_colour():
        # rich takes longer to load than a recall takes.
        from rum.surfaces.cli.pretty import print_view  # noqa: PLC0415

        print_view(view(answer))
    else:
        for line in render_lines(view(answer)):
            sys.stdout.write(line + "\n")
    # The caller may record something about the answer next: the reader must not wait for that.
    sys.stdout.flush()
    if empty and not answer and options.as_text:
        note(empty)


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


def ask(question: str) -> str:
    """Prompt the user for a line; empty at the end of input."""
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
