"""Lists in pages, and counts by time, file and agent, on every backend."""

from __future__ import annotations

import random

import pytest

from rum.model.layers import Fact
from rum.model.memory import Edge, LinkType
from rum.store.activity import OfferPlace, OfferQuery, OfferRow
from rum.store.base import Store
from rum.store.browse import EntryQuery, PeriodCount
from rum.store.captured_events import CapturedEvent, SessionKey, TurnKey
from rum.store.filters import Filters
from support.builders import NOON, add_memory, make_agent

EVERYTHING = Filters(superseded=True)


def all_pages(store: Store, limit: int, **query: object) -> list[str]:
    """The ids of a list, read page by page."""
    found: list[str] = []
    after: tuple[int, str] | None = None
    while page := store.browse.entries(
        EntryQuery(limit=limit, after=after, **{"filters": EVERYTHING, **query})
    ):
        assert len(page) <= limit
        found += [row.id for row in page]
        after = (page[-1].created_at, page[-1].id)
    return found


@pytest.fixture
def filled(store: Store) -> Store:
    """Sixty memories, many of which share a second."""
    chance = random.Random(7)
    for number in range(60):
        add_memory(
            store,
            f"mem_{number:02}",
            created_at=NOON + chance.randrange(20) * 100,
            outcome={"success": number % 3 > 0, "summary": f"summary {number}"},
            tags=["unverified"] if number % 4 == 0 else ["auth"] if number % 5 == 0 else [],
            files=[{"path": f"src/{number % 4}/{number % 7}.py", "operation": "edit"}],
        )
    return store


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_every_memory_is_on_exactly_one_page(filled: Store, limit: int):
    newest = all_pages(filled, limit)
    assert sorted(newest) == [f"mem_{number:02}" for number in range(60)]
    times = {row.id: row.created_at for row in filled.browse.entries_of(newest)}
    assert newest == sorted(newest, key=lambda one: (times[one], one), reverse=True)
    assert all_pages(filled, limit, oldest_first=True) == newest[::-1]


def test_filters_hold_on_every_page(filled: Store):
    failed = all_pages(filled, 4, filters=Filters(success=False, superseded=True))
    assert sorted(failed) == [f"mem_{number:02}" for number in range(0, 60, 3)]
    assert sorted(all_pages(filled, 4, unverified=True)) == [f"mem_{number:02}" for number in range(0, 60, 4)]
    tagged = all_pages(filled, 4, filters=Filters(tags=("auth",), superseded=True))
    assert sorted(tagged) == [f"mem_{n:02}" for n in range(60) if n % 5 == 0 and n % 4]
    assert all_pages(filled, 4, filters=Filters(before=NOON, superseded=True)) == []


def test_a_file_is_found_by_its_path_and_by_the_folders_above_it(filled: Store):
    below = sorted(all_pages(filled, 5, path="src/2"))
    assert below == [f"mem_{number:02}" for number in range(60) if number % 4 == 2]
    assert sorted(all_pages(filled, 5, path="src/2/3.py")) == ["mem_10", "mem_38"]
    assert len(all_pages(filled, 5, path="src")) == 60
    assert all_pages(filled, 5, path="sr") == []


def test_frequent_tags_and_folders_give_the_same_list(filled: Store, monkeypatch: pytest.MonkeyPatch):
    rare = [
        all_pages(filled, 6, path="src/1"),
        all_pages(filled, 6, filters=Filters(tags=("auth",), superseded=True)),
    ]
    monkeypatch.setattr("rum.store.sqlite.browse._MANY", 1)
    often = [
        all_pages(filled, 6, path="src/1"),
        all_pages(filled, 6, filters=Filters(tags=("auth",), superseded=True)),
    ]
    assert often == rare


def test_an_entry_has_what_a_list_shows(store: Store):
    add_memory(store, "mem_old", goal="Old way", created_at=NOON)
    add_memory(store, "mem_new", goal="New way", tags=["partial"], branch="main", created_at=NOON + 1)
    store.links.add(Edge.of("mem_new", "mem_old", LinkType.SUPERSEDES), NOON)
    new, old = store.browse.entries(EntryQuery(EVERYTHING, 10))
    assert (new.goal, new.tags, new.branch, new.superseded, new.archived) == (
        "New way",
        ("partial",),
        "main",
        False,
        False,
    )
    assert (old.goal, old.superseded, old.reverted) == ("Old way", True, False)
    assert [row.id for row in store.browse.entries_of(["mem_old", "mem_none", "mem_new"])] == [
        "mem_old",
        "mem_new",
    ]


def test_memories_are_counted_by_period(filled: Store):
    rows = filled.browse.entries(EntryQuery(EVERYTHING, 100))
    periods = [(NOON + start, NOON + start + 500) for start in range(0, 2000, 500)]

    def expected(begin: int, end: int) -> PeriodCount:
        within = [row for row in rows if begin <= row.created_at < end]
        failed = sum(not row.success for row in within)
        return PeriodCount(len(within), failed, sum("unverified" in row.tags for row in within))

    assert filled.browse.count_periods(periods) == [expected(*period) for period in periods]
    agent = rows[0].agent_id
    assert filled.browse.count_periods(periods, agent) == filled.browse.count_periods(periods)
    assert filled.browse.count_periods(periods, "agent_none") == [PeriodCount(0, 0, 0)] * 4
    assert filled.browse.count_by_agent() == {agent: 60}


