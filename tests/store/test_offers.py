"""Offers, their outcomes, and how useful they show a memory to be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rum.store.activity import Evidence, OfferQuery, OfferRow, WorkOutcome
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
    assert only_feedback == Evidence(1, 0, 0, 0, 0, 0, 0, 0)


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


def test_work_that_followed_an_offer_counts_by_what_became_of_it(store: Store, other: Store):
    rows = [OFFER._replace(event=name, memory_id=name) for name in ("mem_1", "mem_2", "mem_3")]
    store.activity.add_offers(rows)
    followed = [row._replace(followed=True, success=True, work=f"{row.memory_id}w") for row in rows]
    store.activity.set_outcomes(followed)
    assert store.activity.followed_work(NOON + 1) == {}
    assert store.activity.followed_work(NOON) == dict.fromkeys(
        ("mem_1w", "mem_2w", "mem_3w"), WorkOutcome(success=True, kept=None)
    )
    outcomes = {
        "mem_1w": WorkOutcome(success=True, kept=True),
        "mem_2w": WorkOutcome(success=True, kept=False),
    }
    store.activity.set_work_outcomes({**outcomes, "mem_4w": WorkOutcome(success=True, kept=True)})
    assert other.activity.followed_work(NOON) == {**outcomes, "mem_3w": WorkOutcome(success=True, kept=None)}
    useful = other.activity.usefulness(["mem_1", "mem_2", "mem_3"])
    assert useful["mem_1"] > useful["mem_3"] > 0 > useful["mem_2"]
    (counts,) = other.activity.offer_counts()
    assert (counts.followed, counts.kept, counts.undone) == (3, 1, 1)
    store.activity.set_work_outcomes({"mem_2w": WorkOutcome(success=False, kept=None)})
    assert 0 > store.activity.usefulness(["mem_2"])["mem_2"] > useful["mem_2"]


def test_an_offer_that_is_followed_after_its_work_was_judged_is_judged_too(store: Store):
    first, second = (OFFER._replace(event=one, memory_id=one) for one in ("mem_1", "mem_2"))
    undone = WorkOutcome(success=True, kept=False)
    store.activity.add_offers([first, second])
    store.activity.set_outcomes([first._replace(followed=True, success=True, work="mem_w")])
    store.activity.set_work_outcomes({"mem_w": undone})
    store.activity.set_outcomes([second._replace(followed=True, success=True, work="mem_w")])
    assert store.activity.followed_work(NOON) == {"mem_w": None}
    store.activity.set_work_outcomes({"mem_w": undone})
    assert store.activity.followed_work(NOON) == {"mem_w": undone}


@given(st.tuples(*[st.integers(0, 1000)] * 8))
def test_usefulness_is_bounded_and_nothing_without_evidence(counts: tuple[int, ...]):
    assert -1 < Evidence(*counts).value < 1
    assert Evidence(*[0] * 8).value == 0
