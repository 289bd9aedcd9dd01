"""Offers in a simulated day: how many tokens, of which kind, and in how many turns there are none.

Run it: `python -m benchmarks.offers_in_a_day [CALLS]`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.replay import CLIENT, spooled
from benchmarks.sample_day import Day, make_day
from rum import Rum
from rum.inject.offers import offers_for
from rum.inject.offers.text import Offer
from rum.surfaces.hooks.handle import can_answer, record_offers
from rum.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from rum.capture.events.event import Event

_ENDS = ("stop", "end")


class OfferStatistics(NamedTuple):
    """Offers of one simulated day."""

    calls: int
    turns: int
    silent: int  # Turns in which nothing was offered
    offers: Counter[str]
    tokens: Counter[str]  # By kind of offer
    most_at_once: int  # Tokens at one event
    most_in_a_session: int


def replay_offers(base: str, calls: int, seed: int = 1) -> OfferStatistics:
    """Replay a day event by event, as hooks do, with an intake at the end of each turn."""
    work = os.path.join(base, "work")
    os.makedirs(work)
    day = make_day(work, calls, seed)
    with Rum.open(work, home=os.path.join(base, "home"), owner=True) as rum:
        offered = _offers_of_events(rum, day)
    tokens = [(event, one.kind, estimate_tokens(one.text)) for event, offers in offered for one in offers]
    turns = {(one.session, one.turn) for one in day.expected}
    answered = {(event["session"], event.get("turn")) for event, offers in offered if offers}
    at_once, in_session, by_kind = Counter[str](), Counter[str](), Counter[str]()
    for event, kind, count in tokens:
        at_once[event["id"]] += count
        in_session[event["session"]] += count
        by_kind[kind] += count
    return OfferStatistics(
        calls=day.calls,
        turns=len(turns),
        silent=len(turns - answered),
        offers=Counter(kind for _, kind, _ in tokens),
        tokens=by_kind,
        most_at_once=max(at_once.values(), default=0),
        most_in_a_session=max(in_session.values(), default=0),
    )


def _offers_of_events(rum: Rum, day: Day) -> list[tuple[Event, list[Offer]]]:
    folder = rum.project.directory
    spool = os.path.join(folder, "spool")
    offered: list[tuple[Event, list[Offer]]] = []
    for event in spooled(day, spool):
        if can_answer(event, CLIENT):
            offered.append(
                (event, record_offers(event, offers_for(event, folder, rum.project.root), (spool,)))
            )
        if event["kind"] in _ENDS:
            rum.take_in()
    return offered


def main() -> None:
    """Print the statistics of one day."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as base:
        found = replay_offers(base, calls)
    print(f"calls             {found.calls}")
    print(
        f"turns             {found.turns}, of them silent {found.silent} ({found.silent / found.turns:.0%})"
    )
    for kind, count in found.offers.most_common():
        print(f"{kind:17} {count} offers, {found.tokens[kind]} tokens")
    print(f"tokens in all     {found.tokens.total()}, {found.tokens.total() / found.turns:.1f} a turn")
    print(f"most at one event {found.most_at_once} tokens, in a session {found.most_in_a_session}")


if __name__ == "__main__":
    main()
