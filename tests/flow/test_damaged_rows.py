"""One damaged row blocks nothing: it is named by its id, without its content, and the rest goes on."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from rum import Rum, StorageError
from support.builders import make_draft
from support.processes import Place, make_place

SECRET = "content-of-the-damaged-row"
BAD_JSON = f'{{"{SECRET}'
BAD_TEXT = SECRET.encode() + b"\xff\xfe\xa5"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A project with a row of every kind."""
    place = make_place(tmp_path)
    with place.open(owner=True) as rum:
        ids = [
            rum.store(
                **make_draft(
                    f"Repair the parser step{number}",
                    tags=["parser"],
                    actions=[{"type": "file_edit", "file_path": "src/parser.py"}],
                )
            ).memory_id
            for number in range(4)
        ]
        rum.update_memory(ids[0], tags=["parser", "again"])
        rum.link(ids[1], ids[0], "caused_by")
        chapter = rum.chapters.create(memory_ids=ids[:3])
        other = rum.chapters.create(memory_ids=ids[1:], again=True)
        rum.wisdom.synthesize(chapter_ids=[chapter.chapter_id, other.chapter_id])
        rum.facts.set("build", "make")
        rum.facts.set("test", "make test")
        rum.rules.add("parser", "run the tests")
        rum.layers.append("episodic", {"content": "an event"})
        rum.settle()
    return place


