"""`rum web`: a page to look at the memory."""

from __future__ import annotations

import sys

import click

from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, WholeNumber, command
from rum.surfaces.cli.output import note, print_result


@command("web")
@click.option(
    "--port", type=WholeNumber(0, 65535), metavar="N", help="Port (default: 8766, or another if it is taken)."
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option(
    "--idle",
    type=WholeNumber(0, 100_000),
    metavar="MINUTES",
    default=30,
    show_default=True,
    help="End after this time without a request; 0: never.",
)
def web(options: Options, port: int | None, no_open: bool, idle: int) -> None:
    """Open a page to look at the memory.

    The first line printed is its address. It has a token, so that nobody else on this machine can use it. The
    page shows this project (or --project) and changes it as you would on the command line. It ends with
    Ctrl-C.
    """
    from rum.surfaces.web import main  # noqa: PLC0415 (loads what no other command needs)

    def announce(address: str) -> None:
        print_result(options, {"address": address}, address)
        sys.stdout.flush()
        if options.as_text:
            note("Ctrl-C ends it.")

    with open_rum(options, mention_absence=False) as rum:
        main.serve(rum, port, announce, open_browser=not no_open, idle=idle * 60.0 or None)
