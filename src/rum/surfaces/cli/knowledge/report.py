"""`rum report`: the project's memory on one page of Markdown."""

from __future__ import annotations

import os

import click

from rum.consolidate.report.markdown_page import EARLIER_MARK, MARK
from rum.model.errors import InvalidQuery
from rum.store.files import atomic_write
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say, say_json, say_text
from rum.surfaces.cli.times import When
from rum.surfaces.cli.views import said

LARGEST = 10_000_000
"""Bytes of a file that can be an earlier report."""


@command("report")
@click.option("--since", type=When(), help="Only memories since then.")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write it to a file.")
@click.pass_obj
def report(asked: Asked, since: int | None, out: str | None) -> None:
    """Summarise the project's memory in Markdown.

    Work over time, success by area, files with the most failures, open follow-ups, learnings with their
    sources, and agents. FILE may be an earlier report, but no other file. --json prints the figures.
    """
    if out:
        _check(out)
    with opened(asked) as rum:
        answer = rum.report(since=since)
    if out:
        atomic_write.replace(os.path.abspath(out), answer.text.encode())
        told = f"{out}: {answer.memories} memories"
        say(asked.json, {"file": out, "memories": answer.memories}, lambda _: said(told))
    elif asked.json:
        say_json(answer)
    else:
        say_text(answer.text)


def _check(out: str) -> None:
    """Refuse to write over anything but an earlier report."""
    before = atomic_write.read(out, LARGEST)
    if before is not None and not before.rstrip().endswith((MARK.encode(), EARLIER_MARK.encode())):
        raise InvalidQuery(
            f"{out} exists already and is not a report; nothing was changed. Choose another file.",
            field="out",
        )
