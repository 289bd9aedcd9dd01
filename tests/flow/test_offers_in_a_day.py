"""A day of work is mostly silent: what is said is little, short, and not said twice."""

from __future__ import annotations

import pytest
from benchmarks.offers_in_a_day import OfferStatistics, replay_offers

from rum.inject.offers import KINDS, MOST_AT_START


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> OfferStatistics:
    return replay_offers(str(tmp_path_factory.mktemp("day")), calls=500)


def test_most_turns_hear_nothing(day: OfferStatistics) -> None:
    assert 0 < day.turns - day.silent < day.turns / 2


def test_something_is_said_when_sessions_begin_and_of_tasks_and_files(day: OfferStatistics) -> None:
    assert {"session", "intent", "touching"} <= day.offers.keys() <= set().union(*KINDS.values())


def test_no_offer_is_long(day: OfferStatistics) -> None:
    assert all(day.tokens[kind] <= 100 * count for kind, count in day.offers.items())
    assert day.most_at_once <= 100 * MOST_AT_START