def test_the_files_with_most_failures_come_first(store: Store):
    for number, (path, success) in enumerate(
        [("a.py", False), ("b.py", False), ("a.py", False), ("a.py", True)]
    ):
        add_memory(
            store,
            f"mem_{number}",
            created_at=NOON + number,
            outcome={"success": success, "summary": "x"},
            files=[{"path": path, "operation": "edit"}, {"path": "read.py", "operation": "read"}],
        )
    found = store.browse.failing_files(NOON, 100, 10)
    assert [(one.path, one.failures, one.memories, one.last_id) for one in found] == [
        ("a.py", 2, 3, "mem_2"),
        ("b.py", 1, 1, "mem_1"),
    ]
    assert store.browse.failing_files(NOON + 10, 100, 10) == []
    assert len(store.browse.recent_paths(NOON, 2)) == 2


def test_a_folder_lists_its_files_and_folders_by_name(store: Store):
    paths = [
        "src/a/x.py",
        "src/a/y.py",
        "src/a-b.py",
        "src/a.py",
        "src/b/z/deep.py",
        "README.md",
        "/etc/hosts",
        "src",
    ]
    for number, path in enumerate(paths):
        add_memory(store, f"mem_{number}", files=[{"path": path, "operation": "edit"}])
    top = store.browse.children("", "", 10, 100)
    assert [(one.path, one.is_folder) for one in top] == [
        ("/etc", True),
        ("README.md", False),
        ("src", False),
        ("src", True),
    ]
    inside = store.browse.children("src", "", 10, 100)
    assert [(one.path, one.is_folder, one.memories) for one in inside] == [
        ("src/a-b.py", False, 1),
        ("src/a.py", False, 1),
        ("src/a", True, 2),
        ("src/b", True, 1),
    ]
    folder, file = (
        store.browse.count_path("src/a", True, 100),
        store.browse.count_path("src/a.py", False, 100),
    )
    assert (folder.memories, file.memories, folder.exact, file.exact) == (2, 1, True, True)
    assert store.browse.count_path("src/a", True, 1).exact is False
    assert [one.path for one in store.browse.children("src", "a/" + chr(1114111), 10, 100)] == ["src/b"]
    assert [one.path for one in store.browse.children("src", "", 2, 100)] == ["src/a-b.py", "src/a.py"]
    counted = store.browse.children("src", "a.py", 1, 1)
    assert [(one.memories, one.exact) for one in counted] == [(1, False)]


def test_sessions_are_listed_by_their_last_turn(store: Store):
    events = [
        CapturedEvent(
            f"e{n}",
            TurnKey("codex" if n % 2 else "claude-code", f"s{n // 4}", "", f"t{n}"),
            "prompt",
            float(n),
            "{}",
        )
        for n in range(20)
    ]
    store.captured.add(events, NOON)
    found = store.captured.sessions(100)
    assert len(found) == 10
    assert [one.last for one in found] == sorted((one.last for one in found), reverse=True)
    assert {(one.turns, one.open_turns, one.memories) for one in found} == {(2, 2, 0)}
    one_by_one: list[SessionKey] = []
    after: tuple[float, SessionKey] | None = None
    while page := store.captured.sessions(1, after):
        one_by_one.append(page[0].key)
        after = (page[0].last, page[0].key)
    assert one_by_one == [one.key for one in found]
    assert {one.key.client for one in store.captured.sessions(100, client="codex")} == {"codex"}


def test_offers_are_read_page_by_page_whatever_selects_them(store: Store):
    rows = [
        OfferRow(
            f"e{n // 3}",
            n % 3,
            f"mem_{n % 2}",
            "codex",
            f"s{n % 2}",
            "",
            "",
            "warning",
            float(n // 4),
            "text",
            tokens=n,
        )
        for n in range(24)
    ]
    store.activity.add_offers(rows)
    for query in (
        OfferQuery(),
        OfferQuery(memory="mem_1"),
        OfferQuery(client="codex", session="s0"),
        OfferQuery(since=3),
    ):
        whole = store.activity.find_offers(query)
        paged: list[OfferRow] = []
        after: OfferPlace | None = None
        while page := store.activity.find_offers(query._replace(limit=5, after=after)):
            paged += page
            after = OfferPlace(page[-1].at, page[-1].event, page[-1].number, page[-1].memory_id)
        assert paged == whole
    assert len(store.activity.find_offers(OfferQuery())) == 24


def test_the_tokens_of_a_text_count_once_however_many_memories_it_names(store: Store):
    rows = [
        OfferRow("e1", 0, memory, "codex", "s", "", "", "task", 10.0, "one text", tokens=7)
        for memory in ("mem_1", "mem_2")
    ]
    store.activity.add_offers(
        [*rows, OfferRow("e2", 0, "mem_1", "codex", "s", "", "", "task", 20.0, "", tokens=5)]
    )
    assert store.activity.offer_tokens([(0.0, 15.0), (15.0, 30.0), (30.0, 40.0)]) == [(1, 7), (1, 5), (0, 0)]


def test_facts_are_read_by_key(store: Store):
    store.agents.add(make_agent())
    for key in ("b", "a.2", "a.1", "c", "a%"):
        store.facts.put(Fact(key=key, value="x", agent_id="agent_ann", created_at=NOON))
    assert [fact.key for fact in store.facts.after_key(2)] == ["a%", "a.1"]
    assert [fact.key for fact in store.facts.after_key(9, after="a.1")] == ["a.2", "b", "c"]
    assert [fact.key for fact in store.facts.after_key(9, prefix="a.")] == ["a.1", "a.2"]
