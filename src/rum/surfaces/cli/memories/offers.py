"""`rum offers`, `rum useful`, `rum useless`: what was offered, what came of it, what you think of it."""

from __future__ import annotations

from typing import Any

import click

from rum.app.offers.history import MOST, WHY
from rum.inject.render import local_time, short_id
from rum.model.offers import FeedbackResult, OffersResult, OfferView
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.times import When
from rum.surfaces.cli.views import Table, View, Word, said
from rum.text.shorten import one_line


@command("offers")
@click.option("--session", metavar="ID", help="Only in this session.")
@click.option("--memory", metavar="ID", help="Only of this memory.")
@click.option("--kind", type=OneOf(list(WHY)), help="Only of this kind.")
@click.option("--since", type=When(), help="Not older: Unix seconds, ISO date, or 7d, 12h, 2w.")
@click.option(
    "--limit", type=click.IntRange(1, MOST), metavar="N", default=20, show_default=True, help="How many."
)
@click.pass_obj
def offers(asked: Asked, **given: Any) -> None:
    """Show what was offered to agents, and what came of it.

    Newest first, each with its reason. An offer was `fetched` when the agent asked for the memory, `followed`
    when its file or way then appears in the work, `contradicted` when what it warned of worked.
    """
    with opened(asked) as rum:
        answer = rum.offers(**given)
        say(asked.json, answer, _listed)
        if not asked.json:
            _sum_up(answer)


def _sum_up(answer: OffersResult) -> None:
    for one in answer.figures:
        note(f"{one.kind}: {one.offered} offered, {one.fetched} fetched, {one.followed} followed.")
    if answer.hint:
        note(answer.hint)


def _listed(answer: OffersResult) -> View:
    rows = [
        (
            Word(local_time(int(one.at)), "dim"),
            Word(short_id(one.memory_id or "-"), "id"),
            Word(one.why),
            Word(_words(one), "strong"),
            Word(_came(one)),
        )
        for one in answer.offers
    ]
    lines = [
        f"{local_time(int(one.at))} {one.kind} {short_id(one.memory_id or '-')}: {_words(one)} → {_came(one)}"
        for one in answer.offers
    ]
    return [Table(("when", "memory", "why", "said", "came of it"), rows, lines)]


def _words(one: OfferView) -> str:
    """What was said, without the fence around it."""
    inside = one.said.partition("\n\n")[2].rpartition("\n</")[0]
    return one_line(inside) or "-"


def _came(one: OfferView) -> str:
    if one.success is None:
        return one.came
    return f"{one.came}, the turn {'succeeded' if one.success else 'failed'}"


@command("useful")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def useful(asked: Asked, memory_id: str) -> None:
    """Say that a memory was of use.

    It is found a little sooner for it.
    """
    _judge(asked, memory_id, useful=True)


@command("useless")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def useless(asked: Asked, memory_id: str) -> None:
    """Say that a memory was of no use.

    Others are found before it then.
    """
    _judge(asked, memory_id, useful=False)


def _judge(asked: Asked, memory_id: str, *, useful: bool) -> None:
    with opened(asked) as rum:
        answer = rum.feedback(meant(rum, memory_id), useful=useful)
    say(asked.json, answer, _judged)


def _judged(answer: FeedbackResult) -> View:
    word = "useful" if answer.useful else "of no use"
    return said(f"Noted: {short_id(answer.memory_id)} was {word}; all in all {answer.usefulness:+.2f} of ±1.")
