"""`rum report`: the project's memory on one page of Markdown."""

from __future__ import annotations

import os

import click

from rum.consolidate.report.markdown_page import EARLIER_MARK, MARK
from rum.model.errors import InvalidQuery
from rum.store.files import atomic_write
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import print_json, print_result, print_text
from rum.surfaces.cli.times import When
from rum.surfaces.cli.views import text_view

LARGEST = 10_000_000
"""Bytes of a file that can be an earlier report."""


@command("report")
@click.option("--since", type=When(), help="Only memories since then.")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write it to a file.")
@click.pass_obj
def report(options: Options, since: int | None, out: str | None) -> None:
    """Summarise the project's memory in Markdown.

    Work over time, success by area, files with the most failures, open follow-ups, learnings with their
    sources, and agents. FILE may be an earlier report, but no other file. --json prints the figures.
    """
    if out:
        _check(out)
    with open_rum(options) as rum:
        answer = rum.report(since=since)
    if out:
        atomic_write.replace(os.path.abspath(out), answer.text.encode())
        text = f"{out}: {answer.memories} memories"
        print_result(options.json, {"file": out, "memories": answer.memories}, lambda _: text_view(text))
    elif options.json:
        print_json(answer)
    else:
        print_text(answer.text)


def _check(out: str) -> None:
    """Refuse to write over anything but an earlier report."""
    before = atomic_write.read(out, LARGEST)
    if before is not None and not before.rstrip().endswith((MARK.encode(), EARLIER_MARK.encode())):
        raise InvalidQuery(
            f"{out} exists already and is not a report; nothing was changed. Choose another file.",
            field="out",
        )
