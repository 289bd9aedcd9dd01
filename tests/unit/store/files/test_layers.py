"""Three JSON files that other programs read and write too: nothing lost, nothing half-written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rum.model.errors import InvalidQuery, StorageError
from rum.model.layers import MemoryType
from rum.store.files.layers import LayerFiles, as_entry, as_fact, as_rule, holds_layers, write_layers

EPISODIC, SEMANTIC, PROCEDURAL = MemoryType.EPISODIC, MemoryType.SEMANTIC, MemoryType.PROCEDURAL
ENTRY = {"id": "entry-1", "timestamp": 1_750_000_000_000, "content": "It happened"}
FACT = ["format", {"key": "format", "value": "CSV", "timestamp": 1_750_000_000_000}]
RULE = {"condition": "deploy", "action": "Ask first"}


def lay(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def test_a_layer_without_a_file_is_empty_and_reading_makes_none(tmp_path: Path):
    files = LayerFiles(str(tmp_path))
    assert [files.items(layer) for layer in (EPISODIC, SEMANTIC, PROCEDURAL)] == [[], [], []]
    assert list(tmp_path.iterdir()) == []


def test_what_is_added_is_all_that_changes(tmp_path: Path):
    odd = {
        "id": "e",
        "timestamp": 12.5,
        "content": "é 😀 \ud83e",
        "metadata": {"a": [None, 10**30]},
        "by": "x",
    }
    null = {"id": "f", "timestamp": 0, "content": "", "metadata": None}
    path = lay(tmp_path, "episodic.json", [odd, null])
    LayerFiles(str(tmp_path)).change(EPISODIC, lambda items: [*items, ENTRY])
    assert json.loads(path.read_bytes()) == [odd, null, ENTRY]
    assert b"\\ud83e" in path.read_bytes()


def test_a_change_that_changes_nothing_leaves_the_bytes_alone(tmp_path: Path):
    path = lay(tmp_path, "episodic.json", b'[ {"id":"a","timestamp":1,"content":"x"} ]\n')
    before = path.read_bytes()
    LayerFiles(str(tmp_path)).change(EPISODIC, lambda items: items)
    assert path.read_bytes() == before


def test_changes_by_another_program_are_noticed(tmp_path: Path):
    files = LayerFiles(str(tmp_path))
    assert files.items(EPISODIC) == []
    lay(tmp_path, "episodic.json", [ENTRY])
    assert files.items(EPISODIC) == [ENTRY]
    LayerFiles(str(tmp_path)).change(EPISODIC, lambda items: [*items, {**ENTRY, "id": "entry-2"}])
    assert [item["id"] for item in files.items(EPISODIC)] == ["entry-1", "entry-2"]


def test_the_last_of_several_pairs_with_one_key_counts(tmp_path: Path):
    lay(
        tmp_path,
        "semantic.json",
        [["a", {"key": "a", "value": "1"}], FACT, ["a", {"key": "a", "value": "2"}]],
    )
    assert LayerFiles(str(tmp_path)).items(SEMANTIC) == [["a", {"key": "a", "value": "2"}], FACT]


BROKEN: list[tuple[str, object, str]] = [
    ("episodic.json", b"", "episodic.json is not JSON"),
    ("episodic.json", b"[{", "episodic.json is not JSON"),
    ("episodic.json", b"\xff\xfe", "is not UTF-8"),
    ("episodic.json", b"[" * 100_000, "nested too deeply"),
    ("episodic.json", b"{}", "must hold a JSON array"),
    ("episodic.json", b"[NaN]", "NaN is not a number"),
    ("episodic.json", b'[{"id":"a","timestamp":1e999,"content":""}]', "1e999 is not a number"),
    ("episodic.json", [ENTRY, "text"], "episodic.json, entry 2: must be a JSON object"),
    ("episodic.json", [ENTRY, {"id": "a", "timestamp": 1}], "entry 2: `content` is required"),
    ("episodic.json", [{**ENTRY, "id": 5}], "entry 1: `id`"),
    ("episodic.json", [{**ENTRY, "timestamp": "now"}], "entry 1: `timestamp`"),
    ("episodic.json", [{**ENTRY, "timestamp": 10**30}], "entry 1: `timestamp`"),
    ("episodic.json", [{**ENTRY, "metadata": []}], "entry 1: `metadata`"),
    ("semantic.json", [{"key": "a", "value": "b"}], "entry 1: must be a pair"),
    ("semantic.json", [["a", "b"]], "entry 1: must be a pair"),
    ("semantic.json", [FACT, ["a", {"key": "a"}]], "entry 2: `value` is required"),
    ("procedural.json", [{"condition": "x"}], "entry 1: `action` is required"),
]


@pytest.mark.parametrize(("name", "content", "said"), BROKEN)
def test_a_broken_file_is_named_and_left_as_it_is(tmp_path: Path, name: str, content: object, said: str):
    path = lay(tmp_path, name, content)
    before = path.read_bytes()
    layer = next(layer for layer in MemoryType if layer.value in name)
    for attempt in (
        lambda: LayerFiles(str(tmp_path)).items(layer),
        lambda: LayerFiles(str(tmp_path)).change(layer, lambda _: []),
    ):
        with pytest.raises(InvalidQuery) as caught:
            attempt()
        assert said in caught.value.message
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_that_leads_elsewhere_is_neither_read_nor_written(tmp_path: Path):
    secret = lay(tmp_path, "secret.json", [ENTRY])
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "episodic.json").symlink_to(secret)
    with pytest.raises(InvalidQuery, match="leads out of"):
        LayerFiles(str(folder)).items(EPISODIC)
    with pytest.raises(InvalidQuery, match="leads out of"):
        LayerFiles(str(folder)).change(EPISODIC, lambda _: [])
    assert json.loads(secret.read_text()) == [ENTRY]


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path):
    (tmp_path / "episodic.json").mkdir()
    with pytest.raises(StorageError, match=r"episodic\.json"):
        LayerFiles(str(tmp_path)).items(EPISODIC)


def test_writing_new_files_overwrites_none(tmp_path: Path):
    write_layers(str(tmp_path / "a" / "b"), {EPISODIC: [ENTRY], SEMANTIC: [FACT], PROCEDURAL: [RULE]})
    files = LayerFiles(str(tmp_path / "a" / "b"))
    assert [files.items(layer) for layer in (EPISODIC, SEMANTIC, PROCEDURAL)] == [[ENTRY], [FACT], [RULE]]
    lay(tmp_path, "procedural.json", [])
    with pytest.raises(InvalidQuery, match=r"procedural\.json exists already"):
        write_layers(str(tmp_path), {EPISODIC: [ENTRY], PROCEDURAL: [RULE]})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "procedural.json"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (".rlm-data/memory", None, True),
        ("anything", "episodic.json", True),
        ("anything", "semantic.json", True),
        ("anything", "other.json", False),
        ("memory", None, False),
    ],
)
def test_a_directory_of_layers_is_known_by_its_files_or_its_name(
    tmp_path: Path, name: str, content: str | None, expected: bool
):
    folder = tmp_path / name
    folder.mkdir(parents=True)
    if content:
        lay(folder, content, [])
    assert holds_layers(str(folder)) is expected


def test_a_checkout_with_such_a_file_is_a_project(tmp_path: Path):
    lay(tmp_path, "semantic.json", [])
    (tmp_path / ".git").mkdir()
    assert not holds_layers(str(tmp_path))


def test_unknown_fields_are_returned_separately():
    entry, extra = as_entry({**ENTRY, "by": "x", "metadata": None})
    assert (entry.content, entry.metadata, extra) == ("It happened", None, {"by": "x", "metadata": None})
    fact, extra = as_fact(["format", {"key": "Format", "value": "CSV", "sure": 0.5}])
    assert (fact.key, fact.timestamp, extra) == ("format", None, {"key": "Format", "sure": 0.5})
    rule, more = as_rule({**RULE, "timestamp": 5, "uses": [1]})
    assert (rule.action, rule.timestamp, more) == ("Ask first", 5, {"uses": [1]})


def test_a_fact_whose_object_has_no_key_gets_that_of_its_pair():
    value: dict[str, Any] = {"value": "CSV"}
    fact, extra = as_fact(["format", value])
    assert (fact.key, extra) == ("format", {})
