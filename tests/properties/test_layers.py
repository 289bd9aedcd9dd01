"""Layer files with any content are written back unchanged."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rum import MemoryManager
from rum.app.exchange.layers import LayerImport
from support.projects import open_shop

Json = dict[str, Any]
often = settings(max_examples=25)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
times = st.integers(-(10**15), 10**15) | st.floats(-1e15, 1e15)


def objects(*known: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """Objects with these fields and unknown ones."""
    unknown = st.dictionaries(texts.filter(lambda name: name not in (*known, *fields)), values, max_size=2)
    return st.builds(lambda own, more: {**own, **more}, st.fixed_dictionaries(fields), unknown)


def with_optional(base: st.SearchStrategy[Json], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.builds(lambda own, more: {**own, **more}, base, st.fixed_dictionaries({}, optional=fields))


entries = with_optional(
    objects("metadata", id=texts, timestamp=times, content=texts),
    metadata=st.none() | st.dictionaries(texts, values, max_size=3),
)
facts = with_optional(objects("timestamp", "key", value=texts), timestamp=st.none() | times)
rules = with_optional(objects("timestamp", condition=texts, action=texts), timestamp=st.none() | times)
maps = st.dictionaries(texts, facts, max_size=4).map(
    lambda known: [[key, {"key": key, **fact}] for key, fact in known.items()]
)
layers = st.fixed_dictionaries(
    {
        "episodic.json": st.lists(entries, max_size=4),
        "semantic.json": maps,
        "procedural.json": st.lists(rules, max_size=4),
    }
)


def lay(folder: Path, files: Json) -> Path:
    folder.mkdir(parents=True)
    for name, items in files.items():
        (folder / name).write_text(json.dumps(items), encoding="utf-8")
    return folder


def written(folder: Path) -> Json:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}


def same(one: object, other: object) -> bool:
    """Whether both are equal; 1 and 1.0 differ, and so do 0.0 and -0.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@often
@given(layers)
def test_an_import_and_an_export_lose_nothing_and_a_second_import_adds_nothing(files: Json):
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        rum = shop.open()
        given, out = lay(Path(folder, "in"), files), Path(folder, "out")
        count = sum(map(len, files.values()))
        assert rum.import_layers(given) == LayerImport(added=count)
        rum.export_layers(out)
        assert same(written(out), files)
        assert rum.import_layers(out) == LayerImport(unchanged=count)
        elsewhere = shop.open(home=shop.home.parent / "elsewhere")
        elsewhere.import_lines(rum.export())
        elsewhere.export_layers(Path(folder, "again"))
        assert same(written(Path(folder, "again")), files)


@often
@given(layers, texts)
def test_appending_in_place_changes_nothing_else(files: Json, content: str):
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        place = lay(Path(folder, ".rlm-data", "memory"), files)
        with MemoryManager(place, home=shop.home, clock=shop.clock) as memory:
            added = memory.append("episodic", {"id": "added", "content": content})
            memory.append("procedural", {"content": "do", "metadata": {"condition": "when"}})
            memory.learn({"key": "added to these", "value": content})
            stats = memory.get_stats()
        after = written(place)
        assert same([after["episodic.json"][:-1], added.content], [files["episodic.json"], content])
        assert same(after["semantic.json"][:-1], files["semantic.json"])
        assert same(after["procedural.json"][:-1], files["procedural.json"])
        names = ("episodic.json", "semantic.json", "procedural.json")
        counts = (stats.episodic_entry_count, stats.semantic_entry_count, stats.procedural_rule_count)
        assert counts == tuple(len(after[name]) for name in names)
