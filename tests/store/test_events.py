"""Events are stored in order of arrival, and replaced by a summary in their place."""

from __future__ import annotations

import pytest

from rum.store.base import Store
from support.builders import NOON
from support.facts import MILLISECONDS, all_events, make_event


@pytest.mark.parametrize("metadata", [None, {}, {"task": "scan", "depth": {"a": [1, None, 2.5, "記憶"]}}])
@pytest.mark.parametrize("timestamp", [0, -5, MILLISECONDS, MILLISECONDS + 0.5])
def test_an_event_reads_back_as_it_was_written(store: Store, metadata: object, timestamp: float):
    event = make_event(
        "entry-1", "It\nhappened 😀", metadata=metadata, timestamp=timestamp, imported_at=NOON, extra={"x": 1}
    )
    store.events.add([event])
    assert all_events(store) == store.events.get(["entry-1"]) == [event]
    assert type(store.events.get(["entry-1"])[0].timestamp) is type(timestamp)


def test_events_come_in_the_order_they_were_added_whatever_their_times(store: Store):
    store.events.add([make_event("late", timestamp=9), make_event("early", timestamp=1)])
    store.events.add([make_event("last", timestamp=5)])
    assert [[event.id for event in batch] for batch in store.events.pages(size=2)] == [
        ["late", "early"],
        ["last"],
    ]
    assert store.events.count() == 3


def test_two_events_may_have_one_id(store: Store):
    store.events.add([make_event("entry", "one"), make_event("entry", "two"), make_event("other")])
    assert [event.content for event in store.events.get(["entry"])] == ["one", "two"]
    assert store.events.find_ids("entry") == ["entry"]
    assert store.events.delete(["entry"]) == 2
    assert [event.id for event in all_events(store)] == ["other"]
    assert store.events.delete(["entry"]) == 0


def test_an_event_of_a_new_id_is_put_and_one_of_a_taken_id_is_not(store: Store, other: Store):
    assert store.events.add([make_event("entry", "one")], unless_known=True) == 1
    assert other.events.add([make_event("entry", "two")], unless_known=True) == 0
    assert other.events.add([make_event("other", "three")], unless_known=True) == 1
    assert [event.content for event in all_events(store)] == ["one", "three"]


def test_an_id_or_a_tail_names_events(store: Store):
    store.events.add([make_event("event_01jabcdefgh"), make_event("event_01jabcdefgh"), make_event("short")])
    assert store.events.find_ids("1jabcdefgh") == ["event_01jabcdefgh"]
    assert store.events.find_ids("short") == ["short"]
    assert store.events.find_ids("abcdefg") == store.events.find_ids("%" * 8) == []


def test_older_ones_are_folded_into_a_summary_that_stands_before_the_rest(store: Store):
    store.events.add([make_event(f"e{number}") for number in range(5)])
    older = store.events.older(2)
    assert [event.id for _, event in older] == ["e0", "e1", "e2"]
    assert store.events.replace_with_summary([place for place, _ in older], make_event("summary"))
    store.events.add([make_event("e5")])
    assert [event.id for event in all_events(store)] == ["summary", "e3", "e4", "e5"]


def test_without_a_summary_they_are_dropped(store: Store):
    store.events.add([make_event(f"e{number}") for number in range(3)])
    assert store.events.replace_with_summary([place for place, _ in store.events.older(1)], None)
    assert [event.id for event in all_events(store)] == ["e2"]
    assert store.events.older(1) == []


def test_nothing_is_folded_when_somebody_took_part_of_it_away(store: Store, other: Store):
    store.events.add([make_event(f"e{number}") for number in range(4)])
    older = [place for place, _ in store.events.older(1)]
    other.events.delete(["e1"])
    assert not store.events.replace_with_summary(older, make_event("summary"))
    assert [event.id for event in all_events(store)] == ["e0", "e2", "e3"]


def test_a_place_is_never_given_twice(store: Store):
    store.events.add([make_event("e0"), make_event("e1")])
    places = [place for place, _ in store.events.older(0)]
    store.events.delete()
    store.events.add([make_event("e2"), make_event("e3")])
    assert not store.events.replace_with_summary(places, make_event("summary"))
    assert [event.id for event in all_events(store)] == ["e2", "e3"]


def test_author_and_import_read_back_until_all_are_deleted(store: Store):
    store.events.add([make_event("a"), make_event("b", agent_id="agent_bob", imported_at=NOON)])
    authors = [(event.agent_id, event.imported_at) for event in all_events(store)]
    assert authors == [("agent_ann", None), ("agent_bob", NOON)]
    assert store.events.delete() == 2
    assert (store.events.count(), all_events(store)) == (0, [])


def test_several_events_are_added_all_or_none(store: Store):
    def told() -> object:
        yield make_event("e0")
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="middle"):
        store.events.add(told())  # type: ignore[arg-type]
    assert store.events.count() == 0


def test_what_one_adds_another_sees(store: Store, other: Store):
    store.events.add([make_event("a")])
    other.events.add([make_event("b")])
    assert (
        [event.id for event in all_events(store)] == ["a", "b"] == [event.id for event in all_events(other)]
    )
