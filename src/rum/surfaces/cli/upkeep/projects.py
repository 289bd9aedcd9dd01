"""`rum projects`: the projects on this machine."""

from __future__ import annotations

import os

import click

from rum.repo.project import ProjectLocation, adopt, all_projects, open_project
from rum.settings.home import find_home
from rum.surfaces.cli.options import Group, Options, ids_option
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import Table, TextPart, View, text_view


@click.group("projects", cls=Group, invoke_without_command=True)
@ids_option
@click.pass_context
def projects(ctx: click.Context) -> None:
    """List the projects on this machine."""
    if ctx.invoked_subcommand is not None:
        return
    known = all_projects(find_home({}, os.environ))
    options = ctx.ensure_object(Options)
    answer = [_as_json(project) for project in known]
    ids = (project.id for project in known)
    print_result(options, answer, lambda _: _projects_view(known), ids=ids, empty="No projects yet.")


@projects.command("adopt")
@click.argument("project_id", metavar="ID")
@click.pass_obj
def adopt_here(options: Options, project_id: str) -> None:
    """Make this directory part of an existing project, for example after moving it."""
    cwd = os.getcwd()
    settings, _ = open_project(cwd, flags=options.settings())
    project = adopt(project_id, cwd, settings)
    print_result(
        options, _as_json(project), lambda _: text_view(f"{project.root} is now part of {project.id}.")
    )


def _as_json(project: ProjectLocation) -> dict[str, object]:
    return {name: value for name, value in project._asdict().items() if value is not None}


def _projects_view(known: list[ProjectLocation]) -> View:
    rows = [
        (TextPart(project.name, "strong"), TextPart(project.id, "id"), TextPart(project.root or "-"))
        for project in known
    ]
    return [Table(("name", "id", "last used at"), rows)] if rows else []
