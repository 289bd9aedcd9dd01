"""In a day of work, offers are few, short and not repeated."""

from __future__ import annotations

import pytest
from benchmarks.offers_in_a_day import OfferStatistics, replay_offers

from rum.inject.offers import KINDS, MAX_AT_START


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> OfferStatistics:
    return replay_offers(str(tmp_path_factory.mktemp("day")), calls=500)


def test_most_turns_get_no_offer(day: OfferStatistics) -> None:
    assert 0 < day.turns - day.silent < day.turns / 2


def test_there_are_offers_at_session_start_and_about_tasks_and_files(day: OfferStatistics) -> None:
    assert {"session", "intent", "touching"} <= day.offers.keys() <= set().union(*KINDS.values())


def test_no_offer_is_long(day: OfferStatistics) -> None:
    assert all(day.tokens[kind] <= 100 * count for kind, count in day.offers.items())
    assert day.most_at_once <= 100 * MAX_AT_START
