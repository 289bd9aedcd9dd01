"""In any valid journal, a change affects only the entry that it is about."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rum.model.errors import RumError
from rum.model.journal import Kind, format_timestamp
from rum.store.files.journal.archive import ARCHIVE, archive
from rum.store.files.journal.file import JournalFile
from rum.store.files.yaml import load

START = 1771060500.0
NOW = START + 6 * 3600
SECTIONS = [kind.section for kind in Kind]
HEADER = 'version: "1"\nschema: agent-memory\nsessionId: s\nagent: a\ncreatedAt: 2026-01-01T00:00:00Z\n'
SLOWLY = settings(max_examples=60)

between = st.sampled_from(
    [
        "",
        "\n",
        "\n\n",
        "  \n",
        "      \n",
        "# note\n",
        "\n# note\n\n",
        "    # set in\n",
        "         # far in\n",
    ]
)
headers = st.sampled_from(["|", "|-", "|+", ">", ">-", ">+", "|2", "|2+", ">1-", "|1+", "|+ # why"])
words = st.sampled_from(["word", "a: b", "- x", "# no comment", "", "  deeper", "'", "id: discovery-077"])
new_values = st.sampled_from(["word", "two\nlines\n", "two\nlines", ["a", "b\nc\n"], {"k": "x\ny\n"}])


@st.composite
def blocks(draw: st.DrawFn, column: int) -> str:
    """A text as a YAML block, with or without trailing blank lines."""
    header = draw(headers)
    digits = [int(mark) for mark in header if mark.isdigit()]
    pad = " " * (column + (digits[0] if digits else 2))
    lines = ["first", *draw(st.lists(words, max_size=3))]
    tail = draw(st.sampled_from(["", "", "\n", "\n\n", pad + "\n", pad + " \n"]))
    return f" {header}\n" + "".join((pad + line if line else "") + "\n" for line in lines) + tail


@st.composite
def values(draw: st.DrawFn, column: int) -> str:
    """A value that may follow a colon at this column."""
    style = draw(st.sampled_from(["block", "block", "line", "list", "map"]))
    if style == "block":
        return draw(blocks(column))
    if style == "line":
        plain = [
            " word\n",
            ' "quoted"\n',
            " [a, b]\n",
            "\n",
            ' "two\n   lines"\n',
            " plain\n          goes on\n",
        ]
        return draw(st.sampled_from(plain))
    inner = " " * (column + 2)
    parts = draw(
        st.lists(blocks(column + 2) | st.sampled_from([" word\n", " 'q'\n"]), min_size=1, max_size=2)
    )
    marks = [f"{inner}-" if style == "list" else f"{inner}k{number}:" for number in range(len(parts))]
    return "\n" + "".join(mark + part for mark, part in zip(marks, parts, strict=True))


@st.composite
def sections(draw: st.DrawFn, name: str) -> str:
    """A section with older and newer entries."""
    pad = " " * draw(st.sampled_from([0, 2, 4]))
    text = f"{name}:\n"
    for number in range(draw(st.integers(1, 3))):
        at = format_timestamp(START + draw(st.sampled_from([0, 1, 5, 6])) * 3600)
        fields = [f"id: {name}-{number}\n", f'timestamp: "{at}"\n', "result: success\n"]
        told = draw(st.lists(values(len(pad) + 2), max_size=2))
        fields += [f"f{place}:{value}" for place, value in enumerate(told)]
        text += draw(between) + f"{pad}- " + f"{pad}  ".join(draw(st.permutations(fields)))
    return text + draw(between)


@st.composite
def journals(draw: st.DrawFn) -> str:
    """A valid journal in any style that people use."""
    text = HEADER
    for name in draw(st.lists(st.sampled_from([*SECTIONS, "context", "note"]), unique=True)):
        if name in SECTIONS:
            text += draw(sections(name))
        elif name == "note":
            text += "note:" + draw(values(0)) + draw(between)
        else:
            text += "context:\n  a:" + draw(values(2)) + "  b:" + draw(values(2)) + draw(between)
    text = draw(st.sampled_from([text, text, text.rstrip("\n"), text.rstrip()]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))
    try:
        load(text, "file")
    except RumError:
        assume(False)
    return text


class Kept:
    """A journal on disk, and its parsed content."""

    def __init__(self, folder: str, text: str) -> None:
        self.path = Path(folder, "s", "a", "agent-memory.yaml")
        self.path.parent.mkdir(parents=True)
        self.path.write_bytes(text.encode())
        self.file = JournalFile(folder, str(self.path), "s", "a")

    @property
    def value(self) -> Any:
        return load(self.path.read_bytes().decode(), "file")

    @property
    def archived(self) -> Any:
        path = self.path.with_name(ARCHIVE)
        return load(path.read_text(encoding="utf-8"), "file") if path.exists() else {}


CLIPPED = HEADER + "note: |\n  no end"
KEPT = HEADER + "discoveries:\n  - id: a\n    content: |+\n      kept\n\n\n# then\nattempts: []\n"
SPACES = HEADER + "discoveries:\n- id: a\n  f0: |\n    first\n     \n"
FOLDED = HEADER + "discoveries:\n  - id: a\n    content: >+\n      kept"


@SLOWLY
@given(journals(), st.sampled_from(Kind), st.lists(new_values, min_size=1, max_size=3))
@example(CLIPPED, Kind.DISCOVERY, ["word"])
@example(KEPT, Kind.DISCOVERY, ["two\nlines\n", "word"])
@example(FOLDED, Kind.DISCOVERY, ["word"])
@example(SPACES, Kind.DISCOVERY, ["word"])
def test_adding_entries_changes_no_other_entry(text: str, kind: Kind, told: list[Any]):
    with tempfile.TemporaryDirectory() as folder:
        journal = Kept(folder, text)
        expected = journal.value
        for number, value in enumerate(told):
            entry = {"timestamp": format_timestamp(NOW), "told": value}
            journal.file.add(kind, f"new-{number}", entry, NOW)
            before = expected.get(kind.section) or []
            expected[kind.section] = [*before, {"id": f"new-{number}", **entry}]
            assert journal.value == expected


@SLOWLY
@given(journals(), st.data())
def test_changing_an_entry_changes_no_other_entry(text: str, data: st.DataObject):
    with tempfile.TemporaryDirectory() as folder:
        journal = Kept(folder, text)
        expected = journal.value
        entries = [entry for name in SECTIONS for entry in expected.get(name) or []]
        assume(entries)
        entry = data.draw(st.sampled_from(entries))
        changes = {data.draw(st.sampled_from(["f0", "f1", "new", "result"])): data.draw(new_values)}
        journal.file.update(entry["id"], lambda _kind, _entry: changes, NOW)
        ((name, value),) = changes.items()
        old = entry.get(name)
        entry[name] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
        assert journal.value == expected


@SLOWLY
@given(journals(), st.sampled_from(["a", "b", "c"]), new_values)
@example(CLIPPED, "a", "word")
def test_changing_the_context_changes_no_entry(text: str, name: str, value: Any):
    with tempfile.TemporaryDirectory() as folder:
        journal = Kept(folder, text)
        expected = journal.value
        journal.file.set_context({name: value}, NOW)
        context = expected.get("context") or {}
        both = isinstance(context.get(name), dict) and isinstance(value, dict)
        expected["context"] = {**context, name: {**context[name], **value} if both else value}
        assert journal.value == expected


@SLOWLY
@given(journals())
def test_archived_and_remaining_entries_together_are_the_original_ones(text: str):
    with tempfile.TemporaryDirectory() as folder:
        journal = Kept(folder, text)
        before = journal.value
        moved = archive(journal.file, NOW).moved
        after, archived = journal.value, journal.archived
        assert sum(moved.values()) == sum(len(archived.get(name) or []) for name in SECTIONS)
        for name in SECTIONS:
            both = [*(archived.get(name) or []), *(after.pop(name, None) or [])]
            assert sorted(both, key=str) == sorted(before.pop(name, None) or [], key=str)
        after.pop("history", None)
        assert after == before
