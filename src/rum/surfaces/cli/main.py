"""Run one command line; errors become a message on stderr and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

import click
from click.exceptions import Exit
from click.shell_completion import shell_complete

from rum.model.errors import RumError, StorageError
from rum.surfaces.cli.commands import COMPLETE, root
from rum.surfaces.cli.options import Options, WrongUsage
from rum.surfaces.cli.output import print_error
from rum.surfaces.cli.views import safe_lines


def main(arguments: list[str]) -> int:
    """Return the exit code: 0 for success, 1 for an error, 2 for a usage error, 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        # The console's own encoding may not have all characters of stored texts.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    if instruction := os.environ.get(COMPLETE):
        return shell_complete(root, {}, "rum", COMPLETE, instruction)
    options = Options()
    try:
        code = _run(arguments, options)
        sys.stdout.flush()
        return code
    except RumError as error:
        print_error(error, options.json)
        return 2 if isinstance(error, WrongUsage) else 1
    except click.UsageError as error:
        _print_usage_error(error)
        return 2
    except OSError as error:
        _discard_output()
        # The reader may have closed the pipe, as `head` does.
        if isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == errno.EINVAL):
            return 0
        reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error
        print_error(StorageError(f"{reason}."), options.json)
        return 1
    except KeyboardInterrupt:
        click.echo(err=True)
        return 130


def _run(arguments: list[str], options: Options) -> int:
    # Python turns invalid bytes of arguments into surrogates, which cannot be encoded or stored.
    if any(0xD800 <= ord(character) <= 0xDFFF for argument in arguments for character in argument):
        raise click.UsageError("The arguments are not valid UTF-8.")
    try:
        with root.make_context("rum", list(arguments), obj=options) as ctx:
            root.invoke(ctx)
    except Exit as done:
        return done.exit_code
    return 0


def _print_usage_error(error: click.UsageError) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    click.echo("\n".join(safe_lines(f"rum: {error.format_message()}")), err=True)
    if error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
        click.echo(f"Try `{error.ctx.command_path} --help`.", err=True)


def _discard_output() -> None:
    """Discard unwritten output, or Python would try to write it at exit and print an error."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
