"""What hooks captured and offered (`rum events`, `offers`), ratings of memories, and `rum pause`."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from rum.app import offers as app_offers
from rum.app.capture import events as app_events
from rum.app.capture.events import BECAME, CapturedEventList, CapturedEventView
from rum.app.rum import Rum, locate
from rum.capture.events import pause as pauses
from rum.inject.render import local_time, short_id
from rum.model.answers import RATED, OffersResult
from rum.model.errors import NotFound
from rum.settings.home import find_home
from rum.surfaces.cli.open_project import Output, rum_command
from rum.surfaces.cli.options import Command, OneOf, Options, Span, command, limit_option, since_option
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import View, table
from rum.text.shorten import one_line


@rum_command("events")
@click.option("--session", metavar="ID", help="Only this session, by its id or the end of it.")
@click.option("--client", metavar="NAME", help="Only this client, such as claude-code.")
@click.option("--kind", metavar="KIND", help="Only this kind, such as prompt, after or failed.")
@click.option("--memory", metavar="ID", help="Only the events of this memory.")
@click.option("--became", type=OneOf(list(BECAME)), help="Only events with this outcome.")
@since_option
@limit_option(50, most=app_events.MOST)
def events(rum: Rum, **arguments: Any) -> Output:
    """List captured events and what they became.

    Newest first. Hooks capture what agents do; a turn (the work on one prompt) becomes one memory when it
    ends, or none if nothing was done. Events are deleted two weeks later.
    """
    answer = rum.captured_events(**arguments)
    counts = f"{len(answer.events)} of {answer.total} events. Unfinished turns: {answer.open_turns}."
    return Output(answer, _events_view, notes=[answer.hint or counts])


def _events_view(answer: CapturedEventList) -> View:
    rows = [
        (local_time(int(event.at)), event.session[-8:], event.kind, event.what, _event_outcome(event))
        for event in answer.events
    ]
    lines = [
        f"{when} {event.client} {session} {kind}: {what} → {outcome}"
        for event, (when, session, kind, what, outcome) in zip(answer.events, rows, strict=True)
    ]
    columns = {"when": "dim", "session": "id", "kind": "", "what": "strong", "became": ""}
    return table(columns, rows, lines)


def _event_outcome(event: CapturedEventView) -> str:
    if event.withheld:
        return f"withheld ({event.withheld})"
    if event.memory_id and event.became in ("memory", "completed"):
        return f"{event.became} {short_id(event.memory_id)}"
    return f"{event.became} ({event.why})" if event.why else event.became or "-"


@rum_command("offers")
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--memory", metavar="ID", help="Only this memory.")
@click.option("--kind", type=OneOf(list(app_offers.WHY)), help="Only this kind.")
@since_option
@limit_option(20, most=app_offers.MOST)
def offers(rum: Rum, **arguments: Any) -> Output:
    """List offers to agents and their outcomes.

    Newest first, each with its reason. An offer is `fetched` when the agent then retrieved the memory,
    `followed` when the work then used its file or approach, `contradicted` when what it warned of worked.
    Work that followed an offer is `kept` if its commit is still there after a day, `undone` if it was
    reverted or abandoned.
    """
    answer = rum.offers(**arguments)
    notes = [
        f"{counts.kind}: {counts.offered} offered, {counts.fetched} fetched, {counts.followed} followed"
        f" ({counts.kept} kept, {counts.undone} undone)."
        for counts in answer.figures
    ]
    return Output(answer, _offers_view, notes=[*notes, *([answer.hint] if answer.hint else [])])


def _offers_view(answer: OffersResult) -> View:
    rows = [
        (
            local_time(int(offer.at)),
            short_id(offer.memory_id or "-"),
            offer.why,
            # Without the fence around it.
            one_line(offer.text.partition("\n\n")[2].rpartition("\n</")[0]) or "-",
            offer.outcome
            if offer.success is None
            else f"{offer.outcome}, the turn {'succeeded' if offer.success else 'failed'}",
        )
        for offer in answer.offers
    ]
    lines = [
        f"{when} {offer.kind} {memory}: {text} → {outcome}"
        for offer, (when, memory, _, text, outcome) in zip(answer.offers, rows, strict=True)
    ]
    return table({"when": "dim", "memory": "id", "why": "", "text": "strong", "outcome": ""}, rows, lines)


def _rating_command(name: str, effect: str) -> Command:
    @rum_command(
        name,
        help=f"Mark a memory, note, rule, fact, chapter or wisdom as {name}.\n\nIt ranks {effect} in later "
        "searches and briefs.",
    )
    @click.argument("id", metavar="ID")
    @click.option("--kind", type=click.Choice(RATED), help="What it is, if two kinds have this id.")
    def rate(rum: Rum, id: str, kind: str | None) -> Output:
        try:
            answer = rum.feedback(id, useful=name == "useful", kind=kind)
        except NotFound:  # RUM's own ids are lower-case, keys of facts may not be
            answer = rum.feedback(id.lower(), useful=name == "useful", kind=kind)
        rated = f"Rated {answer.kind} {short_id(answer.id)} {name}. "
        text = f"{rated}Its usefulness is now {answer.usefulness:+.2f} (-1 to 1)."
        return Output(answer, text)

    return rate


useful = _rating_command("useful", "slightly higher")
useless = _rating_command("useless", "lower")


@command("pause")
@click.option("--for", "span", type=Span(), metavar="SPAN", help="For how long: 30m, 2h or 1d.")
@click.option("--everywhere", is_flag=True, help="In all projects.")
def pause(options: Options, span: int | None, everywhere: bool) -> None:
    """Pause capture and offers.

    Until `rum resume` or for the time of --for, hooks capture nothing and offer nothing. Paused work is not
    imported later, for example from a transcript. Agents can still store memories.
    """
    home, project = _home_and_project(options, everywhere)
    now = int(time.time())
    until = None if span is None else now + span
    pauses.pause(home, project, now, until)
    end = "`rum resume`" if project else "`rum resume --everywhere`"
    if until is not None:
        end = time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
    text = f"Capture is paused for {project or 'all projects'} until {end}."
    print_result(options, {"project": project, "since": now, "until": until}, text)


@command("resume")
@click.option("--everywhere", is_flag=True, help="In all projects, including those paused one by one.")
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
    print_result(options, answer, f"{text}.")


def _home_and_project(options: Options, everywhere: bool) -> tuple[str, str | None]:
    """Return RUM's home and the project's id, or None for all projects."""
    if everywhere:
        return find_home({}, os.environ), None
    settings, project = locate(os.getcwd(), options.settings(), create=True)
    return settings.home, project.id
