"""`rum brief`: what matters to a task, as a text for a prompt."""

from __future__ import annotations

from typing import Any

import click

from rum.model.brief import Brief
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command, given_options
from rum.surfaces.cli.output import note, print_json, print_text
from rum.surfaces.cli.question_options import options_of


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
        _remark_on(answer)


def _remark_on(answer: Brief) -> None:
    for one in answer.broken or ():
        note(f"Skipped: {one.problem if one.file in one.problem else f'{one.file}: {one.problem}'}")
    if answer.hint:
        note(answer.hint)
    elif answer.left_out:
        note(f"{answer.left_out} more did not fit; raise --tokens to include them.")
