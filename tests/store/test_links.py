"""A link is stored once, found from both ends, and no memory supersedes itself."""

from __future__ import annotations

import pytest

from rum.model.errors import InvalidQuery, StorageError
from rum.model.memory import Edge, LinkType
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import NOON, add_memory, make_file
from support.finding import at, by_ids, by_paths, holders, newest_with

A, B, C = "mem_a", "mem_b", "mem_c"


@pytest.fixture
def abc(store: Store) -> Store:
    for number, name in enumerate((A, B, C)):
        add_memory(store, name, f"Goal {name}", created_at=NOON + number, files=[make_file("x.py")])
    return store


def supersede(store: Store, newer: str, older: str) -> bool:
    return store.links.add(Edge.of(newer, older, LinkType.SUPERSEDES), NOON)


def found(store: Store) -> list[str]:
    return [row[0] for row in store.search.by_filters(Filters(), 10)[0]]


@pytest.mark.parametrize("kind", list(LinkType))
def test_an_edge_is_found_from_both_ends(abc: Store, kind: LinkType):
    edge = Edge.of(A, B, kind)
    assert abc.links.add(edge, NOON)
    assert abc.links.of([A]) == abc.links.of([B]) == {edge: NOON}
    assert abc.links.of([C]) == {}
    assert abc.links.of() == {edge: NOON}


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (Edge.of(A, B, LinkType.CAUSED_BY), Edge.of(B, A, LinkType.LED_TO)),
        (Edge.of(A, B, LinkType.RELATED_TO), Edge.of(B, A, LinkType.RELATED_TO)),
        (Edge.of(A, B, LinkType.BLOCKED_BY), Edge.of(A, B, LinkType.BLOCKED_BY)),
        (Edge.of(A, B, LinkType.SUPERSEDES), Edge.of(A, B, LinkType.SUPERSEDES)),
    ],
)
def test_the_same_edge_is_made_once_whichever_end_tells_of_it(abc: Store, one: Edge, same: Edge):
    assert abc.links.add(one, NOON)
    assert not abc.links.add(same, NOON + 9)
    assert abc.links.of() == {one: NOON}


def test_two_memories_may_be_linked_in_several_ways(abc: Store):
    edges = {Edge.of(A, B, kind) for kind in LinkType}
    for edge in edges:
        assert abc.links.add(edge, NOON)
    assert set(abc.links.of([A, B])) == edges
    assert len(abc.links.of([A, B])) == len(edges)


def test_an_edge_to_nowhere_is_refused(abc: Store):
    with pytest.raises(StorageError):
        abc.links.add(Edge.of(A, "mem_unknown", LinkType.CAUSED_BY), NOON)
    assert abc.links.of() == {}


def test_causes_may_run_in_a_circle(abc: Store):
    for source, target in ((A, B), (B, C), (C, A)):
        assert abc.links.add(Edge.of(source, target, LinkType.CAUSED_BY), NOON)
    assert len(abc.links.of([A])) == 2


def test_a_circle_of_supersedes_is_refused_and_changes_nothing(abc: Store):
    supersede(abc, B, A)
    supersede(abc, C, B)
    with pytest.raises(InvalidQuery):
        supersede(abc, A, C)
    assert len(abc.links.of()) == 2
    assert found(abc) == [C]


def test_a_superseded_memory_is_left_out_unless_asked_for(abc: Store):
    supersede(abc, B, A)
    assert found(abc) == [C, B]
    assert [row[0] for row in abc.search.by_filters(Filters(superseded=True), 10)[0]] == [C, B, A]
    assert [row[0] for row in by_paths(abc, ["x.py"], Filters(), 10)[0]] == [C, B]
    for filters, wanted in [
        (Filters(), [C, B]),
        (Filters(success=True), [C, B]),
        (Filters(superseded=True), [C, B, A]),
        (Filters(superseded=True, success=True), [C, B, A]),
    ]:
        assert [row[0] for row in newest_with(abc, ["goal"], False, filters, 10)] == wanted
        assert {row[0] for row in at(abc, holders(abc, "goal", 10), filters)} == {*wanted}
        assert {row[0] for row in by_ids(abc, [A, B, C], filters)} == {*wanted}


def test_a_memory_says_what_superseded_it(abc: Store):
    supersede(abc, C, A)
    supersede(abc, B, A)
    assert [memory.superseded_by for memory in abc.memories.get([A, B])] == [(B, C), ()]


def test_a_memory_counts_again_when_the_last_that_superseded_it_is_gone(abc: Store):
    supersede(abc, B, A)
    supersede(abc, C, A)
    abc.memories.delete(C)
    assert found(abc) == [B]
    abc.memories.delete(B)
    assert found(abc) == [A]
    assert abc.memories.get([A])[0].superseded_by == ()


def test_replacing_a_memory_keeps_its_links_and_its_being_superseded(abc: Store):
    supersede(abc, B, A)
    (old,) = abc.memories.get([A])
    abc.memories.replace(old)
    assert abc.memories.get([A])[0].superseded_by == (B,)
    assert found(abc) == [C, B]
    assert len(abc.links.of()) == 1
