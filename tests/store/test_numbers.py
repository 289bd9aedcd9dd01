"""A memory has a number, given in the order of storing, by which it is found as well as by its id."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.store.base import Store
from rum.store.filters import Filters
from rum.text.terms import terms
from support.builders import NOON, add_memory, make_file, make_intent, make_memory, make_outcome
from support.finding import at, breadths, by_ids, outlines

NAMES = ("mem_c", "mem_a", "mem_d", "mem_b")


def ids(rows: list[Any]) -> set[str]:
    found = [row[0] for row in rows]
    assert len(found) == len(set(found)), "a memory came twice"
    return set(found)


@pytest.fixture
def shelf(store: Store) -> Store:
    """Four memories, stored neither in the order of their time nor of their ids."""
    for place, name in enumerate(NAMES):
        files = [make_file(f"src/f{number}.py") for number in range(place)]
        add_memory(store, name, created_at=NOON - place, files=files)
    return store


def test_numbers_follow_the_order_of_storing_whatever_the_time(shelf: Store):
    rows, _ = shelf.search.by_filters(Filters(), 9)
    assert [(row[0], row[4]) for row in rows] == [("mem_c", 1), ("mem_a", 2), ("mem_d", 3), ("mem_b", 4)]


def test_a_memory_keeps_its_number_when_it_or_another_changes(shelf: Store):
    before = by_ids(shelf, ["mem_d"], Filters())
    shelf.memories.replace(make_memory("mem_d", "Other words", created_at=NOON - 2))
    shelf.memories.delete("mem_a")
    assert by_ids(shelf, ["mem_d"], Filters()) == at(shelf, [3], Filters()) == before
    assert at(shelf, [2], Filters()) == []


def test_each_number_and_id_finds_its_memory_once(shelf: Store):
    assert ids(at(shelf, [4, 1, 4, 1], Filters())) == {"mem_b", "mem_c"}
    assert ids(by_ids(shelf, ["mem_b", "mem_c", "mem_b"], Filters())) == {"mem_b", "mem_c"}


def test_any_iterable_will_do(shelf: Store):
    assert ids(at(shelf, (number for number in (1, 2)), Filters())) == {"mem_c", "mem_a"}
    assert ids(by_ids(shelf, iter(NAMES), Filters())) == {*NAMES}
    assert set(outlines(shelf, range(1, 3))) == {1, 2}
    assert set(breadths(shelf, iter(NAMES))) == {"mem_a", "mem_d", "mem_b"}


@pytest.mark.parametrize("number", [0, -1, 5, 2**31, 2**63 - 1, 2**63, -(2**63), 10**30])
def test_a_number_that_nobody_has_finds_nothing(shelf: Store, number: int):
    assert at(shelf, [number], Filters()) == []
    assert ids(at(shelf, [1, number], Filters())) == {"mem_c"}
    assert list(outlines(shelf, [number, 1])) == [1]


@pytest.mark.parametrize("name", ["", "mem_", "mem_e", "MEM_A", "mem_a ", "%", "'", "1", "\ud83e", "記憶"])
def test_an_id_that_nobody_has_finds_nothing(shelf: Store, name: str):
    assert by_ids(shelf, [name], Filters()) == []
    assert ids(by_ids(shelf, [name, "mem_a"], Filters())) == {"mem_a"}
    assert breadths(shelf, [name, "mem_a"]) == {"mem_a": 1}


def test_nothing_asked_for_is_nothing_found(shelf: Store):
    assert at(shelf, [], Filters()) == by_ids(shelf, [], Filters()) == []
    assert outlines(shelf, []) == breadths(shelf, []) == {}


def test_many_can_be_asked_for_at_once(shelf: Store):
    assert ids(at(shelf, range(50_000), Filters())) == {*NAMES}
    assert ids(by_ids(shelf, [*NAMES, *(f"mem_{number}" for number in range(50_000))], Filters())) == {*NAMES}


def test_a_memory_is_as_broad_as_the_files_it_is_tied_to(shelf: Store):
    assert breadths(shelf, [*NAMES, *NAMES]) == {"mem_a": 1, "mem_d": 2, "mem_b": 3}
    shelf.memories.replace(make_memory("mem_b", files=[make_file("src/f0.py")]))
    shelf.memories.delete("mem_d")
    assert breadths(shelf, NAMES) == {"mem_a": 1, "mem_b": 1}


def test_an_outline_has_the_terms_of_goal_and_paths_and_the_length_of_all_but_the_paths(store: Store):
    add_memory(
        store,
        "mem_a",
        intent=make_intent("Refresh the tokens", context="After a logout"),
        outcome=make_outcome("It works", learnings=["Mind the clock"]),
        reasoning={"approach_chosen": "Retry"},
        perception={"patterns_noticed": ["A race"]},
        actions=[{"type": "command_run", "timestamp": NOON, "details": {"command": "make"}}],
        tags=["auth"],
        files=[make_file("src/auth.py")],
    )
    (texts,) = store.search.texts(["mem_a"]).values()
    assert all(texts), "every field has something to measure"
    goal, paths, length = outlines(store, [1])[1]
    assert (goal, paths) == (" ".join(terms("Refresh the tokens")), texts[-1])
    assert "auth" in paths.split()
    assert length == sum(map(len, texts[:-1]))


def test_the_text_length_is_in_characters(store: Store):
    add_memory(store, "mem_a", "记忆")
    add_memory(store, "mem_b", "ab")
    told = outlines(store, [1, 2])
    assert told[1][2] - len(told[1][0]) == told[2][2] - len(told[2][0])


def test_an_outline_says_what_the_memory_says_by_now(shelf: Store):
    shelf.memories.replace(make_memory("mem_d", "Other words"))
    shelf.memories.delete("mem_a")
    told = outlines(shelf, [2, 3])
    assert list(told) == [3]
    assert told[3][:2] == (" ".join(terms("Other words")), "")


FILTERS = st.builds(
    Filters,
    since=st.none() | st.integers(NOON - 5, NOON + 1),
    before=st.none() | st.integers(NOON - 5, NOON + 1),
    superseded=st.booleans(),
)


@settings(max_examples=60)
@given(numbers=st.lists(st.integers(-1, 6)), filters=FILTERS)
def test_by_number_and_by_id_are_found_those_asked_for_that_filters_find(
    shelf: Store, numbers: list[int], filters: Filters
):
    passing = {row[4]: row for row in shelf.search.by_filters(filters, 9)[0]}
    wanted = sorted(passing[number] for number in {*numbers} & {*passing})
    assert sorted(at(shelf, numbers, filters)) == wanted
    asked = [NAMES[number - 1] if 0 < number <= len(NAMES) else "mem_unknown" for number in numbers]
    assert sorted(by_ids(shelf, asked, filters)) == wanted
