"""An archived memory is the same memory: it is read, found, changed, linked and forgotten as any other."""

from __future__ import annotations

from typing import Any

import pytest

from rum.app.memories.store import memories_with_most_words
from rum.model.memory import Edge, LinkType
from rum.store.base import ReadMode, Store
from rum.store.filters import Filters
from support.builders import NOON, add_memory, make_file, make_intent, make_memory, make_outcome
from support.finding import (
    archived_among,
    archived_existing,
    archived_holders,
    by_goal,
    by_paths,
    holders,
    key_of,
    outlines,
)
from support.vectors import data, kept, near

MODEL = "model-a"
LATER = NOON + 1000
RICH: dict[str, Any] = {
    "intent": make_intent("Archive the zebra", context="It sleeps\nall day", constraints=["No noise"]),
    "outcome": make_outcome(
        "The zebra is archived", learnings=["Zebras are striped"], follow_up_needed=["Feed"]
    ),
    "reasoning": {"approach_chosen": "Quietly", "why_chosen": "It sleeps"},
    "perception": {"anomalies": ["A giraffe"]},
    "actions": [
        {"type": "file_edit", "timestamp": NOON, "details": {"file_path": "zoo/zebra.py"}, "result": None}
    ],
    "files": [make_file("zoo/zebra.py", content_hash="abc")],
    "tags": ["zoo", "stripes"],
}
ANYTHING = Filters(superseded=True)


def archived(store: Store) -> list[str]:
    rows = store.search.by_filters(ANYTHING, 99)[0]
    packed = archived_among(store, [row.key for row in rows])
    return sorted(row[0] for row in rows if row[4] in packed)


@pytest.fixture
def zoo(store: Store) -> Store:
    """An archived memory with everything in it beside a live one."""
    add_memory(store, "mem_zebra", **RICH)
    add_memory(store, "mem_lion", "Feed the lion")
    assert store.archive.put(["mem_zebra"], LATER) == 1
    return store


class TestReading:
    def test_it_is_read_as_it_was(self, store: Store):
        kept = add_memory(store, "mem_zebra", **RICH)
        before = store.memories.get(["mem_zebra"]), store.memories.get(["mem_zebra"], ReadMode.HEADLINE)
        store.archive.put(["mem_zebra"], LATER)
        assert before[0] == [kept]
        assert (
            store.memories.get(["mem_zebra"]),
            store.memories.get(["mem_zebra"], ReadMode.HEADLINE),
        ) == before
        assert archived(store) == ["mem_zebra"]
        assert store.memories.count(archived=True) == 1

    def test_others_see_it_at_once(self, zoo: Store, other: Store):
        assert other.memories.get(["mem_zebra"]) == zoo.memories.get(["mem_zebra"])
        assert archived(other) == ["mem_zebra"]

    def test_it_is_among_all_memories_in_order_of_time(self, zoo: Store):
        told = [memory.id for batch in zoo.memories.pages() for memory in batch]
        assert told == ["mem_lion", "mem_zebra"]
        assert zoo.memories.count() == 2
        assert zoo.memories.find_ids("mem_zebra") == ["mem_zebra"]

    def test_it_is_found_by_file_filter_goal_and_id(self, zoo: Store):
        assert [row[0] for row in by_paths(zoo, ["zoo/"], Filters(), 9)[0]] == ["mem_zebra"]
        assert [row[0] for row in zoo.search.by_filters(Filters(tags=("zoo",)), 9)[0]] == ["mem_zebra"]
        assert [row[0] for row in by_goal(zoo, "archive the ZEBRA", Filters(), 9)] == ["mem_zebra"]

    def test_it_is_found_by_the_commit_it_was_made_of(self, store: Store):
        told = make_outcome("deadbeef01: 2 files, +1 -1")
        add_memory(store, "mem_commit", outcome=told, commit="deadbeef01234567")
        before = store.search.by_commit("deadbeef", Filters(), 9)
        store.archive.put(["mem_commit"], LATER)
        assert store.search.by_commit("deadbeef", Filters(), 9) == before
        assert [row[0] for row in before] == ["mem_commit"]

    def test_its_terms_and_outline_are_as_before(self, store: Store):
        add_memory(store, "mem_zebra", **RICH)
        one = key_of(store, "mem_zebra")
        before = store.search.texts(["mem_zebra"]), outlines(store, [one])
        store.archive.put(["mem_zebra"], LATER)
        assert (store.search.texts(["mem_zebra"]), outlines(store, [one])) == before


