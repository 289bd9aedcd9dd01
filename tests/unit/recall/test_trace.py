"""The walk along causes and effects."""

from __future__ import annotations

import pytest

from rum import InvalidQuery, NotFound, Rum
from support.projects import Shop, keep


def chain(rum: Rum, names: str) -> dict[str, str]:
    """Memories by name, each caused by the one before."""
    ids: dict[str, str] = {}
    for name in names:
        links = {"caused_by": list(ids.values())[-1:]} if ids else {}
        ids[name] = keep(rum, f"Step {name}", links=links)
    return ids


def traced(rum: Rum, ids: dict[str, str], start: str, **question: object) -> list[tuple[str, str, int]]:
    answer = rum.trace(ids[start], **question)
    assert answer.origin.id == ids[start]
    assert answer.total_nodes == len(answer.chain)
    names = {one: name for name, one in ids.items()}
    return [(names[node.memory.id], node.relationship, node.distance) for node in answer.chain]


def test_causes_are_walked_by_default_up_to_three_steps(rum: Rum) -> None:
    ids = chain(rum, "abcde")
    assert traced(rum, ids, "e") == [("d", "caused_by", 1), ("c", "caused_by", 2), ("b", "caused_by", 3)]


def test_effects_are_walked_the_other_way(rum: Rum) -> None:
    ids = chain(rum, "abc")
    assert traced(rum, ids, "a", direction="effects") == [("b", "led_to", 1), ("c", "led_to", 2)]


def test_both_is_the_union_of_the_two_walks(rum: Rum) -> None:
    ids = chain(rum, "abcde")
    ids["f"] = keep(rum, "Step f", links={"caused_by": [ids["b"]]})  # a sibling: neither cause nor effect
    assert sorted(traced(rum, ids, "c", direction="both")) == [
        ("a", "caused_by", 2),
        ("b", "caused_by", 1),
        ("d", "led_to", 1),
        ("e", "led_to", 2),
    ]


@pytest.mark.parametrize(("max_depth", "reached"), [(1, 1), (2, 2), (20, 20)])
def test_the_walk_ends_at_its_depth(rum: Rum, max_depth: int, reached: int) -> None:
    ids = chain(rum, "abcdefghijklmnopqrstuvwxyz")
    assert len(traced(rum, ids, "z", max_depth=max_depth)) == reached


@pytest.mark.parametrize("max_depth", [0, 21, -1])
def test_a_depth_out_of_bounds_is_refused(rum: Rum, max_depth: int) -> None:
    kept = keep(rum)
    with pytest.raises(InvalidQuery):
        rum.trace(kept, max_depth=max_depth)


def test_a_link_stored_from_either_end_is_the_same(rum: Rum) -> None:
    ids = {name: keep(rum, f"Step {name}") for name in "abc"}
    rum.link(ids["a"], ids["b"], "led_to")
    rum.link(ids["c"], ids["b"], "caused_by")
    assert traced(rum, ids, "c") == [("b", "caused_by", 1), ("a", "caused_by", 2)]
    assert traced(rum, ids, "a", direction="effects") == [("b", "led_to", 1), ("c", "led_to", 2)]


def test_other_links_are_not_walked(rum: Rum) -> None:
    ids = {name: keep(rum, f"Step {name}") for name in "abcd"}
    for other, kind in zip("bcd", ("related_to", "supersedes", "blocked_by"), strict=True):
        rum.link(ids["a"], ids[other], kind)
    assert traced(rum, ids, "a", direction="both") == []


def test_a_circle_is_walked_once(rum: Rum) -> None:
    ids = chain(rum, "abcd")
    rum.link(ids["a"], ids["d"], "caused_by")
    assert traced(rum, ids, "d", max_depth=20) == [
        ("c", "caused_by", 1),
        ("b", "caused_by", 2),
        ("a", "caused_by", 3),
    ]
    assert sorted(traced(rum, ids, "a", direction="both", max_depth=20)) == [
        ("b", "led_to", 1),
        ("c", "caused_by", 2),
        ("d", "caused_by", 1),
    ]


def test_a_memory_reached_twice_is_given_at_its_shortest_distance(rum: Rum) -> None:
    ids = chain(rum, "abcd")
    rum.link(ids["d"], ids["a"], "caused_by")
    assert {name: distance for name, _, distance in traced(rum, ids, "d")} == {"c": 1, "a": 1, "b": 2}


def test_superseded_memories_are_part_of_a_trace(rum: Rum) -> None:
    ids = chain(rum, "ab")
    keep(rum, "Better", links={"supersedes": ids["a"]})
    assert traced(rum, ids, "b") == [("a", "caused_by", 1)]


@pytest.mark.parametrize(("depth", "shown"), [("summary", False), ("outcome", False), ("reasoning", True)])
def test_the_nodes_are_shown_at_the_depth_asked_for(rum: Rum, depth: str, shown: bool) -> None:
    ids = chain(rum, "ab")
    answer = rum.trace(ids["b"], depth=depth)
    for memory in (answer.origin, answer.chain[0].memory):
        assert bool(memory.reasoning) is shown


def test_an_unknown_memory_is_not_found(rum: Rum, shop: Shop) -> None:
    with pytest.raises(NotFound):
        rum.trace("mem_00000000000000000000000000")
