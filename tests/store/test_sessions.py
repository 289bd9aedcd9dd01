"""The memories of a session come in order of time, unless there are too many."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.model.memory import Edge, LinkType
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import NOON, add_memory
from support.finding import at, in_sessions, session_size


def ids(store: Store, sessions: Iterable[str], most: int) -> list[list[str]]:
    """What the sessions hold, by id."""
    named = {row[4]: row[0] for row in at(store, range(1, 100), Filters(superseded=True))}
    return [[named[number] for number in numbers] for numbers in in_sessions(store, sessions, most)]


def add(store: Store, name: str, session: str, seconds: int = 0) -> None:
    add_memory(store, name, session_id=session, created_at=NOON + seconds)


@pytest.fixture
def week(store: Store) -> Store:
    """Sessions of one, two and three memories, stored turn by turn."""
    add(store, "mem_b2", "b", 2)
    add(store, "mem_c3", "c", 9)
    add(store, "mem_a1", "a", 5)
    add(store, "mem_c1", "c", 3)
    add(store, "mem_b1", "b", 1)
    add(store, "mem_c2", "c", 4)
    return store


def test_the_memories_of_a_session_come_in_order_of_time(week: Store):
    assert ids(week, ["c"], 9) == [["mem_c1", "mem_c2", "mem_c3"]]
    assert in_sessions(week, ["b"], 9) == [[5, 1]]


def test_a_memory_that_asks_a_question_has_a_negative_key(store: Store):
    add_memory(store, "mem_1", "Did it rain?", session_id="a", created_at=NOON)
    add_memory(store, "mem_2", "It did", session_id="a", created_at=NOON + 1)
    assert in_sessions(store, ["a"], 9) == [[-1, 2]]


def test_sessions_come_as_they_are_asked_for_each_once(week: Store):
    found = ids(week, ["c", "a", "c", "b", "a"], 9)
    assert found == [["mem_c1", "mem_c2", "mem_c3"], ["mem_a1"], ["mem_b1", "mem_b2"]]


@pytest.mark.parametrize(("most", "whole"), [(0, ""), (1, "a"), (2, "ab"), (3, "abc"), (10**9, "abc")])
def test_a_session_that_is_too_long_is_left_out_whole(week: Store, most: int, whole: str):
    sizes = {"a": 1, "b": 2, "c": 3}
    assert [len(numbers) for numbers in in_sessions(week, "abc", most)] == [sizes[name] for name in whole]


@pytest.mark.parametrize("session", ["", "A", "a ", "%", "'", "[]", "null", "0", "\ud83e", "記憶"])
def test_a_session_that_nobody_had_has_no_memories(week: Store, session: str):
    assert in_sessions(week, [session], 9) == []
    assert ids(week, [session, "a"], 9) == [["mem_a1"]]
    assert in_sessions(week, [], 9) == []


def test_a_session_may_be_called_anything(store: Store):
    names = ["1", "01", "1.0", "null", "s'", 's"', "[s]", "é", "e\u0301", "記憶", "🧠", "a" * 3000]
    for number, name in enumerate(names):
        add(store, f"mem_{number}", name)
    for number, name in enumerate(names):
        assert ids(store, [name], 1) == [[f"mem_{number}"]]
        assert session_size(store, name, 9) == 1
    assert len(in_sessions(store, names, 1)) == len(names)


def test_within_one_second_the_memory_stored_first_comes_first(store: Store):
    for name in ("mem_b", "mem_c", "mem_a"):
        add(store, name, "s")
    assert ids(store, ["s"], 3) == [["mem_b", "mem_c", "mem_a"]]


def test_a_superseded_memory_still_stands_where_it_was(week: Store):
    week.links.add(Edge.of("mem_c3", "mem_c2", LinkType.SUPERSEDES), NOON)
    assert ids(week, ["c"], 3) == [["mem_c1", "mem_c2", "mem_c3"]]
    assert in_sessions(week, ["c"], 2) == []


def test_a_session_is_as_long_as_what_is_left_of_it(week: Store):
    week.memories.delete("mem_c2")
    assert ids(week, ["c"], 2) == [["mem_c1", "mem_c3"]]
    assert session_size(week, "c", 9) == 2


def test_counting_a_session_stops_at_the_cap(week: Store):
    assert [session_size(week, "c", cap) for cap in (0, 1, 2, 3, 4, 10**9)] == [0, 1, 2, 3, 3, 3]
    assert session_size(week, "unknown", 9) == 0


HISTORY = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), max_size=16)


@settings(max_examples=40)
@given(history=HISTORY, asked=st.lists(st.sampled_from("abcdx")), most=st.integers(0, 6))
def test_sessions_are_what_was_stored_in_them(
    store: Store, history: list[tuple[str, int]], asked: list[str], most: int
):
    for session in ids(store, "abcd", 10**6):
        for memory_id in session:
            store.memories.delete(memory_id)
    for number, (session, seconds) in enumerate(history):
        add(store, f"mem_{number}", session, seconds)
    expected: list[list[str]] = []
    for session in dict.fromkeys(asked):
        own = [(seconds, at) for at, (of, seconds) in enumerate(history) if of == session]
        assert session_size(store, session, most) == min(len(own), most)
        if 0 < len(own) <= most:
            expected.append([f"mem_{at}" for _, at in sorted(own)])
    assert ids(store, asked, most) == expected
