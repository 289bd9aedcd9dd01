"""Warnings in the answers of recall and brief, and the offers of a session, for clients without hooks."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from rum import Rum
from support.builders import make_outcome
from support.offers import edited
from support.projects import Shop, keep

pytestmark = pytest.mark.both_stores
TRIED = "src/cart.py: `total = sum(prices)` failed here on "


@pytest.fixture
def rum(shop: Shop) -> Rum:
    """An agent in a later session than that of a failure on src/cart.py."""
    earlier = shop.open(session="yesterday")
    tried = edited("src/cart.py", "+total = sum(prices)", "Rounding differs by a cent")
    keep(earlier, "Sum up the cart", actions=[tried])
    return shop.open(session="today")


def test_a_recall_by_file_warns_of_what_failed_there_once_a_session(shop: Shop, rum: Rum):
    first = rum.recall(file="src/cart.py")
    assert str(first.warning).startswith(TRIED)
    assert "Rounding differs by a cent" in str(first.warning)
    assert rum.recall(file="src/cart.py").warning is UNSET
    # Another process of the same session has not looked yet, but the warning is recorded.
    assert shop.open(session="today").recall(file="src/cart.py").warning is UNSET
    assert str(shop.open(session="tomorrow").recall(file="src/cart.py").warning).startswith(TRIED)
    assert [one.kind for one in rum.offers(session="today").offers] == ["warning"]


def test_a_recall_that_finds_nothing_warns_too(rum: Rum):
    found = rum.recall(file="src/cart.py", query="zebra unicorn", strategy="exact", tags=["none"])
    assert found.memories == []
    assert str(found.warning).startswith(TRIED)


@pytest.mark.parametrize("file", ["src/", "src/*.py", "src/other.py"])
def test_folders_patterns_and_other_files_have_no_warning(rum: Rum, file: str):
    assert rum.recall(file=file).warning is UNSET


def test_a_memory_shown_in_full_needs_no_warning_and_neither_does_a_small_budget(rum: Rum):
    assert rum.recall(file="src/cart.py", depth="full").warning is UNSET


def test_no_warning_exceeds_the_budget(rum: Rum):
    answer = rum.recall(file="src/cart.py", max_tokens=150)
    assert answer.warning is UNSET
    assert answer.token_estimate <= 150


def test_the_newest_work_on_a_file_that_failed_is_a_warning_until_something_worked(shop: Shop):
    earlier = shop.open(session="yesterday")
    done = edited("src/tax.py", "+rate = 0.19")
    failed = make_outcome("Taxes are wrong", success=False, failure_reason="The rate depends on the country")
    keep(earlier, "Add taxes", actions=[done], outcome=failed)
    rum = shop.open(session="today")
    assert "failed: The rate depends on the country" in str(rum.recall(file="src/tax.py").warning)
    keep(earlier, "Read the rate of the country", actions=[edited("src/tax.py", "+rate = rates[land]")])
    assert shop.open(session="later").recall(file="src/tax.py").warning is UNSET


def test_a_person_gets_no_warning(shop: Shop, rum: Rum):
    assert shop.open(owner=True).recall(file="src/cart.py").warning is UNSET


def test_a_brief_warns_of_what_its_text_leaves_out(shop: Shop, rum: Rum):
    short = rum.brief(file="src/cart.py", tokens=50)
    assert str(short.warning).startswith(TRIED)
    assert rum.brief(file="src/cart.py", tokens=50).warning is UNSET


@pytest.mark.parametrize(
    ("name", "value"), [("offers", "touching"), ("offer_min_age", "1"), ("offer_min_memories", "2")]
)
def test_settings_turn_warnings_off(
    shop: Shop, rum: Rum, monkeypatch: pytest.MonkeyPatch, name: str, value: str
):
    monkeypatch.setenv(f"RUM_{name.upper()}", value)
    assert shop.open(session="another").recall(file="src/cart.py").warning is UNSET


def test_the_offers_of_a_session_begin_with_those_of_its_start(shop: Shop, rum: Rum):
    keep(
        shop.open(session="yesterday"), "Round prices", outcome=make_outcome(learnings=["Round half to even"])
    )
    started = rum.session_offers()
    assert [one.kind for one in started] == ["session"]
    assert "Round half to even" in started[0].text
    shop.clock.at += 1
    rum.recall(file="src/cart.py")
    assert [one.kind for one in rum.session_offers()] == ["warning", "session"]


def test_what_the_session_itself_stored_is_not_offered_to_it(shop: Shop):
    rum = shop.open(session="today")
    keep(rum, "Round prices", outcome=make_outcome(learnings=["Round half to even"]))
    assert rum.session_offers() == []
