"""Which memories are looked at closely: those that say most of the question, and those beside them."""

from __future__ import annotations

import pytest

from rum.model.memory import Edge, LinkType
from rum.recall import levels, limits
from rum.recall.levels import by_words
from rum.recall.query import RecallQuery
from rum.store.base import Store
from support.builders import NOON, add_memory, make_outcome
from support.recall_queries import recall_query


def add(store: Store, *goals: str, session: str = "", **more: object) -> None:
    """A memory for each goal, named by its first word; without a session each has its own."""
    for goal in goals:
        name = goal.split()[0]
        add_memory(store, f"mem_{name}", goal, session_id=session or f"session of {name}", **more)


def picked(query: RecallQuery) -> set[str]:
    return {row[0][4:] for row in by_words(query)[0].rows}


def test_a_memory_that_contains_a_word_is_a_candidate(store: Store) -> None:
    add(store, "first zebra", "second lion", "third goat")
    assert picked(recall_query(store, "zebra lion unicorn")) == {"first", "second"}
    assert picked(recall_query(store, "unicorn")) == set()


def test_neighbours_of_a_match_are_candidates(store: Store) -> None:
    add(store, "a", "b", "c", "match zebra", "d", "e", "f", session="day")
    assert picked(recall_query(store, "zebra")) == {"b", "c", "match", "d", "e"}


def test_without_a_match_there_are_no_candidates(store: Store) -> None:
    add(store, "a", "b", "c", session="day")
    assert picked(recall_query(store, "zebra")) == set()


def test_in_a_long_session_a_match_stands_alone(store: Store) -> None:
    add(store, *(f"n{at} goat" for at in range(limits.TOGETHER)), "match zebra", session="day")
    assert picked(recall_query(store, "zebra")) == {"match"}


def test_memories_linked_to_a_match_are_candidates(store: Store) -> None:
    add(store, "match zebra", "cause goat", "effect lion", "stranger cow")
    for one, other in (("match", "cause"), ("effect", "match")):
        store.links.add(Edge.of(f"mem_{one}", f"mem_{other}", LinkType.CAUSED_BY), NOON)
    assert picked(recall_query(store, "zebra")) == {"match", "cause", "effect"}


def test_filters_hold_for_those_beside_a_match_too(store: Store) -> None:
    add(store, "failed", session="day", outcome=make_outcome(success=False))
    add(store, "match zebra", "worked", session="day")
    assert picked(recall_query(store, "zebra")) == {"failed", "match", "worked"}
    assert picked(recall_query(store, "zebra", success_only=True)) == {"match", "worked"}
    assert picked(recall_query(store, "zebra", failures_only=True)) == set()


@pytest.mark.parametrize("asked", [False, True])
def test_superseded_memories_are_candidates_only_on_request(store: Store, asked: bool) -> None:
    add(store, "old zebra", "match zebra", "beside", session="day")
    add(store, "new lion", "newer lion")
    store.links.add(Edge.of("mem_new", "mem_old", LinkType.SUPERSEDES), NOON)
    store.links.add(Edge.of("mem_newer", "mem_beside", LinkType.SUPERSEDES), NOON)
    found = picked(recall_query(store, "zebra", include_superseded=asked))
    assert ({"old", "beside"} <= found) is asked
    assert "match" in found


def test_of_many_memories_with_a_word_those_with_the_most_words_are_candidates(store: Store) -> None:
    add(store, "best zebra lion")
    add(store, *(f"n{at} zebra" for at in range(3 * limits.POOL)), session="day")
    found = picked(recall_query(store, "zebra lion"))
    assert "best" in found
    assert len(found) <= 2 * limits.POOL


def test_as_many_are_looked_at_as_are_asked_for(store: Store) -> None:
    add(store, *(f"n{at} zebra" for at in range(120)), session="day")
    assert len(picked(recall_query(store, "zebra", limit=5))) < 100
    assert len(picked(recall_query(store, "zebra", limit=100))) >= 100


def test_filters_are_asked_on_until_there_are_enough(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "STEP", 10)
    add(store, *(f"old{at} zebra" for at in range(5)), tags=["x"])
    add(store, *(f"new{at} zebra lion" for at in range(60)))
    assert picked(recall_query(store, "zebra lion", tags=("x",))) == {f"old{at}" for at in range(5)}


class TestCommonWords:
    @pytest.fixture(autouse=True)
    def common_early(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "COMMON", 20)

    def test_an_old_memory_with_two_common_words_is_found_behind_many_with_one(self, store: Store) -> None:
        add(store, "both zebra lion")
        add(store, *(f"z{at} zebra" for at in range(30)), *(f"l{at} lion" for at in range(30)))
        assert "both" in picked(recall_query(store, "zebra lion"))

    def test_a_rare_word_beside_common_ones_is_found(self, store: Store) -> None:
        add(store, "rare unicorn zebra")
        add(store, *(f"z{at} zebra lion" for at in range(60)))
        assert "rare" in picked(recall_query(store, "zebra lion unicorn"))

    def test_filters_hold(self, store: Store) -> None:
        add(store, "both zebra lion", tags=["x"])
        add(store, *(f"z{at} zebra lion" for at in range(60)))
        assert picked(recall_query(store, "zebra lion", tags=("x",))) == {"both"}
