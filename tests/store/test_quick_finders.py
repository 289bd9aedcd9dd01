"""The finders that do without ranking: quick however common a word or busy a file is, and exact."""

from __future__ import annotations

from typing import Any

import pytest

from rum.app.memories.store import memories_with_most_words
from rum.model.memory import Edge, LinkType
from rum.store.base import ReadMode, Store
from rum.store.filters import Filters
from rum.text.terms import terms
from support.builders import NOON, add_memory, make_file, make_outcome
from support.finding import by_goal, by_paths, newest_with


def ids(rows: list[Any]) -> list[str]:
    return [row[0] for row in rows]


@pytest.fixture
def shelf(store: Store) -> Store:
    add_memory(store, "mem_0", "Refresh the token", created_at=NOON)
    add_memory(store, "mem_1", "Revoke a token", created_at=NOON + 1, tags=["auth"])
    add_memory(store, "mem_2", "Page", outcome=make_outcome("Refresh broke the token"), created_at=NOON + 2)
    add_memory(store, "mem_3", "Refresh a page", created_at=NOON + 3)
    return store


def supersede(store: Store, newer: str, older: str) -> None:
    store.links.add(Edge.of(newer, older, LinkType.SUPERSEDES), NOON)


def test_the_newest_with_every_term_anywhere_or_in_the_goal(shelf: Store):
    both = terms("refresh token")
    assert ids(newest_with(shelf, both, False, Filters(), 9)) == ["mem_2", "mem_0"]
    assert ids(newest_with(shelf, both, True, Filters(), 9)) == ["mem_0"]
    assert ids(newest_with(shelf, terms("token"), False, Filters(), 2)) == ["mem_2", "mem_1"]
    assert ids(newest_with(shelf, terms("token"), False, Filters(tags=("auth",)), 9)) == ["mem_1"]
    assert newest_with(shelf, [], False, Filters(), 9) == []
    assert newest_with(shelf, ['") OR goal : ("token'], True, Filters(), 9) == []


def test_in_the_goal_means_every_term(shelf: Store):
    add_memory(shelf, "mem_4", "Refresh", outcome=make_outcome("The token is new"))
    for asked in ("refresh token", "token refresh"):
        assert ids(newest_with(shelf, terms(asked), True, Filters(), 9)) == ["mem_0"]


def test_what_is_superseded_is_not_among_the_newest_unless_asked_for(shelf: Store):
    supersede(shelf, "mem_3", "mem_2")
    assert ids(newest_with(shelf, terms("token"), False, Filters(), 9)) == ["mem_1", "mem_0"]
    everything = Filters(superseded=True)
    assert ids(newest_with(shelf, terms("token"), False, everything, 9)) == ["mem_2", "mem_1", "mem_0"]


def test_the_newest_are_those_stored_last_whatever_their_time(shelf: Store):
    add_memory(shelf, "mem_4", "Refresh an old token", created_at=NOON - 9)
    assert ids(newest_with(shelf, terms("token"), True, Filters(), 2)) == ["mem_4", "mem_1"]


def test_filtered_memories_take_no_place_among_the_newest(shelf: Store):
    supersede(shelf, "mem_3", "mem_2")
    assert ids(newest_with(shelf, terms("token"), False, Filters(), 1)) == ["mem_1"]
    assert ids(newest_with(shelf, terms("token"), False, Filters(before=NOON + 1), 1)) == ["mem_0"]
    assert newest_with(shelf, terms("token"), False, Filters(), 0) == []


def test_memories_that_share_most_of_the_rare_terms_come_first(shelf: Store):
    asked = terms("refresh token revoke")
    assert set(memories_with_most_words(shelf.search, asked, 9, 9)) == {"mem_0", "mem_1", "mem_2", "mem_3"}
    assert set(memories_with_most_words(shelf.search, asked, 9, 3)) == {"mem_0", "mem_1", "mem_2"}
    assert memories_with_most_words(shelf.search, asked, 2, 9) == ["mem_1"]
    assert memories_with_most_words(shelf.search, terms("zebra"), 9, 9) == []
    supersede(shelf, "mem_3", "mem_1")
    assert memories_with_most_words(shelf.search, asked, 2, 9) == []


def test_a_goal_is_found_as_it_is_in_whatever_case(shelf: Store):
    add_memory(shelf, "mem_4", "refresh the TOKEN", created_at=NOON + 4)
    assert ids(by_goal(shelf, "Refresh the token", Filters(), 9)) == ["mem_4", "mem_0"]
    assert ids(by_goal(shelf, "Refresh the token", Filters(), 1)) == ["mem_4"]
    assert ids(by_goal(shelf, "Refresh the token", Filters(before=NOON + 1), 9)) == ["mem_0"]
    assert by_goal(shelf, "Refresh the", Filters(), 9) == []


def test_a_headline_is_the_memory_as_a_summary_shows_it(shelf: Store):
    supersede(shelf, "mem_3", "mem_2")
    wanted = ["mem_2", "mem_unknown", "mem_0"]
    whole, short = shelf.memories.get(wanted), shelf.memories.get(wanted, ReadMode.HEADLINE)
    assert [memory.id for memory in short] == ["mem_2", "mem_0"]
    for one, other in zip(whole, short, strict=True):
        assert (one.intent.goal, one.intent.task_type) == (other.intent.goal, other.intent.task_type)
        assert (one.outcome.success, one.outcome.summary) == (other.outcome.success, other.outcome.summary)
        assert (one.superseded_by, one.created_at) == (other.superseded_by, other.created_at)
    assert shelf.memories.get([], ReadMode.HEADLINE) == []


def test_one_file_of_many_memories_has_its_newest_and_their_number(store: Store):
    for number in range(9):
        add_memory(store, f"mem_{number}", created_at=NOON + (number * 5) % 9, files=[make_file("a.py")])
    supersede(store, "mem_0", "mem_7")
    rows, total = by_paths(store, ["a.py"], Filters(), 3)
    assert ids(rows) == ["mem_5", "mem_3", "mem_1"]
    assert total == 8
    assert by_paths(store, ["a.py"], Filters(superseded=True), 3)[1] == 9
    assert by_paths(store, ["a.py"], Filters(before=NOON + 4), 3)[1] == 4
