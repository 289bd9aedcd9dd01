"""The creation times of the newest memories and of a sample of all."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import NOON, add_memory
from support.finding import timeline


def add(store: Store, number: int, seconds: int) -> None:
    add_memory(store, f"mem_{number}", created_at=NOON + seconds)


def test_few_memories_are_all_listed_newest_first(store: Store):
    for number, seconds in enumerate((2, 9, 5, 2)):
        add(store, number, seconds)
    for newest in (4, 5, 100):
        assert timeline(store, newest, 1) == [
            (NOON + 9, 2),
            (NOON + 5, 3),
            (NOON + 2, 4),
            (NOON + 2, 1),
        ]


def test_an_empty_store_has_no_moments(store: Store):
    assert timeline(store, 5, 5) == timeline(store, 0, 1) == []


def test_of_many_memories_the_newest_and_a_sample_of_all_are_listed(store: Store):
    with store.transaction():
        for number in range(1, 201):
            add(store, number, number)
    moments = timeline(store, 10, 20)
    assert moments[:10] == [(NOON + number, number) for number in range(200, 190, -1)]
    others = [number for _, number in moments[10:]]
    assert others == sorted(others, reverse=True)
    assert 15 <= len(others) <= 25
    steps = [newer - older for newer, older in pairwise(others)]
    assert max(steps) - min(steps) <= 1
    assert others[-1] <= 200 // 20


def test_moments_follow_the_time_and_not_the_order_of_storing(store: Store):
    with store.transaction():
        for number in range(1, 51):
            add(store, number, -number)
    moments = timeline(store, 5, 5)
    assert moments[:5] == [(NOON - number, number) for number in range(1, 6)]
    assert moments == sorted(moments, reverse=True)
    assert moments[-1][1] > 40


def test_what_is_gone_is_left_out_of_the_moments(store: Store):
    with store.transaction():
        for number in range(1, 41):
            add(store, number, number)
        for number in range(1, 31):
            store.memories.delete(f"mem_{number}")
    assert timeline(store, 4, 40) == [(NOON + number, number) for number in range(40, 30, -1)]


@settings(max_examples=40)
@given(times=st.lists(st.integers(0, 5), max_size=24), newest=st.integers(0, 12), spread=st.integers(1, 12))
def test_moments_are_among_those_of_the_memories_and_the_newest_are_never_missing(
    store: Store, times: list[int], newest: int, spread: int
):
    for row in store.search.by_filters(Filters(), 100)[0]:
        store.memories.delete(row[0])
    for number, seconds in enumerate(times):
        add(store, number, seconds)
    everything = sorted(
        ((row[1], row[4]) for row in store.search.by_filters(Filters(), 100)[0]), reverse=True
    )
    moments = timeline(store, newest, spread)
    assert moments == sorted(set(moments) & set(everything), reverse=True)
    # Of memories of one second any may count as the newer.
    assert [when for when, _ in moments[:newest]] == [when for when, _ in everything[:newest]]
    assert len(moments) <= newest + 2 * spread
    if len(times) <= newest:
        assert moments == everything