@contextmanager
def database(place: Place, name: str = "rum") -> Iterator[sqlite3.Connection]:
    """A database with its checks turned off, as damage does not ask either."""
    with closing(sqlite3.connect(place.project() / f"{name}.db", isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA ignore_check_constraints = ON")
        yield db


def damage_column(place: Place, table: str, column: str, value: object, file: str = "rum") -> None:
    """Damage one column of the first row, with a wrong type or with bytes that are not UTF-8."""
    with database(place, file) as db:
        expression = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
        statement = f"UPDATE {table} SET {column} = {expression} WHERE seq = (SELECT min(seq) FROM {table})"
        db.execute(statement if table != "agents" else statement.replace("seq", "rowid"), (value,))


def everything(
    rum: Rum, left_out: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[str, Callable[[], object]]]:
    """All that people and agents read, by name."""
    yield "list", lambda: rum.list(limit=100)
    yield "recall", lambda: rum.recall(query="repair the parser step3", depth="complete")
    yield "recall by file", lambda: rum.recall(file="src/parser.py", depth="complete", min_confidence=0)
    yield "recall by tag", lambda: rum.recall(tags=["parser"], limit=100)
    yield "brief", lambda: rum.brief(task="repair the parser", file="src/parser.py")
    yield "export", lambda: list(rum.export(left_out))
    yield "report", lambda: rum.report()
    yield "chapters", lambda: rum.call("list_chapters", {})
    yield "wisdom", lambda: rum.call("recall_wisdom", {"query": "parser"})
    yield "facts", lambda: rum.facts.list()
    yield "rules", lambda: rum.rules.match("parser")
    yield "agents", lambda: rum.agents()
    yield "tags", lambda: rum.tags()
    yield "summary", lambda: rum.summary()
    yield "refresh", lambda: rum.refresh(dry_run=True)
    yield "events", lambda: rum.layers.search("episodic", "event")
    yield "reindex", lambda: rum.reindex(left_out=left_out)
    yield "archive", lambda: rum.archive(older_than=1, dry_run=True)
    yield "store", lambda: rum.store(**make_draft("Written after the damage"))


LAYERS = ("intent", "perception", "reasoning", "actions", "outcome", "tags")
GROUP = ("evidence", "tags", "given", "found_by", "own_tags", "former")
CHAPTER = (*GROUP, "learnings", "topics")
WISDOM = (*GROUP, "insights", "patterns", "best_practices", "contradictions")
DAMAGE: dict[str, tuple[str, tuple[str, ...], object]] = {
    "layers of no JSON": ("memories", LAYERS, BAD_JSON),
    "one layer of no JSON": ("memories", ("outcome",), BAD_JSON),
    "tags of no JSON": ("memories", ("tags",), BAD_JSON),
    "layers of another shape": ("memories", LAYERS, "7"),
    "an unknown kind of memory": ("memories", ("origin_kind", "intent_type"), SECRET),
    "a memory's text": ("memories", ("intent", "intent_goal", "outcome_summary", "session_id"), BAD_TEXT),
    "chapter of no JSON": ("chapters", CHAPTER, BAD_JSON),
    "chapter's text": ("chapters", ("title", "summary", "learnings", "origin", "words"), BAD_TEXT),
    "wisdom of no JSON": ("wisdom", WISDOM, BAD_JSON),
    "wisdom's text": ("wisdom", ("summary", "insights", "words"), BAD_TEXT),
    "fact of no JSON": ("facts", ("extra",), BAD_JSON),
    "fact of another shape": ("facts", ("extra",), "7"),
    "fact's text": ("facts", ("extra", "value"), BAD_TEXT),
    "rule of no JSON": ("rules", ("extra",), BAD_JSON),
    "rule's text": ("rules", ("condition", "action"), BAD_TEXT),
    "agent of no JSON": ("agents", ("metadata",), BAD_JSON),
    "an unknown kind of agent": ("agents", ("metadata", "type"), "7"),
    "agent's text": ("agents", ("metadata", "name", "client"), BAD_TEXT),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_row_blocks_nothing_and_is_named(place: Place, what: str):
    table, columns, value = DAMAGE[what]
    for column in columns:
        damage_column(place, table, column, value)
    said: list[str] = []
    with place.open(owner=True) as rum:
        for name, call in everything(rum, said.append):
            try:
                call()
            except Exception as error:
                raise AssertionError(f"{name} was blocked: {error!r}") from error
        assert len(rum.recall(tags=["parser"], limit=100).memories) >= 3
        said.append(rum.take_damage() or "")
        assert any(said)  # by `export`, or else by all calls together
        assert rum.take_damage() is None  # it is said once
        said += [f"{problem.what} {problem.advice}" for problem in rum.doctor().problems]
    assert SECRET not in "".join(said)


def test_a_damaged_memory_asked_for_by_id_is_an_error_without_its_content(place: Place):
    damage_column(place, "memories", "reasoning", BAD_JSON)
    with place.open(owner=True) as rum:
        damaged = rum.list(limit=100).memories[-1].id
        with pytest.raises(StorageError, match=f"{damaged} cannot be read") as caught:
            rum.show(damaged)
        assert SECRET not in caught.value.message
        rum.forget(damaged)
        assert rum.list(limit=100).total == 3


def test_the_rows_of_a_damaged_history_and_link_are_named(place: Place):
    with database(place) as db:
        db.execute("UPDATE memory_versions SET data = ?", (BAD_JSON,))
        db.execute("UPDATE memory_links SET link_type = ?", (SECRET,))
    left_out: list[str] = []
    with place.open(owner=True) as rum:
        assert len(list(rum.export(left_out.append))) > 8
        first = rum.list(limit=100).memories[-1].id
        assert [version.version for version in rum.history(first)] == [1, 2]
        with pytest.raises(StorageError, match="Version 1"):
            rum.restore(first, 1)
        assert "→" in (rum.take_damage() or "")
    assert left_out == [f"{first} version 1"]


def test_damaged_archived_memories_and_vectors_are_passed_over(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_EMBEDDER", "builtin")
    with place.open(owner=True) as rum:
        rum.tidy(60)
    with place.open(owner=True, clock=lambda: time.time() + 10 * 86_400) as rum:
        rum.archive(older_than=1, importance=1.0)
        kept = rum.store(**make_draft("Repair the lexer")).memory_id
        rum.tidy(60)
    with database(place) as db:
        assert db.execute("SELECT count(*) FROM archived").fetchone()[0]
        db.execute("UPDATE archived SET data = x'00' WHERE memory = (SELECT min(memory) FROM archived)")
        db.execute("UPDATE archived_vectors SET data = x'ffff' WHERE number = 1")
        infinite = b"\x00\x00\x80\x7f"
        db.execute("UPDATE memory_vectors SET data = CAST(? || substr(data, 5) AS BLOB)", (infinite,))
        db.execute("UPDATE derived SET value = 'x y' WHERE name = 'archived' OR name LIKE '%scale%'")
    with place.open(owner=True) as rum:
        for name, call in everything(rum):
            try:
                call()
            except Exception as error:
                raise AssertionError(f"{name} was blocked: {error!r}") from error
        found = rum.recall(query="lexer broken", strategy="semantic", min_confidence=0)
        assert all(0 <= memory.confidence <= 1 for memory in found.memories)
        assert rum.show(kept)


@pytest.mark.parametrize("value", [BAD_JSON, "7", BAD_TEXT])
def test_damaged_events_are_passed_over(place: Place, value: Any):
    damage_column(place, "events", "extra", value, "activity")
    with place.open(owner=True) as rum:
        assert "an event" in str(rum.layers.search("episodic", "event"))
        assert len(list(rum.export(lambda _: None))) > 8
