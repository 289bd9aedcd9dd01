"""The neighbours of a memory: in a session of ordinary size, or by a link."""

from __future__ import annotations

import pytest

from rum.model.memory import Edge, LinkType
from rum.recall import limits
from rum.recall.limits import TOGETHER
from rum.recall.neighbours import NOBODY, Neighbourhood
from rum.store.base import Store
from rum.store.filters import Filters
from rum.store.search import Wanted
from support.builders import NOON, add_memory
from support.finding import ids_of, key_of, keys_of


def add(store: Store, *names: str, session: str = "day", first: int = 0) -> None:
    """Memories of one session, a second apart."""
    for at, name in enumerate(names, start=first):
        add_memory(store, f"mem_{name}", name, session_id=session, created_at=NOON + at)


def link(store: Store, one: str, other: str, kind: LinkType = LinkType.RELATED_TO) -> None:
    store.links.add(Edge.of(f"mem_{one}", f"mem_{other}", kind), NOON)


def met(store: Store, *names: str) -> Neighbourhood:
    """A neighbourhood that has been told of these memories, one by one."""
    near = Neighbourhood()
    for key in keys_of(store, [f"mem_{name}" for name in names]):
        wanted = Wanted(session_limit=TOGETHER, known_sessions=near.sessions)
        found = store.search.describe([key], Filters(superseded=True), wanted)
        near.learn(found)
    return near


def beside(store: Store, near: Neighbourhood, name: str, distance: int = 1) -> list[str]:
    at = key_of(store, f"mem_{name}")
    around = near.around(at)
    found = [*around[:2], *near.linked(at)] if distance == 1 else around[2:]
    some = [one for one in found if one != NOBODY]
    return sorted(one[4:] for one in ids_of(store, some))


def test_before_and_after_in_the_session_are_neighbours(store: Store) -> None:
    add(store, "a", "b", "c", "d", "e")
    near = met(store, "c")
    assert beside(store, near, "c") == ["b", "d"]
    assert beside(store, near, "c", 2) == ["a", "e"]
    assert near.around(key_of(store, "mem_c")) == tuple(key_of(store, f"mem_{name}") for name in "bdae")


def test_a_session_of_a_few_memories_makes_no_neighbours(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SHORTEST", 4)
    add(store, "a", "b", "c")
    assert beside(store, met(store, "b"), "b") == []
    add(store, "d", first=3)
    assert beside(store, met(store, "b"), "b") == ["a", "c"]


def test_only_a_few_of_many_links_are_looked_at(store: Store) -> None:
    add(store, "hub", session="hub")
    for at in range(2 * limits.LINKED):
        add(store, f"n{at}", session=f"s{at}")
        link(store, "hub", f"n{at}")
    assert len(beside(store, met(store, "hub"), "hub")) == limits.LINKED


def test_the_first_and_the_last_have_one_side_only(store: Store) -> None:
    add(store, "a", "b", "c")
    near = met(store, "a", "c")
    assert (beside(store, near, "a"), beside(store, near, "c")) == (["b"], ["b"])
    assert (beside(store, near, "a", 2), beside(store, near, "c", 2)) == (["c"], ["a"])


def test_it_goes_by_time_and_not_by_the_order_of_storing(store: Store) -> None:
    add(store, "late", first=9)
    add(store, "early", first=1)
    add(store, "middle", first=5)
    assert beside(store, met(store, "early"), "early") == ["middle"]


def test_sessions_are_kept_apart(store: Store) -> None:
    add(store, "a", "b", session="monday")
    add(store, "c", "d", session="tuesday")
    near = met(store, "b", "c")
    assert (beside(store, near, "b"), beside(store, near, "c")) == (["a"], ["d"])


def test_in_a_long_session_neighbours_mean_nothing(store: Store) -> None:
    add(store, *(f"n{at}" for at in range(TOGETHER)))
    assert beside(store, met(store, "n7"), "n7") == ["n6", "n8"]
    add(store, "one more", first=TOGETHER)
    assert beside(store, met(store, "n7"), "n7") == []


def test_a_link_makes_neighbours_from_both_ends(store: Store) -> None:
    add(store, "a", session="monday")
    add(store, "b", session="tuesday")
    link(store, "a", "b", LinkType.CAUSED_BY)
    together, alone = met(store, "a", "b"), met(store, "b")
    assert beside(store, together, "a") == ["b"]
    assert beside(store, together, "b") == beside(store, alone, "b") == ["a"]
    assert beside(store, alone, "b", 2) == []


def test_a_link_counts_in_a_long_session_too(store: Store) -> None:
    add(store, *(f"n{at}" for at in range(TOGETHER + 1)))
    link(store, "n1", "n40")
    assert beside(store, met(store, "n40"), "n40") == ["n1"]


def test_learning_again_changes_nothing(store: Store) -> None:
    add(store, "a", "b", "c")
    add(store, "elsewhere", session="other")
    link(store, "b", "elsewhere")
    once, again = met(store, "b"), met(store, "b", "b", "a", "elsewhere", "b")
    assert beside(store, again, "b") == beside(store, once, "b") == ["a", "c", "elsewhere"]


def test_a_neighbour_is_one_however_many_ties_there_are(store: Store) -> None:
    add(store, "a", "b")
    add(store, "c", session="other")
    for kind in (LinkType.CAUSED_BY, LinkType.RELATED_TO, LinkType.BLOCKED_BY):
        link(store, "a", "b", kind)
        link(store, "a", "c", kind)
    assert beside(store, met(store, "a"), "a") == ["b", "c"]
