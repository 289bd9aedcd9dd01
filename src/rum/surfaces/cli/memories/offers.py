"""`rum offers`, `rum useful`, `rum useless`: memories that hooks offered, and ratings of memories."""

from __future__ import annotations

from typing import Any

import click

from rum.app import offers as app_offers
from rum.inject.render import local_time, short_id
from rum.model.offers import FeedbackResult, OffersResult, OfferView
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.option_types import OneOf, since_option
from rum.surfaces.cli.options import Options, command, limit_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import Table, TextPart, View, text_view
from rum.text.shorten import one_line


@command("offers")
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--memory", metavar="ID", help="Only this memory.")
@click.option("--kind", type=OneOf(list(app_offers.WHY)), help="Only this kind.")
@since_option
@limit_option(20, most=app_offers.MOST)
@click.pass_obj
def offers(options: Options, **arguments: Any) -> None:
    """List offers to agents and their outcomes.

    Newest first, each with its reason. An offer is `fetched` when the agent then retrieved the memory,
    `followed` when the work then used its file or approach, `contradicted` when what it warned of worked.
    """
    with open_rum(options) as rum:
        answer = rum.offers(**arguments)
        print_result(options, answer, _offers_view)
        if options.as_text:
            _print_counts(answer)


def _print_counts(answer: OffersResult) -> None:
    for counts in answer.figures:
        note(
            f"{counts.kind}: {counts.offered} offered, {counts.fetched} fetched, {counts.followed} followed."
        )
    if answer.hint:
        note(answer.hint)


def _offers_view(answer: OffersResult) -> View:
    rows = [
        (
            TextPart(local_time(int(offer.at)), "dim"),
            TextPart(short_id(offer.memory_id or "-"), "id"),
            TextPart(offer.why),
            TextPart(_offer_text(offer), "strong"),
            TextPart(_offer_outcome(offer)),
        )
        for offer in answer.offers
    ]
    lines = [
        f"{local_time(int(offer.at))} {offer.kind} {short_id(offer.memory_id or '-')}: "
        f"{_offer_text(offer)} → {_offer_outcome(offer)}"
        for offer in answer.offers
    ]
    return [Table(("when", "memory", "why", "text", "outcome"), rows, lines)]


def _offer_text(offer: OfferView) -> str:
    """The text of an offer without the fence around it."""
    inside = offer.text.partition("\n\n")[2].rpartition("\n</")[0]
    return one_line(inside) or "-"


def _offer_outcome(offer: OfferView) -> str:
    if offer.success is None:
        return offer.outcome
    return f"{offer.outcome}, the turn {'succeeded' if offer.success else 'failed'}"


@command("useful")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def useful(options: Options, memory_id: str) -> None:
    """Mark a memory as useful.

    It ranks slightly higher in later searches.
    """
    _rate(options, memory_id, useful=True)


@command("useless")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def useless(options: Options, memory_id: str) -> None:
    """Mark a memory as useless.

    It ranks lower in later searches.
    """
    _rate(options, memory_id, useful=False)


def _rate(options: Options, memory_id: str, *, useful: bool) -> None:
    with open_rum(options) as rum:
        answer = rum.feedback(stored_id(rum, memory_id), useful=useful)
    print_result(options, answer, _rating_view)


def _rating_view(answer: FeedbackResult) -> View:
    rating, usefulness = "useful" if answer.useful else "useless", f"{answer.usefulness:+.2f}"
    return text_view(
        f"Rated {short_id(answer.memory_id)} {rating}. Its usefulness is now {usefulness} (-1 to 1)."
    )
