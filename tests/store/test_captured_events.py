"""Each event is stored once, opens its turn, and is deleted some time after the turn is processed."""

from __future__ import annotations

from rum.store.base import Store
from rum.store.captured_events import (
    CapturedEvent,
    CapturedTurn,
    EventQuery,
    SessionKey,
    TurnKey,
)

KEY = TurnKey("claude-code", "s1", "", "t1")
NOW = 1_800_000_000


def event(
    name: str, at: float = 1.0, kind: str = "after", key: TurnKey = KEY, data: str = "{}"
) -> CapturedEvent:
    return CapturedEvent(name, key, kind, at, data)


def concluded(became: str = "memory", memory_id: str | None = "mem_1", key: TurnKey = KEY) -> CapturedTurn:
    return CapturedTurn(key, 1.0, 2.0, is_open=False, outcome=became, memory_id=memory_id)


def test_an_event_is_kept_once_and_opens_its_turn(store: Store):
    assert store.captured.add([event("a", 2.0), event("b", 1.0), event("a", 9.0)], NOW) == ["a", "b"]
    assert store.captured.add([event("a")], NOW) == []
    assert [one.id for one in store.captured.events(KEY)] == ["b", "a"]
    (turn,) = store.captured.turns(limit=10)
    assert (turn.key, turn.first, turn.last) == (KEY, 1.0, 2.0)
    assert store.captured.counts() == ({"after": 2}, {}, 1)


def test_what_is_nobodys_work_opens_no_turn(store: Store):
    store.captured.add([event("a", kind="start"), event("b", kind="end"), event("c", kind="offered")], NOW)
    assert store.captured.turns(limit=10) == []
    assert [one.id for one in store.captured.events(SessionKey("claude-code", "s1"), ("end", "start"))] == [
        "a",
        "b",
    ]


def test_a_concluded_turn_is_open_again_when_more_of_its_events_arrive(store: Store):
    store.captured.add([event("a")], NOW)
    store.captured.conclude(concluded(), NOW)
    assert store.captured.turns(limit=10) == []
    store.captured.add([event("b", 5.0)], NOW)
    (turn,) = store.captured.turns(limit=10)
    assert (turn.outcome, turn.memory_id) == ("memory", "mem_1")
    store.captured.conclude(concluded(), NOW)
    store.captured.reopen(KEY)
    assert [one.key for one in store.captured.turns(limit=10)] == [KEY]


def test_what_is_known_later_is_filled_in_and_opens_nothing(store: Store):
    store.captured.add([event("a")], NOW)
    store.captured.conclude(concluded(), NOW)
    store.captured.add([event("a", data='{"exit":1}'), event("b", 3.0)], NOW, replace=True)
    assert [(one.id, one.data) for one in store.captured.events(KEY)] == [("a", '{"exit":1}'), ("b", "{}")]
    assert store.captured.turns(limit=10) == []


def test_what_a_forgotten_memory_was_made_of_goes_and_does_not_come_back(store: Store):
    other = KEY._replace(turn="t2")
    store.captured.add([event("a"), event("b", 2.0), event("c", key=other)], NOW)
    store.captured.conclude(concluded(), NOW)
    assert store.captured.forget("mem_1", dry_run=True) == 2
    assert store.captured.forget("mem_1") == 2
    assert store.captured.add([event("a"), event("d", 4.0)], NOW) == []
    store.captured.reopen(KEY)
    assert [one.key for one in store.captured.turns(limit=10)] == [other]
    assert store.captured.counts() == ({"after": 1}, {"forgotten": 1}, 1)


def test_events_go_only_when_their_turns_were_concluded_long_ago(store: Store):
    late, going_on = KEY._replace(turn="t2"), KEY._replace(turn="t3")
    old = [
        event("a"),
        event("b", key=late),
        event("c", key=going_on),
        event("s", kind="start", key=KEY._replace(turn="")),
    ]
    store.captured.add(old, NOW)
    store.captured.conclude(concluded(), NOW)
    store.captured.conclude(concluded(key=late), NOW + 100)
    assert store.captured.drop(NOW) == 0
    assert store.captured.drop(NOW + 50) == 2
    assert {one.event.id for one in store.captured.find(EventQuery(10))} == {"b", "c"}
    assert store.captured.turns(KEY)


def test_events_are_found_by_what_they_are_and_what_became_of_them(store: Store):
    other = TurnKey("codex", "session-two", "a1", "t9")
    store.captured.add([event("a", 1.0, "prompt"), event("b", 2.0), event("c", 3.0, key=other)], NOW)
    store.captured.conclude(concluded(), NOW)

    def ids(**sought: object) -> list[str]:
        return [one.event.id for one in store.captured.find(EventQuery(10, **sought))]  # type: ignore[arg-type]

    assert ids() == ["c", "b", "a"]
    assert ids(session="s1") == ["b", "a"]
    assert ids(session="two") == ids(client="codex") == ids(since=2.5) == ["c"]
    assert ids(kind="prompt") == ["a"]
    assert ids(memory="mem_1") == ["b", "a"]
    newest, *_ = store.captured.find(EventQuery(1))
    assert (newest.outcome, newest.is_open) == ("", True)


def test_a_transcript_that_was_read_is_known_by_its_looks(store: Store):
    assert store.captured.transcript_stamps(["/x"]) == {}
    store.captured.set_transcript_stamp("/x", "1", NOW)
    store.captured.set_transcript_stamp("/x", "2", NOW)
    assert store.captured.transcript_stamps(["/x", "/y"]) == {"/x": "2"}
