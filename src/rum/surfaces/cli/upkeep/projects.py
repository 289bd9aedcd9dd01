"""`rum projects`, `rum pause` and `rum resume`: the projects on this machine, and where hooks work."""

from __future__ import annotations

import os
import time

import click

from rum.capture.events import pause as pauses
from rum.repo.project import ProjectLocation, adopt, all_projects, open_project
from rum.settings.home import find_home
from rum.surfaces.cli.option_types import Span
from rum.surfaces.cli.options import Group, Options, command, ids_option
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


@command("pause")
@click.option("--for", "span", type=Span(), metavar="SPAN", help="For how long: 30m, 2h or 1d.")
@click.option("--everywhere", is_flag=True, help="In all projects.")
@click.pass_obj
def pause(options: Options, span: int | None, everywhere: bool) -> None:
    """Pause capture and offers.

    Until `rum resume` or for the time of --for, hooks capture nothing and offer nothing. Paused work is not
    imported later, for example from a transcript. Agents can still store memories.
    """
    home, project = _home_and_project(options, everywhere)
    now = int(time.time())
    until = None if span is None else now + span
    pauses.pause(home, project, now, until)
    end = "`rum resume`" if until is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
    answer = {"project": project, "since": now, "until": until}
    print_result(
        options,
        answer,
        lambda _: text_view(f"Capture is paused for {project or 'all projects'} until {end}."),
    )


@command("resume")
@click.option("--everywhere", is_flag=True, help="In all projects, including those paused one by one.")
@click.pass_obj
def resume(options: Options, everywhere: bool) -> None:
    """Resume capture and offers."""
    home, project = _home_and_project(options, everywhere)
    now = int(time.time())
    was_paused = pauses.resume(home, project, now)
    still_paused = bool(project and pauses.pauses_now(home, project, now))
    text = "Capture is on again" if was_paused else "Capture was not paused"
    if still_paused:
        text = "All projects are still paused; end that with `rum resume --everywhere`"
    answer = {"project": project, "resumed": was_paused, "paused": still_paused}
    print_result(options, answer, lambda _: text_view(f"{text}."))


def _home_and_project(options: Options, everywhere: bool) -> tuple[str, str | None]:
    """Return RUM's home and the project's id, or None for all projects."""
    if everywhere:
        return find_home({}, os.environ), None
    settings, project = open_project(os.getcwd(), flags=options.settings())
    return settings.home, project.id
