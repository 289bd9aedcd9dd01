"""Facts, rules and events out and in again: as JSON lines, and as the three files of layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, Rum
from rum.app.exchange.layers import LayerImport
from support.builders import NOON
from support.projects import Shop

Json = dict[str, Any]
EPISODIC: list[Any] = [
    {"id": "entry-1", "timestamp": 1_700_000_000_000, "content": "First", "metadata": {"task": "scan"}},
    {"id": "entry-1", "timestamp": 1_700_000_000_000, "content": "First", "metadata": {"task": "scan"}},
    {"id": "entry-1", "timestamp": 5.5, "content": "Same id", "by": {"tool": [1, None]}, "metadata": None},
    {"id": "entry-2", "timestamp": -1, "content": "é 😀\n", "metadata": {}},
]
SEMANTIC: list[Any] = [
    ["format", {"key": "format", "value": "CSV", "timestamp": 1_700_000_000_001}],
    ["a\nb", {"key": "other", "value": "", "sure": 0.25}],
    ["no time", {"key": "no time", "value": "x", "timestamp": None}],
]
PROCEDURAL: list[Any] = [
    {"condition": "deploy", "action": "Ask first", "timestamp": 1_700_000_000_002, "uses": 3},
    {"condition": "deploy", "action": "Ask first", "timestamp": 1_700_000_000_002, "uses": 3},
    {"condition": "", "action": "Breathe"},
]
FILES = {"episodic.json": EPISODIC, "semantic.json": SEMANTIC, "procedural.json": PROCEDURAL}


@pytest.fixture
def folder(shop: Shop) -> Path:
    """A directory of layers in which everything that such files can hold occurs."""
    made = shop.folder / ".rlm-data" / "memory"
    made.mkdir(parents=True)
    for name, items in FILES.items():
        (made / name).write_text(json.dumps(items))
    return made


@pytest.fixture
def elsewhere(shop: Shop) -> Rum:
    return shop.open(home=shop.home.parent / "elsewhere")


def written(folder: Path) -> Json:
    return {name: json.loads((folder / name).read_text()) for name in FILES}


def layer_lines(rum: Rum) -> list[Json]:
    told = [json.loads(line) for line in rum.export()]
    return [line for line in told if line["kind"] in ("fact", "fact_version", "rule", "event")]


def test_files_come_out_as_they_went_in(shop: Shop, folder: Path, tmp_path: Path) -> None:
    rum = shop.open()
    assert rum.import_layers(folder) == LayerImport(added=10)
    assert rum.export_layers(tmp_path / "out") == {
        "episodic.json": 4,
        "semantic.json": 3,
        "procedural.json": 3,
    }
    assert written(tmp_path / "out") == FILES
    assert rum.doctor().problems == []


def test_importing_again_changes_nothing_also_what_was_exported_here(
    shop: Shop, folder: Path, tmp_path: Path
) -> None:
    rum = shop.open()
    rum.import_layers(folder)
    rum.rules.add("learned", "here")
    rum.layers.append("episodic", {"content": "here"})
    rum.export_layers(tmp_path / "out")
    before = layer_lines(rum)
    assert rum.import_layers(folder) == LayerImport(unchanged=10)
    assert rum.import_layers(tmp_path / "out") == LayerImport(unchanged=12)
    assert layer_lines(rum) == before


def test_what_is_known_here_stays_as_it_is(shop: Shop, folder: Path) -> None:
    rum = shop.open()
    rum.facts.set("format", "JSON")
    assert rum.import_layers(folder) == LayerImport(added=9, different=1)
    assert (fact := rum.facts.get("format")) is not None
    assert fact.value == "JSON"


def test_what_was_forgotten_stays_out(shop: Shop, folder: Path) -> None:
    rum = shop.open()
    rum.import_layers(folder)
    [again, *_] = [rule for rule in rum.rules.list() if rule.action == "Ask first"]
    assert rum.forget("entry-1").removed == {"events": 3}
    rum.facts.forget("format")
    rum.rules.forget(again.id)
    # The three entries, the fact, and the one rule that is gone; the other one that says the same is here.
    assert rum.import_layers(folder) == LayerImport(unchanged=5, forgotten=5)


def test_what_is_imported_is_found_and_dated(shop: Shop, folder: Path) -> None:
    rum = shop.open()
    rum.import_layers(folder)
    [first, second] = rum.layers.search("episodic", "first")
    assert first.timestamp == second.timestamp == 1_700_000_000_000
    assert [rule.created_at for rule in rum.rules.match("deploy it")] == [1_700_000_000] * 2
    fact = rum.facts.get("no time")
    assert fact is not None
    assert (fact.created_at, fact.timestamp) == (NOON, None)


def test_secrets_are_cut_out_on_the_way_in(shop: Shop, folder: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    entry = {"id": "e", "timestamp": 1, "content": secret, "metadata": {"x": secret}, "more": secret}
    (folder / "episodic.json").write_text(json.dumps([entry]))
    (folder / "semantic.json").write_text(json.dumps([["t", {"key": "t", "value": secret, "x": [secret]}]]))
    (folder / "procedural.json").write_text(
        json.dumps([{"condition": secret, "action": secret, "x": secret}])
    )
    rum = shop.open()
    assert rum.import_layers(folder).added == 3
    assert secret not in str(layer_lines(rum))


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_refused_and_nothing_is_taken_in(shop: Shop, folder: Path, name: str) -> None:
    (folder / name).write_text("[1]")
    rum = shop.open()
    with pytest.raises(InvalidQuery, match=f"{name}, entry 1"):
        rum.import_layers(folder)
    assert layer_lines(rum) == []


def test_a_directory_without_such_files_is_refused(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(InvalidQuery, match=r"none of episodic\.json"):
        shop.open().import_layers(tmp_path)
    with pytest.raises(InvalidQuery, match="none of"):
        shop.open().import_layers(tmp_path / "nowhere")


def test_one_file_alone_is_enough(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "procedural.json").write_text(json.dumps(PROCEDURAL))
    assert shop.open().import_layers(tmp_path) == LayerImport(added=3)


def test_an_export_never_overwrites(shop: Shop, folder: Path) -> None:
    rum = shop.open()
    rum.facts.set("a", "b")
    with pytest.raises(InvalidQuery, match="exists already"):
        rum.export_layers(folder)
    assert written(folder) == FILES


def test_half_a_character_is_left_out(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "episodic.json").write_text('[{"id":"e","timestamp":1,"content":"half \\ud83e of it"}]')
    rum = shop.open()
    assert rum.import_layers(tmp_path).added == 1
    assert rum.layers.get_episodic_memory()[0].content == "half  of it"


def filled(shop: Shop, folder: Path) -> Rum:
    rum = shop.open(agent="ann")
    rum.import_layers(folder)
    rum.facts.set("port", "80")
    shop.clock.forward(5)
    rum.facts.set("port", "443")
    rum.rules.add("learned", "here")
    rum.layers.append("episodic", {"content": "here", "metadata": {"a": 1}})
    return rum


def test_json_lines_bring_everything_elsewhere(shop: Shop, folder: Path, elsewhere: Rum) -> None:
    rum = filled(shop, folder)
    # 4 + 1 events, 3 + 1 facts, 3 + 1 rules.
    assert elsewhere.import_lines(rum.export()).layers == LayerImport(added=13)
    here, there = layer_lines(rum), layer_lines(elsewhere)
    for line in (*here, *there):
        for part in ("fact", "rule", "event"):
            line.get(part, {}).pop("imported_at", None)
    assert there == here
    assert elsewhere.facts.history("port") == rum.facts.history("port")
    assert elsewhere.import_lines(rum.export()).layers == LayerImport(unchanged=13)
    assert elsewhere.doctor().problems == []


def test_json_lines_change_nothing_where_they_come_from(shop: Shop, folder: Path) -> None:
    rum = filled(shop, folder)
    before = list(rum.export())
    assert rum.import_lines(before).layers == LayerImport(unchanged=13)
    assert list(rum.export()) == before


def test_an_import_that_was_broken_off_is_completed_by_the_next(
    shop: Shop, folder: Path, elsewhere: Rum
) -> None:
    rum = filled(shop, folder)
    exported = list(rum.export())
    until = next(number for number, line in enumerate(exported) if b'"kind":"fact_version"' in line)
    elsewhere.import_lines(exported[:until])
    elsewhere.import_lines(exported)
    assert elsewhere.facts.history("port") == rum.facts.history("port")


def test_what_differs_is_kept_as_it_was(shop: Shop, folder: Path) -> None:
    rum = filled(shop, folder)
    changed = [line.replace(b'"443"', b'"1"').replace(b'"here"', b'"there"') for line in rum.export()]
    assert rum.import_lines(changed).layers == LayerImport(unchanged=10, different=3)
    assert [entry.content for entry in rum.layers.search("episodic", "here there")] == ["here"]


def test_an_entry_whose_id_is_another_ones_here_is_left_out_and_counted(shop: Shop, folder: Path) -> None:
    rum = shop.open()
    rum.layers.append("episodic", {"id": "entry-1", "content": "Ours"})
    # Three entries of the file are called `entry-1`, which is taken.
    assert rum.import_layers(folder) == LayerImport(added=7, different=3)
    assert [one.content for one in rum.layers.get_episodic_memory()] == ["Ours", "é 😀\n"]


def test_an_import_broken_off_between_two_entries_of_one_id_is_completed_by_the_next(
    shop: Shop, folder: Path, elsewhere: Rum
) -> None:
    rum = shop.open()
    rum.import_layers(folder)
    exported = list(rum.export())
    events = [number for number, line in enumerate(exported) if b'"kind":"event"' in line]
    elsewhere.import_lines(exported[: events[2]])
    assert elsewhere.import_lines(exported).layers == LayerImport(added=2, unchanged=8)
    assert elsewhere.layers.get_episodic_memory() == rum.layers.get_episodic_memory()


def test_an_export_without_layers_says_nothing_of_them(rum: Rum) -> None:
    assert not rum.import_lines(rum.export()).layers


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"kind": "fact", "fact": {"key": "a"}}, "Line 2: `fact."),
        ({"kind": "rule", "rule": {"id": "r", "condition": "c"}}, "Line 2: `rule."),
        ({"kind": "event", "event": {"id": "e"}}, "Line 2: `event."),
        ({"kind": "fact_version", "key": "a", "version": 0}, "Line 2: `"),
    ],
)
def test_lines_that_are_none_are_refused(rum: Rum, line: Json, said: str) -> None:
    given = [json.dumps(one).encode() for one in ({"kind": "rum-export", "format": 2}, line)]
    with pytest.raises(InvalidQuery) as caught:
        rum.import_lines(given)
    assert said in caught.value.message


def test_an_export_of_the_first_format_is_still_read(rum: Rum) -> None:
    fact = {"key": "a", "value": "b", "agent_id": "agent_x", "created_at": 5}
    given = [{"kind": "rum-export", "format": 1}, {"kind": "fact", "fact": fact}]
    assert rum.import_lines([json.dumps(line).encode() for line in given]).layers == LayerImport(added=1)
    assert [agent.agent_id for agent in rum.agents()] == ["agent_x"]
