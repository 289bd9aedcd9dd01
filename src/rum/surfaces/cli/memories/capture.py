"""`rum events`, `rum pause`, `rum resume`: what hooks captured, and where they capture nothing."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from rum.app.capture import events as app_events
from rum.app.capture.events import BECAME, CapturedEventList, CapturedEventView
from rum.app.rum import locate
from rum.capture.events import pause as pauses
from rum.inject.render import local_time, short_id
from rum.settings.home import find_home
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.option_types import OneOf, Span, since_option
from rum.surfaces.cli.options import Options, command, limit_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import Table, TextPart, View, text_view


@command("events")
@click.option("--session", metavar="ID", help="Only this session, by its id or the end of it.")
@click.option("--client", metavar="NAME", help="Only this client, such as claude-code.")
@click.option("--kind", metavar="KIND", help="Only this kind, such as prompt, after or failed.")
@click.option("--memory", metavar="ID", help="Only the events of this memory.")
@click.option("--became", type=OneOf(list(BECAME)), help="Only events with this outcome.")
@since_option
@limit_option(50, most=app_events.MOST)
@click.pass_obj
def events(options: Options, **arguments: Any) -> None:
    """List captured events and what they became.

    Newest first. Hooks capture what agents do; a turn (the work on one prompt) becomes one memory when it
    ends, or none if nothing was done. Events are deleted two weeks later.
    """
    with open_rum(options) as rum:
        answer = rum.captured_events(**arguments)
        print_result(options, answer, _events_view)
        if options.as_text:
            counts = f"{len(answer.events)} of {answer.total} events. Unfinished turns: {answer.open_turns}."
            note(answer.hint or counts)


def _events_view(answer: CapturedEventList) -> View:
    rows = [
        (
            TextPart(local_time(int(event.at)), "dim"),
            TextPart(event.session[-8:], "id"),
            TextPart(event.kind),
            TextPart(event.what, "strong"),
            TextPart(_event_outcome(event)),
        )
        for event in answer.events
    ]
    lines = [
        f"{local_time(int(event.at))} {event.client} {event.session[-8:]} {event.kind}: "
        f"{event.what} → {_event_outcome(event)}"
        for event in answer.events
    ]
    return [Table(("when", "session", "kind", "what", "became"), rows, lines)]


def _event_outcome(event: CapturedEventView) -> str:
    if event.withheld:
        return f"withheld ({event.withheld})"
    if event.memory_id and event.became in ("memory", "completed"):
        return f"{event.became} {short_id(event.memory_id)}"
    return f"{event.became} ({event.why})" if event.why else event.became or "-"


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
    resume_command = "`rum resume`" if project else "`rum resume --everywhere`"
    end = resume_command if until is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
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
    settings, project = locate(os.getcwd(), options.settings(), create=True)
    return settings.home, project.id