class TestWords:
    def test_the_live_index_knows_nothing_of_it_and_the_archives_everything(self, zoo: Store):
        one = key_of(zoo, "mem_zebra")
        for term in ("zebra", "giraff", "stripe", "quietli", "zoo"):
            assert (term, holders(zoo, term, 9)) == (term, [])
            assert (term, archived_holders(zoo, term, 9)) == (term, [one])
        assert archived_existing(zoo, ["zebra", "lion"]) == ["zebra"]
        assert archived_holders(zoo, "lion", 9) == []

    def test_holders_are_found_beside_others_and_all_together(self, store: Store):
        for one, goal in (("a", "cow dog"), ("b", "cow dog elk"), ("c", "cow"), ("d", "elk")):
            add_memory(store, f"mem_{one}", goal)
        store.archive.put(["mem_a", "mem_b", "mem_c", "mem_d"], LATER)
        a, b, c, d = (key_of(store, f"mem_{one}") for one in "abcd")
        assert archived_holders(store, "cow", 2) == [c, b]
        assert store.search.archived_with([(["cow"], ["dog", "elk"])], -1) == [[b, a]]
        sets = [(["cow", "dog"], ()), (["elk"], ()), ((), ())]
        assert store.search.archived_with(sets, 9) == [[b, a], [d, b], []]
        assert store.search.archived_with([(["elk"], ())], 1) == [[d]]
        assert store.search.archived_with([((), ["dog", "elk"])], 9, among=[a, c, d]) == [[d, a]]

    @pytest.mark.parametrize(
        "term", ["", "zebra OR lion", '"zebr"', "zebr*", "ze\0bra", "terms : zebra", "é-ü"]
    )
    def test_a_term_is_taken_literally_whatever_it_holds(self, zoo: Store, term: str):
        assert archived_holders(zoo, term, 9) == []
        assert zoo.search.archived_with([([term], [term]), ([term], ()), ((), [term])], 9) == [[], [], []]

    def test_near_duplicates_are_found_in_it(self, zoo: Store):
        assert memories_with_most_words(zoo.search, ["zebra", "stripe"], 5, 5) == ["mem_zebra"]


class TestComingBack:
    def test_it_comes_back_as_it_was(self, store: Store):
        add_memory(store, "mem_zebra", **RICH)
        one = key_of(store, "mem_zebra")
        before = (
            store.memories.get(["mem_zebra"]),
            store.search.texts(["mem_zebra"]),
            outlines(store, [one]),
        )
        store.archive.put(["mem_zebra"], LATER)
        assert store.archive.take_back(["mem_zebra", "mem_zebra", "mem_gone"]) == 1
        after = (
            store.memories.get(["mem_zebra"]),
            store.search.texts(["mem_zebra"]),
            outlines(store, [one]),
        )
        assert after == before
        assert holders(store, "zebra", 9) == [one]
        assert archived_holders(store, "zebra", 9) == []
        assert store.memories.count(archived=True) == 0
        assert store.archive.take_back(["mem_zebra"]) == 0

    def test_a_change_brings_it_back(self, zoo: Store):
        zoo.memories.replace(make_memory("mem_zebra", "Wake the okapi", version=2))
        assert archived(zoo) == []
        assert zoo.memories.get(["mem_zebra"])[0].intent.goal == "Wake the okapi"
        assert holders(zoo, "okapi", 9) == [key_of(zoo, "mem_zebra")]
        assert archived_existing(zoo, ["zebra", "okapi"]) == []

    def test_being_superseded_leaves_it_where_it_is(self, zoo: Store):
        zoo.links.add(Edge.of("mem_lion", "mem_zebra", LinkType.SUPERSEDES), NOON)
        assert archived(zoo) == ["mem_zebra"]
        assert zoo.memories.get(["mem_zebra"])[0].superseded_by == ("mem_lion",)


