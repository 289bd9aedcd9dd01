"""The ledger of offers, whatever keeps it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rum.store.base import Store
from rum.store.offers import Evidence, OfferRow, OffersSought
from support.builders import NOON

OFFER = OfferRow("e1", 0, "mem_1", "codex", "s1", "t1", "c1", "warning", NOON, "Tried before")


def test_an_offer_is_noted_once_and_judged(store: Store, other: Store):
    store.ledger.add([OFFER])
    store.ledger.judge([OFFER._replace(fetched=True, success=True)])
    store.ledger.add([OFFER])
    (found,) = other.ledger.of_session("codex", "s1", NOON)
    assert found == OFFER._replace(fetched=True, success=True)
    assert other.ledger.of_session("codex", "s1", NOON - 1) == []
    assert other.ledger.usefulness(["mem_1", "mem_2"]) == {"mem_1": 0.25 / 2.25}


def test_being_shown_is_no_evidence(store: Store):
    store.ledger.add([OFFER])
    store.ledger.judge([OFFER._replace(success=True)])
    assert store.ledger.usefulness(["mem_1"]) == {}
    assert store.ledger.evidence("mem_1") == Evidence(0, 0, 0, 0, 0, 0)


def test_offers_are_found_newest_first_by_what_is_asked(store: Store):
    rows = [OFFER._replace(event=f"e{n}", at=NOON + n, kind=("warning", "intent")[n % 2]) for n in range(4)]
    store.ledger.add(rows)
    assert [one.event for one in store.ledger.find(OffersSought(3))] == ["e3", "e2", "e1"]
    assert [one.event for one in store.ledger.find(OffersSought(9, kind="intent"))] == ["e3", "e1"]
    assert store.ledger.find(OffersSought(9, session="s2")) == []
    assert [(one.kind, one.offered) for one in store.ledger.figures()] == [("intent", 2), ("warning", 2)]


def test_a_forgotten_memory_leaves_nothing_in_the_ledger(store: Store):
    store.ledger.add([OFFER])
    store.ledger.feedback("mem_1", "owner", NOON, useful=True)
    store.activity.delete("mem_1")
    assert store.ledger.find(OffersSought(9)) == []
    assert store.ledger.usefulness(["mem_1"]) == {}


@given(st.tuples(*[st.integers(0, 1000)] * 6))
def test_usefulness_is_bounded_and_nothing_without_evidence(counts: tuple[int, ...]):
    assert -1 < Evidence(*counts).value < 1
    assert Evidence(0, 0, 0, 0, 0, 0).value == 0
