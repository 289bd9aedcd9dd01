"""`rum events`: captured events and what they became."""

from __future__ import annotations

from typing import Any

import click

from rum.app.capture.events import BECAME, MOST, SeenList, SeenView
from rum.inject.render import local_time, short_id
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.times import When
from rum.surfaces.cli.views import Table, TextPart, View


@command("events")
@click.option("--session", metavar="ID", help="Only this session, by its id or the end of it.")
@click.option("--client", metavar="NAME", help="Only this client, such as claude-code.")
@click.option("--kind", metavar="KIND", help="Only this kind, such as prompt, after or failed.")
@click.option("--memory", metavar="ID", help="Only the events of this memory.")
@click.option("--became", type=OneOf(list(BECAME)), help="Only events with this outcome.")
@click.option("--since", type=When(), help="Not older than this: Unix seconds, ISO date, or 7d, 12h, 2w.")
@click.option(
    "--limit",
    type=click.IntRange(1, MOST),
    metavar="N",
    default=50,
    show_default=True,
    help="Maximum number of results.",
)
@click.pass_obj
def events(options: Options, **arguments: Any) -> None:
    """List captured events and what they became.

    Newest first. Hooks capture what agents do; a turn (the work on one prompt) becomes one memory when it
    ends, or none if nothing was done. Events are deleted two weeks later.
    """
    with open_rum(options) as rum:
        answer = rum.seen(**arguments)
        print_result(options.json, answer, _listed)
        if not options.json:
            text = (
                answer.hint
                or f"{len(answer.events)} of {answer.total} events. Unfinished turns: {answer.open_turns}."
            )
            note(text)


def _listed(answer: SeenList) -> View:
    rows = [
        (
            TextPart(local_time(int(one.at)), "dim"),
            TextPart(one.session[-8:], "id"),
            TextPart(one.kind),
            TextPart(one.what, "strong"),
            TextPart(_became(one)),
        )
        for one in answer.events
    ]
    lines = [
        f"{local_time(int(one.at))} {one.client} {one.session[-8:]} {one.kind}: {one.what} → {_became(one)}"
        for one in answer.events
    ]
    return [Table(("when", "session", "kind", "what", "became"), rows, lines)]


def _became(one: SeenView) -> str:
    if one.withheld:
        return f"withheld ({one.withheld})"
    if one.memory_id and one.became in ("memory", "completed"):
        return f"{one.became} {short_id(one.memory_id)}"
    return f"{one.became} ({one.why})" if one.why else one.became or "-"