class TestForgetting:
    def test_it_is_deleted_with_everything_that_belongs_to_it(self, zoo: Store):
        zoo.links.add(Edge.of("mem_lion", "mem_zebra", LinkType.CAUSED_BY), NOON)
        assert zoo.memories.delete("mem_zebra") == {"memories": 1, "files": 1, "links": 1, "versions": 0}
        assert zoo.memories.get(["mem_zebra"]) == []
        assert archived_holders(zoo, "zebra", 9) == []
        assert zoo.memories.count(archived=True) == 0
        assert zoo.upkeep.problems() == []

    def test_the_number_of_a_forgotten_one_may_be_given_again(self, store: Store):
        add_memory(store, "mem_zebra", **RICH)
        store.archive.put(["mem_zebra"], LATER)
        one = key_of(store, "mem_zebra")
        store.memories.delete("mem_zebra")
        add_memory(store, "mem_okapi", "Wake the okapi")
        assert key_of(store, "mem_okapi") == one
        store.archive.put(["mem_okapi"], LATER)
        assert archived_holders(store, "zebra", 9) == []
        assert archived_holders(store, "okapi", 9) == [one]


class TestPutting:
    def test_twice_is_once(self, zoo: Store):
        assert zoo.archive.put(["mem_zebra", "mem_zebra"], LATER) == 0
        assert zoo.memories.count(archived=True) == 1
        assert zoo.upkeep.problems() == []

    def test_what_is_unknown_is_left_out(self, zoo: Store):
        assert zoo.archive.put([], LATER) == 0
        assert zoo.archive.put(["mem_gone", "mem_lion"], LATER) == 1

    def test_what_fails_changes_nothing(self, zoo: Store):
        def archive_and_fail() -> None:
            with zoo.transaction():
                zoo.archive.put(["mem_lion"], LATER)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            archive_and_fail()
        assert archived(zoo) == ["mem_zebra"]
        assert zoo.memories.count(archived=True) == 1
        assert holders(zoo, "lion", 9) == [key_of(zoo, "mem_lion")]


class TestVectors:
    def test_archived_vectors_leave_the_live_ones_and_come_back(self, store: Store):
        store.vectors.adopt(MODEL, NOON)
        for one in ("mem_a", "mem_b"):
            add_memory(store, one)
            store.vectors.put(MODEL, [(one, 1, data(one))])
        assert near(store, MODEL, "mem_a") == ["mem_a", "mem_b"]
        store.archive.put(["mem_a"], LATER)
        assert near(store, MODEL, "mem_a") == ["mem_b"]
        assert near(store, MODEL, "mem_a", archived=True) == ["mem_a"]
        assert kept(store, MODEL, mem_a="mem_a", mem_b="mem_b") == {"mem_a": True, "mem_b": True}
        assert store.vectors.counts(MODEL)[:2] == (2, 0)
        store.archive.take_back(["mem_a"])
        assert near(store, MODEL, "mem_a") == ["mem_a", "mem_b"]
        assert near(store, MODEL, "mem_a", archived=True) == []

    def test_a_vector_computed_later_is_archived_too(self, zoo: Store):
        zoo.vectors.adopt(MODEL, NOON)
        made = [("mem_zebra", 1, data("zebra")), ("mem_lion", 1, data("lion"))]
        assert zoo.vectors.put(MODEL, made) == 2
        assert zoo.vectors.counts(MODEL)[:2] == (2, 0)
        assert near(zoo, MODEL, "lion") == ["mem_lion"]
        assert near(zoo, MODEL, "zebra", archived=True) == ["mem_zebra"]
        assert zoo.upkeep.problems() == []

    def test_they_are_dropped_and_found_missing_as_others(self, zoo: Store):
        zoo.vectors.adopt(MODEL, NOON)
        zoo.vectors.put(MODEL, [("mem_zebra", 1, b"z"), ("mem_lion", 1, b"l")])
        zoo.upkeep.reindex(print, print)
        assert zoo.vectors.counts(MODEL)[:2] == (2, 0)
        zoo.upkeep.reindex(print, print, drop_vectors=True)
        assert zoo.vectors.counts(MODEL)[:2] == (0, 2)
        zoo.vectors.put(MODEL, [("mem_zebra", 1, b"z")])
        assert zoo.vectors.drop_unused("other", NOON + 1) == 1
        assert not zoo.vectors.state(MODEL).archived
        assert zoo.upkeep.problems() == []


