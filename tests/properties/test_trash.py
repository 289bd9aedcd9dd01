"""Whatever is forgotten and restored, in any order, is what it was; until then it is nowhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rum import Rum
from support.projects import edited, keep, open_shop

often = settings(max_examples=15)

words = st.sampled_from(("token", "refresh", "cache", "never", "é", "钥匙", "30", "\u200b", '"', "a\nb"))
texts = st.lists(words, min_size=1, max_size=6).map(lambda said: "x " + " ".join(said))
memories = st.fixed_dictionaries(
    {
        "goal": texts,
        "summary": texts,
        "tags": st.lists(st.sampled_from(["auth", "jwt"]), max_size=2, unique=True),
        "files": st.lists(st.sampled_from(["a.py", "b/c.py"]), max_size=2, unique=True),
        "changed": st.booleans(),
        "linked": st.sampled_from(["", "caused_by", "related_to", "supersedes", "blocked_by"]),
    }
)
stories = st.lists(memories, min_size=1, max_size=5)


def store_all(rum: Rum, story: list[dict[str, Any]]) -> list[str]:
    """Store memories, each linked to the one before it."""
    ids: list[str] = []
    for one in story:
        linked = {one["linked"]: ids[-1]} if one["linked"] and ids else {}
        links = {kind: [to] if kind in ("caused_by", "related_to") else to for kind, to in linked.items()}
        more = {"tags": one["tags"], "actions": edited(*one["files"]), "links": links}
        ids.append(keep(rum, one["goal"], one["summary"], **more))
        if one["changed"]:
            rum.update_memory(ids[-1], importance=0.9)
    return ids


def exported(rum: Rum) -> list[bytes]:
    return sorted(rum.export())


@often
@given(stories, st.data())
def test_memories_come_back_in_any_order(story: list[dict[str, Any]], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        rum = shop.open(owner=True)
        ids = store_all(rum, story)
        before = exported(rum)
        gone = data.draw(st.lists(st.sampled_from(ids), unique=True))
        for one in gone:
            rum.forget(one)
        left = exported(rum)
        assert not [line for line in left if any(one.encode() in line for one in gone)]
        assert {item.id for item in rum.trash.list()} == set(gone)
        assert rum.import_lines(before_with_header(before)).all_forgotten == len(gone)
        assert exported(rum) == left
        assert rum.doctor().problems == []
        for one in data.draw(st.permutations(gone)):
            rum.restore(one)
        assert exported(rum) == before
        assert rum.doctor().problems == []


def before_with_header(lines: list[bytes]) -> list[bytes]:
    """The lines of an export that were sorted, in an order in which they can be imported."""
    order = (b"rum-export", b"agent", b"memory", b"version", b"link")
    return sorted(
        lines, key=lambda line: [line.startswith(b'{"kind":"' + kind) for kind in order].index(True)
    )


@often
@given(stories, st.data())
def test_chapters_and_wisdom_come_back_if_the_last_forgotten_is_restored_first(
    story: list[dict[str, Any]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        rum = shop.open(owner=True)
        ids = store_all(rum, story)
        parts = [ids, ids[1:] or ids]
        chapters = [rum.chapters.create(memory_ids=some).chapter_id for some in parts]
        made = list(dict.fromkeys(chapters))
        wisdom = rum.wisdom.synthesize(chapter_ids=made).wisdom_id if len(made) > 1 else None
        rum.facts.set("key", "value")
        rum.facts.set("key", "another")
        rule = rum.rules.add("when", "then").id
        before = exported(rum)
        known = [*ids, *made, *([wisdom] if wisdom else []), "key", rule]
        gone: list[str] = []
        for one in data.draw(st.lists(st.sampled_from(known), unique=True)):
            if one.encode() in b"\n".join(item_lines(rum)):  # a chapter goes with the last of its memories
                rum.forget(one)
                gone.append(one)
        for one in reversed(gone):
            rum.restore(one)
        assert exported(rum) == before
        assert rum.trash.list() == []
        assert rum.doctor().problems == []


def item_lines(rum: Rum) -> list[bytes]:
    """The lines of an export that are items of their own, cut off after their id."""
    return [
        line[:120] for line in rum.export() if not line.startswith((b'{"kind":"link', b'{"kind":"version'))
    ]


notes = st.lists(st.tuples(st.sampled_from(["Login", "Cache"]), texts), min_size=1, max_size=5, unique=True)


@often
@given(notes, st.data())
def test_entries_of_notes_come_back_in_their_place(
    written: list[tuple[str, str]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        rum = shop.open(owner=True)
        for title, text in written:
            rum.notes.add(title, text, "login|cache")
        files = {path: path.read_bytes() for path in (shop.folder / ".rum" / "notes").glob("*.md")}
        gone: list[str] = []
        for _ in range(data.draw(st.integers(1, len(written)))):
            entries = [f"{note.slug}#{entry.n}" for note in rum.notes.all() for entry in note.entries]
            gone.append(data.draw(st.sampled_from(entries)))
            rum.forget(gone[-1])
        for item in rum.trash.list():
            rum.restore(item.id)
        assert {path: path.read_bytes() for path in files} == files
