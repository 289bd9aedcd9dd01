"""`rum tokens`: tokens used by language models."""

from __future__ import annotations

import click

from rum.app.upkeep.doctor import TokensSpent
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import Table, TextPart, View, text_view


@command("tokens")
@click.pass_obj
def tokens(options: Options) -> None:
    """Show tokens used by language models, by day and project."""
    with open_rum(options) as rum:
        answer = rum.tokens()
    print_result(options.json, answer, _spent)


def _spent(answer: TokensSpent) -> View:
    days = [
        (day, project, spent)
        for day, projects in reversed(answer.days.items())
        for project, spent in sorted(projects.items())
    ]
    rows = [
        tuple(TextPart(str(cell)) for cell in (day, project, spent.requests, spent.read, spent.written))
        for day, project, spent in days
    ]
    lines = [
        f"{day} {project}: {spent.requests} requests, {spent.read} tokens read, {spent.written} written"
        for day, project, spent in days
    ]
    model = f"Language model: {answer.model or 'none'}. "
    view = text_view(f"{model}Tokens today: {answer.today} of {answer.limit}.")
    return [*view, Table(("day", "project", "requests", "read", "written"), rows, lines)] if rows else view
