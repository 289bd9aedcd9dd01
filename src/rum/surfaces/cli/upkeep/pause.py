"""`rum pause` and `rum resume`: stop and restart the work of hooks."""

from __future__ import annotations

import os
import time

import click

from rum.capture.events import pause as pausing
from rum.repo.project import open_project
from rum.settings.home import find_home
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.times import Span
from rum.surfaces.cli.views import text_view


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
    pausing.pause(home, project, now, until)
    end = "`rum resume`" if until is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
    answer = {"project": project, "since": now, "until": until}
    print_result(
        options.json,
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
    ended = pausing.resume(home, project, now)
    still = bool(project and pausing.pauses_now(home, project, now))
    text = "Capture is on again" if ended else "Capture was not paused"
    if still:
        text = "All projects are still paused; end that with `rum resume --everywhere`"
    answer = {"project": project, "resumed": ended, "paused": still}
    print_result(options.json, answer, lambda _: text_view(f"{text}."))


def _home_and_project(options: Options, everywhere: bool) -> tuple[str, str | None]:
    """RUM's home, and the project's id; None for all projects."""
    if everywhere:
        return find_home({}, os.environ), None
    settings, project = open_project(os.getcwd(), flags=options.flags())
    return settings.home, project.id
