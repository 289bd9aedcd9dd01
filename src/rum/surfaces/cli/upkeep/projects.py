"""`rum projects`: the projects this machine knows, and taking a moved one up again."""

from __future__ import annotations

import os

import click

from rum.repo.project import ProjectLocation, adopt, all_projects, open_project
from rum.settings.home import find_home
from rum.surfaces.cli.options import Asked, Group, ids_option
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.views import Table, View, Word, said


@click.group("projects", cls=Group, invoke_without_command=True)
@ids_option
@click.pass_context
def projects(ctx: click.Context) -> None:
    """List the projects on this machine."""
    if ctx.invoked_subcommand is not None:
        return
    known = all_projects(find_home({}, os.environ))
    asked = ctx.ensure_object(Asked)
    if asked.ids:
        say_ids(project.id for project in known)
        return
    say(asked.json, [_as_json(project) for project in known], lambda _: _table(known))
    if not known and not asked.json:
        note("No projects yet.")


@projects.command("adopt")
@click.argument("project_id", metavar="ID")
@click.pass_obj
def adopt_here(asked: Asked, project_id: str) -> None:
    """Make this directory part of an existing project, for example after moving it."""
    cwd = os.getcwd()
    settings, _ = open_project(cwd, flags=asked.flags())
    project = adopt(project_id, cwd, settings)
    say(asked.json, _as_json(project), lambda _: said(f"{project.root} is now part of {project.id}."))


def _as_json(project: ProjectLocation) -> dict[str, object]:
    return {name: value for name, value in project._asdict().items() if value is not None}


def _table(known: list[ProjectLocation]) -> View:
    rows = [
        (Word(project.name, "strong"), Word(project.id, "id"), Word(project.root or "-")) for project in known
    ]
    return [Table(("name", "id", "last used at"), rows)] if rows else []