class TestWeighing:
    """What speaks against archiving a memory that was made long before LATER."""

    def against(self, store: Store, importance: float = 0.7) -> dict[str, str]:
        batches = store.archive.weigh(LATER, importance)
        return {one.memory_id: one.against for batch in batches for one in batch}

    def test_age_and_importance(self, store: Store):
        add_memory(store, "mem_old")
        add_memory(store, "mem_new", created_at=LATER)
        add_memory(store, "mem_changed", updated_at=LATER)
        add_memory(store, "mem_important", importance=0.7)
        told = {"mem_old": "", "mem_new": "young", "mem_changed": "young", "mem_important": "important"}
        assert self.against(store) == told
        assert self.against(store, 0.71)["mem_important"] == ""

    def test_follow_ups_are_open_until_a_success_closes_them(self, store: Store):
        left = make_outcome(follow_up_needed=["Write a test"])
        for one in ("open", "followed", "failed", "again"):
            add_memory(store, f"mem_{one}", f"Goal of {one}", outcome=left)
        add_memory(store, "mem_success", "Other")
        add_memory(store, "mem_failure", "Another", outcome=make_outcome(success=False))
        store.links.add(Edge.of("mem_success", "mem_followed", LinkType.CAUSED_BY), NOON)
        store.links.add(Edge.of("mem_failure", "mem_failed", LinkType.CAUSED_BY), NOON)
        add_memory(store, "mem_second", "goal of AGAIN", created_at=NOON + 1)
        told = self.against(store)
        assert {one for one, why in told.items() if why == "follow_ups"} == {"mem_open", "mem_failed"}

    def test_links_to_what_is_young_at_either_end(self, store: Store):
        for one in ("cause", "effect", "apart", "near"):
            add_memory(store, f"mem_{one}")
        add_memory(store, "mem_new", created_at=LATER)
        store.links.add(Edge.of("mem_new", "mem_cause", LinkType.CAUSED_BY), NOON)
        store.links.add(Edge.of("mem_effect", "mem_new", LinkType.CAUSED_BY), NOON)
        store.links.add(Edge.of("mem_near", "mem_cause", LinkType.RELATED_TO), NOON)
        told = self.against(store)
        assert {one for one, why in told.items() if why == "linked"} == {"mem_cause", "mem_effect"}

    def test_against_what_is_superseded_only_its_youth(self, store: Store):
        left = make_outcome(follow_up_needed=["More"])
        add_memory(store, "mem_old", importance=1.0, outcome=left)
        add_memory(store, "mem_young", created_at=LATER)
        add_memory(store, "mem_newer", created_at=LATER)
        for old in ("mem_old", "mem_young"):
            store.links.add(Edge.of("mem_newer", old, LinkType.SUPERSEDES), NOON)
        told = {one.memory_id: one for batch in store.archive.weigh(LATER, 0.7) for one in batch}
        assert [(told[one].superseded, told[one].against) for one in ("mem_old", "mem_young")] == [
            (True, ""),
            (True, "young"),
        ]

    def test_what_is_archived_is_weighed_no_more(self, zoo: Store):
        assert set(self.against(zoo)) == {"mem_lion"}
