"""Offers, their outcomes, and how useful they show a memory to be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rum.store.activity import Evidence, OfferQuery, OfferRow
from rum.store.base import Store
from support.builders import NOON

OFFER = OfferRow("e1", 0, "mem_1", "codex", "s1", "t1", "c1", "warning", NOON, "Tried before")


def test_an_offer_is_recorded_once_with_its_outcome(store: Store, other: Store):
    store.activity.add_offers([OFFER])
    store.activity.set_outcomes([OFFER._replace(fetched=True, success=True)])
    store.activity.add_offers([OFFER])
    (found,) = other.activity.find_offers(OfferQuery(client="codex", session="s1", until=NOON))
    assert found == OFFER._replace(fetched=True, success=True)
    assert other.activity.find_offers(OfferQuery(client="codex", until=NOON - 1)) == []
    assert other.activity.usefulness(["mem_1", "mem_2"]) == {"mem_1": 0.25 / 2.25}


def test_being_shown_is_no_evidence(store: Store):
    store.activity.add_offers([OFFER])
    store.activity.set_outcomes([OFFER._replace(success=True)])
    assert store.activity.usefulness(["mem_1"]) == {}
    only_feedback = store.activity.add_feedback("mem_1", "owner", NOON, useful=True)
    assert only_feedback == Evidence(1, 0, 0, 0, 0, 0)


def test_offers_are_found_newest_first_by_what_is_asked(store: Store):
    rows = [OFFER._replace(event=f"e{n}", at=NOON + n, kind=("warning", "intent")[n % 2]) for n in range(4)]
    store.activity.add_offers(rows)
    assert [one.event for one in store.activity.find_offers(OfferQuery(3))] == ["e3", "e2", "e1"]
    assert [one.event for one in store.activity.find_offers(OfferQuery(9, kind="intent"))] == ["e3", "e1"]
    assert store.activity.find_offers(OfferQuery(9, session="s2")) == []
    assert [(one.kind, one.offered) for one in store.activity.offer_counts()] == [
        ("intent", 2),
        ("warning", 2),
    ]


def test_a_forgotten_memory_leaves_no_offers_or_feedback(store: Store):
    store.activity.add_offers([OFFER])
    store.activity.add_feedback("mem_1", "owner", NOON, useful=True)
    store.activity.delete("mem_1")
    assert store.activity.find_offers(OfferQuery(9)) == []
    assert store.activity.usefulness(["mem_1"]) == {}


@given(st.tuples(*[st.integers(0, 1000)] * 6))
def test_usefulness_is_bounded_and_nothing_without_evidence(counts: tuple[int, ...]):
    assert -1 < Evidence(*counts).value < 1
    assert Evidence(0, 0, 0, 0, 0, 0).value == 0
