"""`rum tokens`: what language models have cost."""

from __future__ import annotations

import click

from rum.app.upkeep.tokens import TokensSpent
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say
from rum.surfaces.cli.views import Table, View, Word, said


@command("tokens")
@click.pass_obj
def tokens(asked: Asked) -> None:
    """Show tokens used by language models, by day and project."""
    with opened(asked) as rum:
        answer = rum.tokens()
    say(asked.json, answer, _spent)


def _spent(answer: TokensSpent) -> View:
    days = [
        (day, project, spent)
        for day, projects in reversed(answer.days.items())
        for project, spent in sorted(projects.items())
    ]
    rows = [
        tuple(Word(str(cell)) for cell in (day, project, spent.requests, spent.read, spent.written))
        for day, project, spent in days
    ]
    lines = [
        f"{day} {project}: {spent.requests} requests, {spent.read} tokens read, {spent.written} written"
        for day, project, spent in days
    ]
    model = f"Language model: {answer.model or 'none'}. "
    view = said(f"{model}Tokens today: {answer.today} of {answer.limit}.")
    return [*view, Table(("day", "project", "requests", "read", "written"), rows, lines)] if rows else view
