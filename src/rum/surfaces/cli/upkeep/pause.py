"""`rum pause` and `rum resume`: let hooks keep nothing for a while."""

from __future__ import annotations

import os
import time

import click

from rum.capture.events import pause as pausing
from rum.repo.project import open_project
from rum.settings.home import find_home
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say
from rum.surfaces.cli.times import Span
from rum.surfaces.cli.views import said


@command("pause")
@click.option("--for", "span", type=Span(), metavar="SPAN", help="How long, as 30m, 2h or 1d.")
@click.option("--everywhere", is_flag=True, help="In all projects.")
@click.pass_obj
def pause(asked: Asked, span: int | None, everywhere: bool) -> None:
    """Let hooks keep nothing for a while.

    They say nothing either, until `rum resume` or for as long as --for says. What happens meanwhile is not
    taken in later, as from a transcript. What an agent stores itself is stored.
    """
    home, project = _meant(asked, everywhere)
    now = int(time.time())
    until = None if span is None else now + span
    pausing.pause(home, project, now, until)
    end = "`rum resume`" if until is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
    answer = {"project": project, "since": now, "until": until}
    say(asked.json, answer, lambda _: said(f"Nothing is kept of {project or 'any project'} until {end}."))


@command("resume")
@click.option("--everywhere", is_flag=True, help="In all projects, also those paused by themselves.")
@click.pass_obj
def resume(asked: Asked, everywhere: bool) -> None:
    """Let hooks keep things again."""
    home, project = _meant(asked, everywhere)
    now = int(time.time())
    ended = pausing.resume(home, project, now)
    still = bool(project and pausing.pauses_now(home, project, now))
    told = "Hooks keep things again" if ended else "Nothing was paused here"
    if still:
        told = "All projects are still paused; end that with `rum resume --everywhere`"
    answer = {"project": project, "resumed": ended, "paused": still}
    say(asked.json, answer, lambda _: said(f"{told}."))


def _meant(asked: Asked, everywhere: bool) -> tuple[str, str | None]:
    """RUM's home, and the project that is meant; None for all."""
    if everywhere:
        return find_home({}, os.environ), None
    settings, project = open_project(os.getcwd(), flags=asked.flags())
    return settings.home, project.id
