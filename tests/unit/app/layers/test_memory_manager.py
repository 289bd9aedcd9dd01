"""The four layers by one set of calls, on a project's memory and on a directory of files alike."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, MemoryManager, NotFound, PermissionDenied
from rum.app.layers.backends import StoreBackend
from rum.app.layers.layers import Layers
from rum.model.layers import CompactOptions, MemoryEntry
from support.builders import NOON
from support.language_models import ModelServer, Trouble
from support.projects import Shop, keep

HOUR = 3600
PLACES = ("project", "files")


class Place:
    """Where layers lie, and a way to open them as one more process would."""

    def __init__(self, shop: Shop, kind: str) -> None:
        self.shop = shop
        self.path = shop.folder if kind == "project" else shop.folder / ".rlm-data" / "memory"

    def open(self, max_working_entries: int = 50, **how: Any) -> MemoryManager:
        return MemoryManager(
            self.path, max_working_entries, home=self.shop.home, clock=self.shop.clock, **how
        ).init()


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, shop: Shop) -> Place:
    return Place(shop, request.param)


@pytest.fixture
def memory(place: Place) -> Iterator[MemoryManager]:
    with place.open() as opened:
        yield opened


def contents(entries: list[MemoryEntry]) -> list[str]:
    return [entry.content for entry in entries]


def fill(memory: MemoryManager, layer: str, count: int) -> None:
    for number in range(count):
        metadata = {"condition": f"task {number}"} if layer == "procedural" else None
        memory.append(layer, {"content": f"entry {number}", "metadata": metadata})


# The table of memory types, row by row.


def test_working_memory_is_lost_with_its_process_and_trimmed_to_its_last_fifty(place: Place):
    first = place.open()
    fill(first, "working", 53)
    # 53 appended, 50 kept: 3, 4, ... 52.
    assert contents(first.get_working_memory()) == [f"entry {number}" for number in range(3, 53)]
    first.close()
    assert place.open().get_working_memory() == []


def test_working_memory_keeps_at_most_the_bytes_that_it_may(shop: Shop):
    with shop.open() as rum:
        layers = Layers(lambda: StoreBackend(rum._caller), max_working_bytes=1000)
        for number in range(8):
            layers.append("working", {"content": f"{number}" * 200, "timestamp": 1})
        assert [entry.content[0] for entry in layers.get_working_memory()] == ["5", "6", "7"]
        with pytest.raises(InvalidQuery, match="at most 1,000 bytes"):
            layers.append("working", {"content": "x" * 1000})
        assert len(layers.get_working_memory()) == 3


def test_working_memory_keeps_at_most_max_working_entries(place: Place):
    memory = place.open(max_working_entries=2)
    fill(memory, "working", 3)
    assert contents(memory.get_working_memory()) == ["entry 1", "entry 2"]


def test_episodic_memory_survives_a_restart_and_is_compacted_by_hand_only(place: Place):
    first = place.open()
    fill(first, "episodic", 60)
    kept = first.get_episodic_memory()
    first.close()
    again = place.open()
    assert again.get_episodic_memory() == kept
    assert len(kept) == 60
    assert again.compact("episodic") == 50
    assert len(again.get_episodic_memory()) == 11


def test_semantic_memory_survives_a_restart_and_needs_no_compaction(place: Place):
    first = place.open()
    for number in range(20):
        first.learn({"key": f"key-{number}", "value": "x"})
    first.close()
    again = place.open()
    assert again.compact("semantic", keep_last=1) == 0
    assert again.get_stats().semantic_entry_count == 20
    assert (known := again.recall("key-0")) is not None
    assert known.value == "x"


def test_procedural_memory_survives_a_restart_and_is_compacted_by_hand(place: Place):
    first = place.open()
    fill(first, "procedural", 12)
    first.close()
    again = place.open()
    assert again.get_stats().procedural_rule_count == 12
    # 12 rules, the last 10 stay, and no summary of the 2 others.
    assert again.compact("procedural") == 2
    found = again.search("procedural", "entry", limit=50)
    assert sorted(contents(found)) == sorted(f"entry {number}" for number in range(2, 12))


# Append.


def test_an_entry_gets_an_id_and_the_time_in_milliseconds(memory: MemoryManager):
    one, two = (memory.append("episodic", {"content": "It happened"}) for _ in range(2))
    assert one.id.startswith("event_")
    assert one.id != two.id
    assert one.timestamp == NOON * 1000
    assert memory.get_episodic_memory() == [one, two]


def test_an_entry_keeps_the_id_time_and_metadata_it_has(memory: MemoryManager):
    given = {
        "id": "entry-1",
        "timestamp": 1_700_000_000_123,
        "content": "x",
        "metadata": {"a": [1, {"b": None}]},
    }
    kept = memory.append("episodic", given)
    assert kept == MemoryEntry(**given)
    assert memory.get_episodic_memory() == [kept]


def test_a_time_in_seconds_is_kept_in_milliseconds(memory: MemoryManager):
    assert memory.append("episodic", {"content": "x", "timestamp": NOON + 0.5}).timestamp == NOON * 1000 + 500


def test_a_semantic_entry_is_known_under_its_key_or_else_its_id(memory: MemoryManager):
    memory.append(
        "semantic", {"content": "CSV", "metadata": {"key": "format"}, "timestamp": 1_700_000_000_000}
    )
    memory.append("semantic", {"content": "8080", "id": "port"})
    format, port = memory.recall("format"), memory.recall("port")
    assert format is not None
    assert (format.key, format.value, format.timestamp) == ("format", "CSV", 1_700_000_000_000)
    assert port is not None
    assert port.value == "8080"


def test_a_procedural_entry_is_a_rule_with_its_condition(memory: MemoryManager):
    kept = memory.append("procedural", {"content": "Run the tests", "metadata": {"condition": "auth|login"}})
    assert (kept.content, kept.metadata) == ("Run the tests", {"condition": "auth|login"})
    assert memory.search("procedural", "login") == [kept]
    with pytest.raises(InvalidQuery, match=r"metadata\.condition"):
        memory.append("procedural", {"content": "Run the tests"})


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"contents": "x"}, "Did you mean `content`"),
        ({}, "`content` is required"),
        ({"content": 5}, "`content`"),
        ({"content": "x", "timestamp": -1}, "`timestamp`"),
        ({"content": "x", "timestamp": "now"}, "`timestamp`"),
        ({"content": "x", "id": ""}, "`id`"),
        ({"content": "x", "metadata": ["a"]}, "`metadata`"),
        ({"content": object()}, "Only JSON values"),
    ],
)
def test_what_is_no_entry_is_refused_and_nothing_is_kept(memory: MemoryManager, entry: Any, said: str):
    for layer in ("working", "episodic"):
        with pytest.raises(InvalidQuery) as caught:
            memory.append(layer, entry)
        assert said in caught.value.message
    assert memory.get_working_memory() == memory.get_episodic_memory() == []


@pytest.mark.parametrize("entry", ["It happened", b"It happened", None, 5, [("content", "It happened")]])
def test_what_is_no_object_is_refused_with_what_is_allowed(memory: MemoryManager, entry: Any):
    for layer in ("working", "episodic", "semantic", "procedural"):
        with pytest.raises(InvalidQuery, match=r"object with `content`.*`id`, `timestamp`, `metadata`"):
            memory.append(layer, entry)
    with pytest.raises(InvalidQuery, match=r"object with `key`, `value`.*`timestamp`"):
        memory.learn(entry)
    assert memory.get_stats().total_storage_bytes == 8


def test_an_id_belongs_to_one_episodic_entry(memory: MemoryManager, place: Place):
    first = memory.append("episodic", {"id": "entry-1", "content": "First"})
    for content in ("First", "Second"):
        with pytest.raises(InvalidQuery, match="`entry-1` is taken") as caught:
            memory.append("episodic", {"id": "entry-1", "content": content})
        assert caught.value.details["field"] == "id"
    assert memory.get_episodic_memory() == [first]
    assert place.open().get_episodic_memory() == [first]


def test_an_id_that_compaction_took_away_is_free_again(memory: MemoryManager):
    for number in range(3):
        memory.append("episodic", {"id": f"entry-{number}", "content": "x"})
    memory.compact("episodic", keep_last=1)
    assert memory.append("episodic", {"id": "entry-0", "content": "again"}).id == "entry-0"


def test_a_rule_that_was_added_is_given_back_whatever_others_add_meanwhile(place: Place):
    one, other = place.open(), place.open()
    others = [{"content": f"other {number}", "metadata": {"condition": "deploy"}} for number in range(20)]

    def add() -> None:
        for entry in others:
            other.append("procedural", entry)

    worker = threading.Thread(target=add)
    worker.start()
    given = [
        one.append("procedural", {"content": f"mine {number}", "metadata": {"condition": "deploy"}})
        for number in range(20)
    ]
    worker.join()
    assert contents(given) == [f"mine {number}" for number in range(20)]
    assert len({entry.id for entry in one.search("procedural", "deploy", limit=99)}) == 40


def test_a_layer_that_does_not_exist_is_refused_with_those_that_do(memory: MemoryManager):
    with pytest.raises(InvalidQuery, match="working, episodic, semantic, procedural"):
        memory.append("long-term", {"content": "x"})


def test_what_is_given_out_is_a_copy(memory: MemoryManager):
    for layer in ("working", "episodic"):
        memory.append(layer, {"content": "x", "metadata": {"a": 1}})
    for give in (
        memory.get_working_memory,
        memory.get_episodic_memory,
        lambda: memory.search("working", "x"),
        lambda: memory.search("episodic", "x"),
    ):
        got = give()
        assert got[0].metadata is not None
        got[0].metadata["a"] = 2
        got.clear()
        assert give()[0].metadata == {"a": 1}


# Search: the points themselves are tested by hand beside the function that gives them.


def test_a_search_gives_the_best_ten_of_its_layer(memory: MemoryManager, place: Place):
    for number in range(12):
        memory.append("episodic", {"content": f"csv {number}"})
        place.shop.clock.forward(HOUR)
    memory.append("working", {"content": "csv at work"})
    # All have 2 points; the newest has most of its 0.5 left: 11 first, 1 and 0 are left out.
    assert contents(memory.search("episodic", "csv")) == [f"csv {number}" for number in range(11, 1, -1)]
    assert contents(memory.search("episodic", "csv", limit=1)) == ["csv 11"]
    assert contents(memory.search("working", "CSV")) == ["csv at work"]


def test_facts_and_rules_come_back_as_entries(memory: MemoryManager):
    memory.learn({"key": "dataset-format", "value": "CSV with headers", "timestamp": 1_700_000_000_000})
    [fact] = memory.search("semantic", "dataset-format")
    assert fact == MemoryEntry(
        id="dataset-format",
        timestamp=1_700_000_000_000,
        content="CSV with headers",
        metadata={"key": "dataset-format"},
    )
    assert memory.search("semantic", "headers") == [fact]


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "ten"])
def test_a_limit_is_a_number_from_one_on(memory: MemoryManager, limit: Any):
    with pytest.raises(InvalidQuery, match="limit"):
        memory.search("episodic", "x", limit=limit)


# Learn and recall.


def test_what_is_learned_again_takes_the_place_of_what_was_known(memory: MemoryManager, place: Place):
    memory.learn({"key": "a", "value": "one"})
    memory.learn({"key": "b", "value": "two"})
    place.shop.clock.forward(1)
    memory.learn({"key": "a", "value": "three"})
    known = memory.recall("a")
    assert known is not None
    assert (known.value, known.timestamp) == ("three", (NOON + 1) * 1000)
    assert memory.get_stats().semantic_entry_count == 2


def test_nothing_is_known_under_an_unknown_key(memory: MemoryManager):
    assert memory.recall("unknown") is None


# Compact.


def test_older_entries_become_one_summary_before_the_last_ten(memory: MemoryManager, place: Place):
    for number in range(25):
        entry = {"content": f"Agent analyzed file{number}.csv", "metadata": {"task": "analysis"}}
        memory.append("episodic", entry)
        memory.append("working", entry)
        place.shop.clock.forward(1)
    for layer, get in (
        ("episodic", memory.get_episodic_memory),
        ("working", memory.get_working_memory),
    ):
        # 25 − 10 = 15 older ones: files 0 to 14.
        assert memory.compact(layer) == 15
        summary, *kept = get()
        lines = [f"- Agent analyzed file{number}.csv [task=analysis]" for number in range(15)]
        assert summary.content == "\n".join(["[Summary of 15 entries]", *lines])
        assert summary.timestamp == (NOON + 14) * 1000
        assert contents(kept) == [f"Agent analyzed file{number}.csv" for number in range(15, 25)]


@pytest.mark.parametrize("layer", ["episodic", "working"])
def test_without_a_summary_older_entries_are_dropped(memory: MemoryManager, layer: str):
    fill(memory, layer, 5)
    assert memory.compact(layer, keep_last=2, summarize_older=False) == 3
    assert contents(memory.search(layer, "entry")) == ["entry 4", "entry 3"]


@pytest.mark.parametrize("layer", ["episodic", "working"])
def test_compacting_again_loses_nothing_and_compacting_too_early_does_nothing(
    memory: MemoryManager, layer: str
):
    get = memory.get_episodic_memory if layer == "episodic" else memory.get_working_memory
    fill(memory, layer, 4)
    assert memory.compact(layer, keep_last=4) == 0
    # 4 − 1 = 3 in the first summary; it and 1 more entry in the second, which stands for 3 + 1.
    assert memory.compact(layer, keep_last=1) == 3
    before = get()
    assert memory.compact(layer, keep_last=1) == 0
    assert get() == before
    memory.append(layer, {"content": "last"})
    assert memory.compact(layer, keep_last=1) == 2
    assert contents(get()) == [
        "[Summary of 4 entries]\n- entry 0\n- entry 1\n- entry 2\n- entry 3",
        "last",
    ]


def test_keeping_none_leaves_the_summary_alone(memory: MemoryManager):
    fill(memory, "episodic", 2)
    assert memory.compact("episodic", keep_last=0) == 2
    assert contents(memory.get_episodic_memory()) == ["[Summary of 2 entries]\n- entry 0\n- entry 1"]


@pytest.mark.parametrize("keep", [-1, 0.5, None, True])
def test_keep_last_is_a_number_of_at_least_zero(memory: MemoryManager, keep: Any):
    with pytest.raises(InvalidQuery, match="keep_last"):
        memory.compact("episodic", keep_last=keep)


# Statistics.


def test_stats_count_tokens_entries_and_bytes(memory: MemoryManager):
    empty = memory.get_stats()
    # Four layers, each `[]`: 4 × 2 bytes.
    assert (empty.working_memory_tokens, empty.total_storage_bytes) == (0, 8)
    memory.append("working", {"id": "w", "timestamp": 1_700_000_000_000, "content": "x" * 10})
    memory.append("working", {"id": "v", "timestamp": 1_700_000_000_000, "content": "x" * 7})
    memory.append(
        "episodic", {"id": "e", "timestamp": 1_700_000_000_000, "content": "é", "metadata": {"a": 1}}
    )
    memory.learn({"key": "k", "value": "v", "timestamp": 1_700_000_000_000})
    memory.append(
        "procedural", {"content": "do", "timestamp": 1_700_000_000_000, "metadata": {"condition": "if"}}
    )
    stats = memory.get_stats()
    # (10 + 7) / 4 = 4.25, and a token begun is a token.
    assert stats.working_memory_tokens == 5
    assert (stats.episodic_entry_count, stats.semantic_entry_count, stats.procedural_rule_count) == (1, 1, 1)
    layers = [
        # [ + 59 + , + 56 + ]: 118
        '[{"id":"w","timestamp":1700000000000,"content":"xxxxxxxxxx"},'
        '{"id":"v","timestamp":1700000000000,"content":"xxxxxxx"}]',
        # 71 characters, of which é takes two bytes: 72
        '[{"id":"e","timestamp":1700000000000,"content":"é","metadata":{"a":1}}]',
        # 57
        '[["k",{"key":"k","value":"v","timestamp":1700000000000}]]',
        # 60
        '[{"condition":"if","action":"do","timestamp":1700000000000}]',
    ]
    assert [len(layer.encode()) for layer in layers] == [118, 72, 57, 60]
    assert stats.total_storage_bytes == 118 + 72 + 57 + 60


# Clear.


def test_clearing_one_layer_leaves_the_others(memory: MemoryManager):
    for layer in ("working", "episodic", "procedural"):
        fill(memory, layer, 2)
    memory.learn({"key": "a", "value": "b"})
    assert memory.clear("episodic") == 2
    stats = memory.get_stats()
    assert (stats.episodic_entry_count, stats.semantic_entry_count, stats.procedural_rule_count) == (0, 1, 2)
    assert len(memory.get_working_memory()) == 2


def test_clearing_all_layers_lasts(memory: MemoryManager, place: Place):
    for layer in ("working", "episodic", "procedural"):
        fill(memory, layer, 2)
    memory.learn({"key": "a", "value": "b"})
    assert memory.clear() == 7
    assert memory.get_stats().total_storage_bytes == 8
    assert place.open().get_stats().total_storage_bytes == 8


# Both.


def test_secrets_are_cut_out_before_anything_is_kept(memory: MemoryManager, place: Place):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    memory.append("working", {"content": f"used {secret}"})
    memory.append("episodic", {"content": f"used {secret}", "metadata": {"token": secret}})
    memory.append("semantic", {"content": "hunter2-Xk9!pQ", "metadata": {"key": "db_password"}})
    memory.learn({"key": "api_token", "value": secret})
    memory.append("procedural", {"content": f"use {secret}", "metadata": {"condition": secret}})
    assert secret not in str(memory.get_working_memory())
    memory.close()
    for path in (*place.shop.home.rglob("*"), *place.shop.folder.rglob("*")):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path
            assert b"hunter2" not in path.read_bytes(), path


def test_nothing_is_opened_before_it_is_needed(shop: Shop):
    MemoryManager(shop.folder / "new", home=shop.home)
    assert not (shop.folder / "new").exists()
    assert not shop.home.exists()


def test_a_call_opens_what_init_did_not(shop: Shop):
    with MemoryManager(shop.folder, home=shop.home) as memory:
        memory.close()
        memory.learn({"key": "a", "value": "b"})
        assert memory.recall("a") is not None


@pytest.mark.parametrize("name", ["a/b/memory", ".rlm-data/memory"])
def test_a_directory_that_is_missing_gets_the_three_files(shop: Shop, name: str):
    path = shop.folder / name
    with MemoryManager(path, home=shop.home, clock=shop.clock).init() as memory:
        assert {one.name: one.read_text() for one in path.iterdir() if one.suffix == ".json"} == {
            "episodic.json": "[]",
            "semantic.json": "[]",
            "procedural.json": "[]",
        }
        memory.learn({"key": "format", "value": "CSV"})
    with MemoryManager(path, home=shop.home) as again:
        assert again.recall("format") is not None
    assert json.loads((path / "semantic.json").read_text()) == [
        ["format", {"key": "format", "value": "CSV", "timestamp": NOON * 1000}]
    ]
    assert not list(shop.home.glob("projects/*"))


def test_an_id_that_is_a_uuid_is_kept(memory: MemoryManager):
    given = "e18de462-cca8-4b0c-bad2-13614cbb9dba"
    assert memory.append("episodic", {"id": given, "content": "Scanned src/"}).id == given
    assert memory.append("semantic", {"id": given, "content": "CSV"}).id == given
    assert [entry.id for entry in memory.get_episodic_memory()] == [given]
    assert memory.recall(given) is not None


@pytest.mark.parametrize("opts", [{"keepLast": 1, "summarizeOlder": False}, CompactOptions(1, False)])
def test_compaction_takes_its_options_as_an_object(memory: MemoryManager, opts: Any):
    fill(memory, "episodic", 3)
    assert memory.compact("episodic", opts) == 2
    assert contents(memory.get_episodic_memory()) == ["entry 2"]


def test_the_options_of_compaction_default_to_the_last_ten_and_a_summary(memory: MemoryManager):
    fill(memory, "episodic", 12)
    assert memory.compact("episodic", {}) == 2
    assert len(memory.get_episodic_memory()) == 11
    with pytest.raises(InvalidQuery, match="keepLast"):
        memory.compact("episodic", {"keepLasst": 1})
    with pytest.raises(InvalidQuery, match="keep_last"):
        memory.compact("episodic", {"keepLast": -1})


@pytest.mark.parametrize("most", [0, -1, 2.5, "many"])
def test_working_memory_holds_at_least_one_entry(shop: Shop, most: Any):
    with pytest.raises(InvalidQuery, match="max_working_entries"):
        MemoryManager(shop.folder, most)


def test_the_clock_of_the_machine_is_used_by_default(shop: Shop):
    before = int(time.time() * 1000)
    with MemoryManager(shop.folder, home=shop.home) as memory:
        assert before <= memory.append("working", {"content": "x"}).timestamp <= time.time() * 1000


# A project's memory.


def test_the_agents_of_a_project_share_its_layers(shop: Shop):
    rum = shop.open(agent="developer")
    rum.facts.set("format", "CSV")
    with MemoryManager(shop.folder, home=shop.home, clock=shop.clock) as memory:
        assert (known := memory.recall("format")) is not None
        assert known.value == "CSV"
        memory.append("procedural", {"content": "Ask first", "metadata": {"condition": "deploy"}})
    assert [rule.action for rule in shop.open().rules.match("deploy it")] == ["Ask first"]


def test_memories_are_never_touched(shop: Shop):
    rum = shop.open()
    kept = keep(rum)
    rum.layers.append("episodic", {"content": "x"})
    rum.layers.compact("episodic", keep_last=0)
    rum.layers.clear()
    assert rum.show(kept).intent.goal == "Fix the login"


def test_the_database_itself_can_be_named(shop: Shop):
    with MemoryManager(shop.folder, home=shop.home) as memory:
        memory.learn({"key": "a", "value": "b"})
    (directory,) = (path.parent for path in shop.home.rglob("rum.db"))
    for path in (directory, directory / "rum.db"):
        with MemoryManager(path) as memory:
            assert memory.recall("a") is not None
            memory.append("episodic", {"content": str(path)})
    with MemoryManager(shop.folder, home=shop.home) as memory:
        assert len(memory.get_episodic_memory()) == 2


def test_a_file_that_is_no_database_is_refused(shop: Shop, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InvalidQuery, match=r"rum\.db"):
        MemoryManager(tmp_path / "notes.txt").init()
    with pytest.raises(NotFound, match="no database"):
        MemoryManager(tmp_path / "nowhere" / "rum.db").init()
    assert not (tmp_path / "nowhere").exists()


def test_an_agent_may_only_take_away_what_is_its_own(shop: Shop):
    def as_agent(name: str) -> MemoryManager:
        return MemoryManager(shop.folder, home=shop.home, clock=shop.clock, agent=name).init()

    ann, bob = as_agent("ann"), as_agent("bob")
    fill(ann, "episodic", 3)
    fill(ann, "procedural", 3)
    ann.learn({"key": "a", "value": "b"})
    fill(bob, "episodic", 1)
    for attempt in (
        lambda: bob.compact("episodic", keep_last=1),
        lambda: bob.compact("procedural", keep_last=1),
        lambda: bob.clear("semantic"),
        lambda: bob.clear(),
    ):
        with pytest.raises(PermissionDenied):
            attempt()
    assert bob.learn({"key": "a", "value": "c"}).value == "c"
    assert ann.compact("episodic", keep_last=1) == 3
    with MemoryManager(shop.folder, home=shop.home, clock=shop.clock) as owner:
        assert len(owner.get_episodic_memory()) == 2
        # 1 summary + 1 of bob's, 1 fact, 3 rules.
        assert owner.clear() == 6


# A directory of files.


def test_what_other_programs_wrote_stays_as_they_wrote_it(shop: Shop):
    folder = shop.folder / "layers"
    folder.mkdir()
    entry = {"id": "entry-1", "timestamp": 1000, "content": "old", "by": {"tool": "x"}}
    (folder / "episodic.json").write_text(json.dumps([entry]))
    (folder / "semantic.json").write_text(json.dumps([["a", {"key": "a", "value": "1", "source": "x"}]]))
    (folder / "procedural.json").write_text(json.dumps([{"condition": "c", "action": "d", "uses": 3}]))
    with MemoryManager(folder, home=shop.home, clock=shop.clock) as memory:
        memory.append("episodic", {"id": "entry-2", "content": "new"})
        memory.learn({"key": "b", "value": "2"})
        memory.append("procedural", {"content": "f", "metadata": {"condition": "e"}})
    now = NOON * 1000
    assert json.loads((folder / "episodic.json").read_text()) == [
        entry,
        {"id": "entry-2", "timestamp": now, "content": "new"},
    ]
    assert json.loads((folder / "semantic.json").read_text()) == [
        ["a", {"key": "a", "value": "1", "source": "x"}],
        ["b", {"key": "b", "value": "2", "timestamp": now}],
    ]
    assert json.loads((folder / "procedural.json").read_text()) == [
        {"condition": "c", "action": "d", "uses": 3},
        {"condition": "e", "action": "f", "timestamp": now},
    ]
    assert not list(shop.home.glob("projects/*"))


def test_a_file_that_is_broken_stops_its_own_layer_only(shop: Shop):
    folder = shop.folder / ".rlm-data" / "memory"
    folder.mkdir(parents=True)
    (folder / "episodic.json").write_text("{broken")
    with MemoryManager(folder, home=shop.home) as memory:
        memory.learn({"key": "a", "value": "b"})
        for attempt in (
            memory.get_episodic_memory,
            lambda: memory.append("episodic", {"content": "x"}),
            lambda: memory.clear("episodic"),
        ):
            with pytest.raises(InvalidQuery, match=r"episodic\.json is not JSON"):
                attempt()
    assert (folder / "episodic.json").read_text() == "{broken"


# A language model, where one is set.


def test_a_language_model_writes_the_summary_where_one_is_set(place: Place, monkeypatch: pytest.MonkeyPatch):
    with ModelServer().serving() as server:
        server.script = [{"lines": ["Entries 0 and 1 were made"]}, Trouble(400)]
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        memory = place.open()
        fill(memory, "episodic", 3)
        assert memory.compact("episodic", keep_last=1) == 2
        assert contents(memory.get_episodic_memory()) == [
            "[Summary of 2 entries]\n- Entries 0 and 1 were made",
            "entry 2",
        ]
        # The next time it fails: then each entry is a line, and nothing is lost.
        assert memory.compact("episodic", keep_last=0) == 2
        assert contents(memory.get_episodic_memory()) == [
            "[Summary of 3 entries]\n- Entries 0 and 1 were made\n- entry 2"
        ]
        assert len(server.requests) == 2
        memory.append("working", {"content": "one"})
        assert memory.compact("working", keep_last=0, summarize_older=False) == 1
        assert len(server.requests) == 2
