"""`rum brief` and `rum report`: what is known, as a text for a prompt or as a page of Markdown."""

from __future__ import annotations

import os
from typing import Any

import click

from rum.consolidate.report.markdown_page import EARLIER_MARK, MARK
from rum.model.brief import Brief
from rum.model.errors import InvalidQuery
from rum.store.files import atomic_write
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.option_types import When
from rum.surfaces.cli.options import Options, command, given_options
from rum.surfaces.cli.output import note, print_json, print_result, print_text
from rum.surfaces.cli.request_options import options_of
from rum.surfaces.cli.views import text_view

_LARGEST_REPORT = 10_000_000  # Maximum size of an earlier report, in bytes


@command("brief")
@options_of("brief", leave_out=("explain",))
@click.pass_obj
def brief(options: Options, **arguments: Any) -> None:
    """Summarise what matters to a task, for a prompt.

    Notes, rules, facts, failures on the given files, earlier work, follow-ups and the session's journal,
    ranked together. --agent names the reader. --json prints the included items with points and tokens.
    """
    with open_rum(options) as rum:
        answer = rum.brief(**given_options(arguments))
    if options.json:
        print_json(answer)
    else:
        print_text(answer.text)
        _print_notes(answer)


def _print_notes(answer: Brief) -> None:
    for one in answer.broken or ():
        note(f"Skipped: {one.problem if one.file in one.problem else f'{one.file}: {one.problem}'}")
    if answer.hint:
        note(answer.hint)
    elif answer.left_out:
        note(f"{answer.left_out} more did not fit; raise --tokens to include them.")


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
        _check_is_report(out)
    with open_rum(options) as rum:
        answer = rum.report(since=since)
    if out:
        atomic_write.replace(os.path.abspath(out), answer.text.encode())
        text = f"{out}: {answer.memories} memories"
        print_result(options, {"file": out, "memories": answer.memories}, lambda _: text_view(text))
    elif options.json:
        print_json(answer)
    else:
        print_text(answer.text)


def _check_is_report(out: str) -> None:
    """Refuse to overwrite anything but an earlier report."""
    earlier = atomic_write.read(out, _LARGEST_REPORT)
    if earlier is not None and not earlier.rstrip().endswith((MARK.encode(), EARLIER_MARK.encode())):
        raise InvalidQuery(
            f"{out} exists already and is not a report; nothing was changed. Choose another file.",
            field="out",
        )
